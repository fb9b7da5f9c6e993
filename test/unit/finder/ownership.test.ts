import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { mulberry32 } from "../../../scripts/bench/sim/fleet-world.ts"
import {
  assessCandidates,
  type Candidate,
  type Finding,
  type MailboxSigns,
  NO_SIGNS,
  NOT_PROBED,
  ownershipOf,
  rankCandidates,
} from "../../../src/domain/finder/candidates.ts"
import { countFormats, type DomainFormats } from "../../../src/domain/finder/domain-formats.ts"
import { inferFormats } from "../../../src/domain/finder/formats.ts"
import { spellingsOf } from "../../../src/domain/finder/name-variants.ts"
import { readName } from "../../../src/domain/finder/person-name.ts"
import { type PossibleCompany, possibleSizes } from "../../../src/domain/finder/possible-companies.ts"
import { pick, simulateCompany } from "./simulated-companies.ts"

const NOW = Date.UTC(2026, 10, 21)
const PROBED = 8
const FIRST_NAMES = ["bob", "carol", "frank"]
const FULL_NAMES = ["laura.fernandez", "peter.kowalski", "hannah.weiss"]

function domainOf(known: readonly string[], people?: number): DomainFormats {
  const samples = known.flatMap((localPart) => {
    const shares = inferFormats({ localPart })
    return shares.size > 0 ? [{ shares, source: "verified" as const, learnedAt: NOW }] : []
  })
  const size = people === undefined || people >= 1_000 ? "large" : people >= 50 ? "medium" : "small"
  const sizes =
    people === undefined ? possibleSizes(samples.length, undefined) : [{ people, size, probability: 1 } as const]
  return countFormats(samples, { now: NOW, sizes, country: null })
}

/** Assesses a person at a domain. `mailboxes` null: the domain accepts every address. */
function find(first: string, last: string, domain: DomainFormats, mailboxes: { has(local: string): boolean } | null) {
  const candidates = rankCandidates(spellingsOf(readName(first, last).name!, { spellsUmlautsOut: false }), domain)
  const findings = candidates.map(({ localPart }, at): Finding => {
    if (mailboxes === null || at >= PROBED) return NOT_PROBED
    const isVerified = mailboxes.has(localPart)
    return { smtpStatus: isVerified ? "accepted" : "rejected", isVerified, isMissing: !isVerified, hasGravatar: null }
  })
  return assessCandidates(candidates, { findings, domain, people: 100 })
}

describe("the confidence is how likely the mailbox is the person's", () => {
  test.each([
    // A first name alone, at a company about which nothing is known.
    ["Alice Smith", [], undefined, ["alice"], "alice", 0.4, 0.75],
    ["Alice Müller", [], undefined, ["alice"], "alice", 0.4, 0.75],
    ["Alice Zuckerbaum", [], undefined, ["alice"], "alice", 0.4, 0.75],
    // The full name decides where both exist.
    ["Alice Zuckerbaum", [], undefined, ["alice", "alice.zuckerbaum"], "alice.zuckerbaum", 0.95, 0.98],
    ["Alice Smith", [], undefined, ["alice", "alice.smith"], "alice.smith", 0.85, 0.97],
    // The size of the company.
    ["Alice Smith", FIRST_NAMES, 4, ["alice"], "alice", 0.95, 0.98],
    ["Alice Smith", FIRST_NAMES, 100, ["alice"], "alice", 0.7, 0.9],
    ["Alice Smith", FIRST_NAMES, 1_000, ["alice"], "alice", 0.15, 0.4],
    ["Alice Smith", FIRST_NAMES, 5_000, ["alice"], "alice", 0, 0.1],
    // A first name at a company that writes full names.
    ["Alice Smith", FULL_NAMES, undefined, ["alice"], "alice", 0, 0.4],
    // A rare full name and the most common one, in the known format.
    ["Zoe Quist", FULL_NAMES, undefined, ["zoe.quist"], "zoe.quist", 0.95, 0.98],
    ["James Smith", FULL_NAMES, undefined, ["james.smith"], "james.smith", 0.6, 0.9],
    // Initials are shared by many.
    ["James Smith", ["pkowalski", "lfernandez", "hweiss"], 5_000, ["jsmith"], "jsmith", 0, 0.4],
  ] as const)("%s, known %j, %s people, mailboxes %j", (name, known, people, mailboxes, best, low, high) => {
    const [first, last] = name.split(" ") as [string, string]
    const found = find(first, last, domainOf(known, people), new Set<string>(mailboxes))[0]!
    expect(found.localPart).toBe(best)
    expect(found.confidence).toBeGreaterThanOrEqual(low)
    expect(found.confidence).toBeLessThanOrEqual(high)
    expect(found.basis.exists).toBe(true)
  })

  test("three people of one first name have different confidences", () => {
    const confidences = ["Smith", "Müller", "Zuckerbaum"].map((last) =>
      find("Alice", last, domainOf([]), new Set(["alice"]))[0]!.confidence.toFixed(3),
    )
    expect(new Set(confidences).size).toBe(3)
  })

  test("a catch-all leaves the format and the namesakes", () => {
    const rare = find("Zoe", "Quist", domainOf(FULL_NAMES), null)[0]!
    expect(rare).toMatchObject({ localPart: "zoe.quist", isVerified: false, basis: { exists: null } })
    expect(rare.confidence).toBeGreaterThan(0.5)
    expect(rare.confidence).toBeLessThanOrEqual(0.6)
  })
})

