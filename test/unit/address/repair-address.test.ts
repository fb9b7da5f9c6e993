import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cacheKey } from "../../../src/domain/address/address-forms.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { repairAddress } from "../../../src/domain/address/repair-address.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"
import { SUITES } from "./suites.ts"

describe("repairAddress", () => {
  it.each([
    ["a@b.com", "a@b.com", []],
    [" a@b.com", "a@b.com", ["whitespace"]],
    ["\t\r\na@b.com\u00a0\u3000", "a@b.com", ["whitespace"]],
    ["\ufeffa@b.com", "a@b.com", ["zero_width"]],
    ["\u200ba@b.com\u200d", "a@b.com", ["zero_width"]],
    ["\u2066a@b.com\u2069", "a@b.com", ["zero_width"]],
    [" \u200b mailto:a@b.com. ", "a@b.com", ["whitespace", "zero_width", "mailto", "trailing_dot"]],
    ["MailTo: a@b.com", "a@b.com", ["mailto"]],
    ["mailto:mailto:a@b.com", "a@b.com", ["mailto"]],
    ["mailto:a@b.com?subject=Hi%20there&body=%40", "a@b.com", ["mailto"]],
    ["mailto:a@b.com.?subject=Hi", "a@b.com", ["mailto", "trailing_dot"]],
    ["a@b.com.", "a@b.com", ["trailing_dot"]],
    ["a@例え.jp。", "a@例え.jp", ["trailing_dot"]],
    ['" a"@b.com', '" a"@b.com', []],
    ["   ", "", ["whitespace"]],
    ["", "", []],
  ])("%j is %j: %j", (input, text, repaired) => {
    expect(repairAddress(input)).toEqual({ text, repaired, start: Math.max(0, text === "" ? 0 : input.indexOf(text)) })
  })

  it.each([
    ["a second dot", "a@b.com.."],
    ["a dot after a space", "a@b.com ."],
    ["a dot of the name", "a.@b.com"],
    ["a dot without a domain", "a@."],
    ["a space inside", "a @b.com"],
    ["a zero-width space inside", "a\u200b@b.com"],
    ["a joiner that a script spells with", "a@b.नक्\u200c"],
    ["a percent-encoded mailto", "mailto:a%2Bnews@b.com"],
    ["mailto with slashes", "mailto://a@b.com"],
    ["mailto with a recipient in its fields", "mailto:?to=a@b.com"],
    ["mailto with a further recipient", "mailto:a@b.com?cc=c"],
    ["a display name", "Ann <a@b.com>"],
    ["quotes", "'a@b.com'"],
  ])("leaves %s", (_, input) => {
    expect(repairAddress(input)).toEqual({ text: input, start: 0, repaired: [] })
  })

  it.each<[what: string, of: (size: number) => string]>([
    ["white space", (size) => `${" ".repeat(size)}a@b.com${"\u00a0".repeat(size)}`],
    ["zero-width characters", (size) => `a@b.com${"\u200b".repeat(size)}`],
    ["joiners", (size) => `a@b.n\u0915${"\u200d".repeat(size)}`],
    ["mailto", (size) => `${"mailto:".repeat(size / 7)}a@b.com`],
    ["fields of mailto", (size) => `mailto:a@b.com?${"subject=a&".repeat(size / 10)}`],
    ["at signs", (size) => `mailto:${"@".repeat(size)}?.`],
    ["dots", (size) => `a@b${".".repeat(size)}`],
  ])("takes linear time for %s", (_, of) => {
    for (const size of [1_900, 1_000_000]) runToTheEnd(() => repairAddress(of(size)))
  })
})

const piece = fc.constantFrom(
  ...[
    " ",
    "\t",
    "\u00a0",
    "\ufeff",
    "\u200b",
    "\u200d",
    "\u200c",
    "mailto:",
    "MAILTO:",
    "@",
    ".",
    "。",
    "?",
    "&",
    "/",
    "%40",
  ],
  ...["subject=", "body=", "cc=", "a", "b.com", "ü", "क", "\u094d", "\ud800", '"', "<", ">", "a@b.com"],
)
const anything = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
)
const wellFormed = fc.constantFrom(
  ...SUITES.flatMap(({ valid }) => valid).filter((text) => repairAddress(text).repaired[0] !== "trailing_dot"),
)
const runs = { numRuns: 5_000 }

describe("repairAddress on any input", () => {
  it("is idempotent, and returns a part of the input", () => {
    fc.assert(
      fc.property(anything, (input) => {
        const { text, start, repaired } = repairAddress(input)
        expect(input.slice(start, start + text.length)).toBe(text)
        expect(repaired.length === 0).toBe(text === input)
        expect(repairAddress(text)).toEqual({ text, start: 0, repaired: [] })
      }),
      runs,
    )
  })

  it("never changes a well-formed address", () => {
    fc.assert(
      fc.property(wellFormed, (address) => {
        expect(repairAddress(address)).toEqual({ text: address, start: 0, repaired: [] })
      }),
    )
    fc.assert(
      fc.property(anything, (input) => {
        const address = parseAddress(input)
        if (address.ok) expect(repairAddress(address.normalized).text).toBe(address.normalized)
      }),
      runs,
    )
  })

  it("leads to the same mailbox, whatever surrounds it", () => {
    const blanks = fc.array(fc.constantFrom(" ", "\n", "\u00a0", "\u200b", "\ufeff", "\u2060"), { maxLength: 4 })
    const dot = fc.constantFrom("", ".", "。")
    const scheme = fc.constantFrom("", "mailto:", "MailTo: ")
    fc.assert(
      fc.property(wellFormed, scheme, dot, blanks, blanks, (address, prefix, end, before, after) => {
        // In a URL these mean something else, and a rooted name has no second dot.
        fc.pre(prefix === "" || !/%[0-9a-f]{2}|^\/|\?/i.test(address))
        fc.pre(end === "" || !/[\u0900-\uffff]$/.test(address))
        const surrounded = `${before.join("")}${prefix}${address}${end}${after.join("")}`
        const [given, meant] = [parseAddress(surrounded), parseAddress(address)]
        fc.pre(meant.ok)
        expect(given.ok && cacheKey(given)).toBe(meant.ok && cacheKey(meant))
      }),
    )
  })
})
