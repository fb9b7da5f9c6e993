import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { guessDomains, isSiteOf, readCompanyDomain } from "../../../src/domain/finder/company-domain.ts"
import {
  countFormats,
  formatsAt,
  type LearnedSample,
  type SampleSource,
} from "../../../src/domain/finder/domain-formats.ts"
import { FORMATS, inferFormats, render } from "../../../src/domain/finder/formats.ts"
import { spellingsOf } from "../../../src/domain/finder/name-variants.ts"
import { readName } from "../../../src/domain/finder/person-name.ts"
import { type CompanySize, priorOf } from "../../../src/domain/finder/possible-companies.ts"
import { wilson } from "../../../src/domain/wilson.ts"

const NOW = Date.UTC(2026, 10, 21)
const YEAR = 365 * 24 * 3_600_000

test("no format gives an empty or malformed local part", () => {
  expect(FORMATS.length).toBeGreaterThanOrEqual(30)
  const name = fc.string({ unit: "grapheme", maxLength: 20 })
  fc.assert(
    fc.property(name, name, (first, last) => {
      const { name } = readName(first, last)
      if (!name) return
      const spellings = spellingsOf(name, { spellsUmlautsOut: false })
      if (spellings.some((one) => one.first.length === 0 || one.last.length === 0)) return
      for (const format of FORMATS)
        for (const { local } of render(format, spellings)) expect(local).toMatch(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/)
    }),
    { numRuns: 60 },
  )
})

describe("the format of one address", () => {
  test.each([
    ["jane.doe", "{first}.{last}"],
    ["garcia.maria", "{last}.{first}"],
    ["wang.li", "{last}.{first}"],
    ["j.smith", "{f}.{last}"],
    ["mkowalski", "{f}{last}"],
    ["johnsmith", "{first}{last}"],
    ["anna", "{first}"],
    ["k-tanaka", "{f}-{last}"],
    ["jane.q.doe", "{first}.{m}.{last}"],
    ["jane.doe+news", "{first}.{last}"],
    ["jane.doe2", "{first}.{last}"],
  ])("%s: %s", (localPart, format) => {
    const [best] = [...inferFormats({ localPart })].toSorted(([, a], [, b]) => b - a)
    expect(best?.[0]).toBe(format)
  })

  test.each(["info", "sales", "no-reply", "", "x9q7-22"])("%j has no format", (localPart) => {
    expect(inferFormats({ localPart }).size).toBe(0)
  })

  test("shares add up to at most one", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,9}[._-]?[a-z]{0,9}\d?$/), (localPart) => {
        const total = [...inferFormats({ localPart }).values()].reduce((sum, share) => sum + share, 0)
        expect(total).toBeLessThanOrEqual(1.000_001)
      }),
    )
  })
})