describe("properties", () => {
  const share = fc.double({ min: 0.01, max: 0.98, noNaN: true })
  const commonness = fc.double({ min: 0, max: 0.02, noNaN: true })
  const people = fc.integer({ min: 1, max: 20_000 })
  const signs = fc.record({
    exists: fc.constantFrom(true, null),
    hasGravatar: fc.constantFrom(true, false, null),
  })
  const company = (people: number, share: number): PossibleCompany => ({ people, probability: 1, shareOf: () => share })
  const candidate = (commonness: number): Candidate => ({
    localPart: "a",
    ways: [{ format: "{first}", spelling: 1, commonness }],
  })
  const owned = (commonness: number, sign: MailboxSigns, one: PossibleCompany) =>
    ownershipOf([candidate(commonness)], { signs: [sign], companies: [one] })[0]!
  const ascending = (a: number, b: number) => [Math.min(a, b), Math.max(a, b)] as const

  test("a rarer name never lowers the confidence", () => {
    fc.assert(
      fc.property(commonness, commonness, people, share, signs, (a, b, people, share, sign) => {
        const [rare, common] = ascending(a, b)
        const one = company(people, share)
        expect(owned(rare, sign, one)).toBeGreaterThanOrEqual(owned(common, sign, one) - 1e-9)
      }),
    )
  })

  test("a larger company never raises the confidence", () => {
    fc.assert(
      fc.property(people, people, commonness, share, signs, (a, b, commonness, share, sign) => {
        const [small, large] = ascending(a, b)
        const [atSmall, atLarge] = [small, large].map((people) => owned(commonness, sign, company(people, share)))
        expect(atSmall).toBeGreaterThanOrEqual(atLarge! - 1e-9)
      }),
    )
  })

  test("a mailbox that exists is never less likely the person's than one that is unknown", () => {
    fc.assert(
      fc.property(commonness, people, share, (commonness, people, share) => {
        const one = company(people, share)
        const known = owned(commonness, { ...NO_SIGNS, exists: true }, one)
        expect(known).toBeGreaterThanOrEqual(owned(commonness, NO_SIGNS, one) - 1e-9)
      }),
    )
  })

  test("a missing mailbox is nobody's, and the candidates share at most one person", () => {
    const name = fc.constantFrom("Alice", "James", "Zoe", "Smith", "Quist", "Müller", "Nguyen")
    const known = fc.subarray([...FIRST_NAMES, ...FULL_NAMES])
    fc.assert(
      fc.property(name, name, known, fc.func(fc.boolean()), (first, last, known, has) => {
        const found = find(first, last, domainOf(known), { has })
        expect(found.reduce((sum, { confidence }) => sum + confidence, 0)).toBeLessThanOrEqual(1 + 1e-9)
        for (const { confidence, basis } of found) if (basis.exists === false) expect(confidence).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  test("a Gravatar behind a catch-all raises the confidence, its absence hardly lowers it", () => {
    const one = company(100, 0.8)
    const [found, missing, unknown] = [true, false, null].map((hasGravatar) =>
      owned(0.002, { exists: null, hasGravatar }, one),
    )
    expect(found).toBeGreaterThan(unknown!)
    expect(missing).toBeLessThan(unknown!)
    expect(missing).toBeGreaterThan(unknown! - 0.05)
  })
})

describe("at simulated companies the confidence is the share of people who own the mailbox", () => {
  const BINS = 5
  const bins = Array.from({ length: BINS }, () => ({ count: 0, confidence: 0, owned: 0 }))

  beforeAll(() => {
    const random = mulberry32(20261121)
    for (let n = 0; n < 400; n++) {
      const { owners, staff, outsider } = simulateCompany(random)
      const locals = [...owners.keys()]
      const known = Array.from({ length: pick(random, [0, 0, 1, 2, 5, 20]) }, () => pick(random, locals))
      const domain = domainOf([...new Set(known)])
      for (let asked = 0; asked < 4; asked++) {
        const person = random() < 0.6 ? pick(random, staff) : outsider()
        const best = find(person.first, person.last, domain, random() < 0.7 ? owners : null)[0]!
        const bin = bins[Math.min(BINS - 1, Math.floor(best.confidence * BINS))]!
        bin.count++
        bin.confidence += best.confidence
        if (owners.get(best.localPart) === person) bin.owned++
      }
    }
  })

  test.each([0, 1, 2, 3, 4])("bin %i of five", (at) => {
    const { count, confidence, owned } = bins[at]!
    expect(count).toBeGreaterThan(60)
    expect(Math.abs(confidence - owned) / count).toBeLessThan(0.1)
  })
})
