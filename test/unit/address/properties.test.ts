import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cacheKey } from "../../../src/domain/address/address-forms.ts"
import { parseAddress, parseDomain, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { utf8Length } from "../../../src/domain/address/problem.ts"
import { SUITES } from "./suites.ts"

const KNOWN = SUITES.flatMap(({ valid, repaired, malformed }) => [
  ...valid,
  ...repaired,
  ...Object.values(malformed).flat(),
])

/** Any text, text from pieces of addresses, and known addresses with a single change. */
const piece = fc.oneof(
  fc.constantFrom(
    ...'@.-"\\ []():+_1aZ',
    "xn--",
    "ü",
    "é",
    "e\u0301",
    "日本",
    "。",
    "ß",
    "א",
    "\u200d",
    "\u0958",
    "😀",
    "com",
  ),
  fc.string({ unit: "binary", maxLength: 2 }),
)
const mutated = fc.tuple(fc.constantFrom(...KNOWN), fc.nat(), piece).map(([text, at, change]) => {
  const index = at % (text.length + 1)
  return text.slice(0, index) + change + text.slice(index + (at % 2))
})
const unpaired = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((u) => `${String.fromCharCode(...u)}@x.com`)
const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join("")),
  fc.array(piece, { maxLength: 4 }).map((pieces) => `${pieces.join("")}@example.com`),
  fc.array(piece, { maxLength: 4 }).map((pieces) => `user@${pieces.join("")}.com`),
  mutated,
  unpaired,
)
const runs = { numRuns: 5_000 }

function ifValid(check: (address: ValidAddress) => void): void {
  let seen = 0
  fc.assert(
    fc.property(anything, (input) => {
      const address = parseAddress(input)
      if (!address.ok) return
      seen++
      check(address)
    }),
    runs,
  )
  expect(seen).toBeGreaterThan(200)
}

describe("parseAddress on any input", () => {
  it("never throws, and reports a position in the input and a message", () => {
    fc.assert(
      fc.property(anything, (input) => {
        const address = parseAddress(input)
        if (address.ok) return
        expect(address.input).toBe(input)
        expect(Number.isInteger(address.position)).toBe(true)
        expect(address.position).toBeGreaterThanOrEqual(0)
        expect(address.position).toBeLessThanOrEqual(input.length)
        expect(address.message).not.toBe("")
      }),
      runs,
    )
  })

  it("parses the normalized form to the same result", () => {
    ifValid((address) => expect(parseAddress(address.normalized)).toEqual({ ...address, repaired: [] }))
  })

  it("parses the U-label form to the same domain", () => {
    ifValid(({ domain, domainUnicode, tld }) => {
      expect(parseDomain(domainUnicode)).toEqual({
        ok: true,
        domain,
        domainUnicode,
        tld,
        mixedScript: expect.any(Boolean),
      })
    })
  })

  it("enforces every octet limit", () => {
    const octets = (text: string) => new TextEncoder().encode(text).length
    ifValid(({ local, domain, normalized }) => {
      expect(octets(local)).toBeLessThanOrEqual(64)
      expect(octets(normalized)).toBeLessThanOrEqual(254)
      for (const label of domain.split(".")) expect(label).toMatch(/^(?!-)[a-z0-9-]{1,63}(?<!-)$/)
    })
  })

  it("accepts no character that could break a line, an SMTP command or a display", () => {
    ifValid(({ normalized, domainUnicode }) => {
      expect(normalized).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u200b\u2060\ufeff]/u)
      expect(domainUnicode).not.toMatch(/[\p{Cc}\p{Z}\p{Cs}\p{Bidi_Control}\u200b\u2060\ufeff@]/u)
      expect(normalized.isWellFormed()).toBe(true)
    })
  })

  it("has one key for all letter cases", () => {
    ifValid((address) => {
      const again = parseAddress(cacheKey(address))
      if (again.ok) expect(cacheKey(again)).toBe(cacheKey(address))
    })
  })
})

it("utf8Length equals the length of encoded well-formed text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      fc.pre(text.isWellFormed())
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }),
  )
})