describe("counting", () => {
  const sample = (
    localPart: string,
    { source = "verified", age = 0 }: { source?: SampleSource; age?: number } = {},
  ): LearnedSample => ({
    shares: inferFormats({ localPart }),
    source,
    learnedAt: NOW - age,
  })
  const ofSize = (size: CompanySize) => [{ people: 100, size, probability: 1 }]
  const count = (samples: LearnedSample[]) =>
    countFormats(samples, { now: NOW, sizes: ofSize("medium"), country: null })

  test("more evidence raises the confidence and narrows the interval", () => {
    const people = ["anna.rossi", "john.smith", "laura.weber", "peter.novak", "maria.silva", "paul.meyer", "lisa.kelly"]
    const [few, many] = [people.slice(0, 2), people].map(
      (names) => count(names.map((name) => sample(name))).formats[0]!,
    )
    expect([few!.format, many!.format]).toEqual(["{first}.{last}", "{first}.{last}"])
    expect(many!.confidence).toBeGreaterThan(few!.confidence)
    expect(many!.interval.low).toBeGreaterThan(few!.interval.low)
  })

  test("newer addresses outweigh older ones, and confirmed ones outweigh listed ones", () => {
    const old = { age: 6 * YEAR }
    expect(count([sample("anna.rossi", old), sample("john.smith", old), sample("lweber")]).formats[0]!.format).toBe(
      "{f}{last}",
    )
    const listed = { source: "uploaded" } as const
    expect(count([sample("anna.rossi", listed), sample("lweber")]).formats[0]!.format).toBe("{f}{last}")
  })

  test("more addresses bring the confidence nearer to their share", () => {
    const formats = fc.constantFrom("anna.rossi", "lweber", "paul", "smith_j")
    fc.assert(
      fc.property(fc.array(formats, { minLength: 1, maxLength: 40 }), (locals) => {
        const { formats, sampleWeight } = count(locals.map((local) => sample(local)))
        for (const { confidence, weight } of formats)
          expect(Math.abs(confidence - weight / sampleWeight)).toBeLessThanOrEqual(4 / (sampleWeight + 4) + 1e-9)
      }),
    )
    const uniform = [1, 2, 4, 8, 16, 32].map((times) => {
      const same = Array.from({ length: times }, () => sample("anna.rossi"))
      return count(same).formats.find(({ format }) => format === "{first}.{last}")!.confidence
    })
    expect(uniform).toEqual(uniform.toSorted((a, b) => a - b))
  })

  test("common formats decide between the possible formats of an address", () => {
    const shares = inferFormats({ localPart: "bob" })
    const [best] = [...shares].toSorted(([, a], [, b]) => b - a)
    expect(best![0]).toBe("{first}{l}")
    const common = priorOf("medium", null)
    const found = formatsAt(shares, common)
    expect(found[0]![0]).toBe("{first}")
    expect(found.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(1)
    expect(formatsAt(new Map(), common)).toEqual([])
  })

  test("without samples the prior applies, and it adds up to one", () => {
    expect(countFormats([], { now: NOW, sizes: ofSize("small"), country: null }).formats[0]!.format).toBe("{first}")
    expect(countFormats([], { now: NOW, sizes: ofSize("large"), country: null }).formats[0]!.format).toBe(
      "{first}.{last}",
    )
    expect(countFormats([], { now: NOW, sizes: ofSize("large"), country: "hu" }).formats[0]!.format).toBe(
      "{first}.{last}",
    )
    for (const country of [null, "de", "jp"])
      expect([...priorOf("medium", country).values()].reduce((sum, share) => sum + share)).toBeCloseTo(1)
  })

  test("the Wilson interval equals published values", () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
    expect(wilson(5, 5).low).toBeCloseTo(0.5655, 3)
    expect(wilson(8, 10).low).toBeCloseTo(0.4902, 3)
    expect(wilson(8, 10).high).toBeCloseTo(0.9433, 3)
  })
})

describe("a company's domain from input", () => {
  test.each([
    ["https://www.company.test/about?x#y", "company.test"],
    ["WWW.Company.TEST", "company.test"],
    ["company.test:8080", "company.test"],
    ["jane@company.test", "company.test"],
    ["bücher.test", "xn--bcher-kva.test"],
    ["www.test", "www.test"],
  ])("%s", (input, domain) => {
    expect(readCompanyDomain(input)).toMatchObject({ ok: true, domain })
  })

  test.each(["", "a b.test", "-x.test", "a..test", "http://", "javascript:alert(1)"])("%j is not a domain", (input) => {
    const parsed = readCompanyDomain(input)
    expect(parsed.ok && parsed.domain.includes(".")).toBe(false)
  })

  test("is guessed from a name and confirmed by the site's title", () => {
    expect(guessDomains("Acme Widgets, Inc.").slice(0, 2)).toEqual(["acmewidgets.com", "acme-widgets.com"])
    expect(guessDomains("stripe.com")).toEqual(["stripe.com"])
    expect(isSiteOf("<title>Acme Widgets – Home</title>", "ACME Widgets Ltd")).toBe(true)
    expect(isSiteOf("<title>This domain is for sale</title>", "Acme")).toBe(false)
  })
})
