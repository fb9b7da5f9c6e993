import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { splitAddresses } from "../../../src/domain/address/several.ts"
import { addressesInCell } from "../../../src/domain/lists/list-addresses.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

const [A, B] = ["ann@mailbox.test", "bob@mailbox.test"]

describe("the addresses in a cell", () => {
  test.each<[cell: string, addresses: readonly string[]]>([
    [`${A};${B}`, [A, B]],
    [`${A}, ${B}`, [A, B]],
    [`${A} ::: ${B}`, [A, B]],
    [`${A}|${B}`, [A, B]],
    [`${A}\n${B}\r\n`, [A, B]],
    [`${A} ${B}`, [A, B]],
    [`${A} and ${B}`, [A, B]],
    [`${A} / ${B}`, [A, B]],
    [`Roe, Ann <${A}>; Doe, Bob <${B}>`, [A, B]],
    [`Roe, Ann <${A}>, Doe, Bob <${B}>`, [A, B]],
    [`Ann <${A}> Bob <${B}>`, [A, B]],
    [`<${A}><${B}>`, [A, B]],
    [`"Roe; Ann" <${A}>, ${B}`, [A, B]],
    [`mailto:${A},${B}`, [A, B]],
    [`"${A}; ${B}"`, [A, B]],
    [`${A}; ${A}`, [A, A]],
    [`${A}/${B}`, [A, B]],
    ["x/ann@mailbox.test/y/bob@mailbox.test", ["x/ann@mailbox.test", "y/bob@mailbox.test"]],
    [`${A}<br>${B}<br/>`, [A, B]],
    [`${A}；${B}、${B}`, [A, B, B]],
    [`${A}\\;${B}`, [A, B]],
    [`{${A},${B}}`, [A, B]],
    [`["${A}","${B}"]`, [A, B]],
    [`work: ${A}; home: ${B}`, [A, B]],
    [`${A} (work); ${B} (home)`, [A, B]],
    [`'${A}','${B}'`, [A, B]],
    [`Team: ${A}, ${B};`, [A, B]],
    [`="${A}"`, [A]],
    [`=HYPERLINK("mailto:${A}","${A}")`, [A]],
    [`[${A}](mailto:${A})`, [A]],
    [`<a href="mailto:${A}">${A}</a>`, [A]],
    [`- ${A}`, [A]],
    [`2. ${A}`, [A]],
    ["o'neil@mailbox.test", ["o'neil@mailbox.test"]],
    ["john smith@mailbox.test", ["john smith@mailbox.test"]],
    [`${A};`, [A]],
    [` ;${A}, `, [A]],
    [`${A};ann@`, [A, "ann@"]],
    [`${A}; n/a; ${B}`, [A, "n/a", B]],
    ['"a;b@c"@mailbox.test', ['"a;b@c"@mailbox.test']],
    [`Ann ${A} Bob ${B}`, [`Ann ${A} Bob ${B}`]],
    ["ann@@mailbox.test", ["ann@@mailbox.test"]],
    ["ann,roe@mailbox.test", ["ann,roe@mailbox.test"]],
    ["ann@mailbox,test", ["ann@mailbox,test"]],
    ["; , ;", ["; , ;"]],
    ["", []],
  ])("%j are %j", (cell, addresses) => {
    expect(addressesInCell(cell)).toEqual(addresses)
  })

  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
  const address = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.test`)
  const named = fc
    .tuple(word, word, address)
    .chain(([given, family, email]) =>
      fc
        .constantFrom(
          email,
          `<${email}>`,
          `${given} <${email}>`,
          `${family}, ${given} <${email}>`,
          `"${family}; ${given}" <${email}>`,
        )
        .map((text) => ({ email, text })),
    )

  test("are all found, with any display names, behind any separator", () => {
    const separator = fc.constantFrom(";", "; ", " ; ", ",", ", ", "\n", "\r\n", " ::: ", "|", "\t")
    fc.assert(
      fc.property(fc.array(named, { minLength: 2, maxLength: 8 }), separator, fc.boolean(), (list, by, isEnded) => {
        const cell = list.map(({ text }) => text).join(by) + (isEnded ? by : "")
        expect(addressesInCell(cell)).toEqual(list.map(({ email }) => email))
      }),
    )
  })

  test("are one for each text that is a well-formed address", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab.@";,|<>\\ -:'), maxLength: 16 }), (local) => {
        const text = `${local}@mailbox.test`
        if (parseAddress(text).ok) expect(addressesInCell(text)).toHaveLength(1)
      }),
      { numRuns: 5_000 },
    )
  })
})

test.each([
  [`${A}; ${B}`, "several_addresses"],
  [`${A}, ${B}`, "several_addresses"],
  [`Ann ${A} Bob ${B}`, "several_addresses"],
  ["ann@@mailbox.test", "at_sign_in_domain"],
  ["ann roe@mailbox.test", "white_space"],
])("%j by itself is refused as %s", (text, reason) => {
  expect(parseAddress(text)).toMatchObject({ ok: false, reason })
})

test.each(["a@b;", "a@b,", "<a@b>", "<", '"', '"@', "\\@", "@ ", "a@b and ", ":::@"])(
  "the time to split a text full of %j is linear",
  (unit) => {
    const text = unit.repeat(Math.floor(65_000 / unit.length))
    runToTheEnd(() => splitAddresses(text))
  },
)
