import { expect, test } from "vitest"
import type { KeptFacts } from "../../../src/domain/verdict/evidence.ts"
import { type FactsOfManyNeeds, factsOfDomains } from "../../../src/services/verification/facts-of-domains.ts"
import { dnsZone } from "../../support/dns-zone.ts"

const MX = [{ host: "mx.example.com", preference: 10 }]
const ZONE = { "slow.example": { MX }, "other.example": { MX } }

/** The outside of a look-up: names whose answers wait until they are let go, and what is kept of each domain. */
function outside(held: readonly string[]) {
  const gates = new Map(held.map((name) => [name, Promise.withResolvers<void>()]))
  const sleepers: (() => void)[] = []
  const late: Promise<unknown>[] = []
  const kept = new Map<string, KeptFacts>()
  const keep = (domain: string, facts: KeptFacts) => void kept.set(domain, { ...kept.get(domain), ...facts })
  const zone = dnsZone(ZONE)
  const needs = {
    clock: { now: () => 0, sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)) },
    dns: {
      resolve: async (name: string, type: "MX") => {
        await gates.get(name)?.promise
        return zone.resolve(name, type)
      },
    },
    log: () => undefined,
    background: (work: Promise<unknown>) => void late.push(work),
    results: { saveFacts: async (domain: string, facts: KeptFacts) => keep(domain, facts) },
    resultLists: {
      factsOf: async () => new Map(),
      saveFactsOf: async (found: ReadonlyMap<string, KeptFacts>) => {
        for (const [domain, facts] of found) keep(domain, facts)
      },
    },
  } as unknown as FactsOfManyNeeds
  return {
    needs,
    late,
    factsOf: (domain: string) => Object.keys(kept.get(domain) ?? {}).sort(),
    letGo: (name: string) => gates.get(name)!.resolve(),
    /** Lets the time pass that an answer waits for. */
    async pass() {
      await expect.poll(() => sleepers.length).toBeGreaterThan(0)
      for (const wake of sleepers.splice(0)) wake()
    },
  }
}

test("a fact that comes after the answer is kept beside those that came in time", async () => {
  const { needs, late, factsOf, letGo, pass } = outside(["_dmarc.slow.example"])
  const asked = factsOfDomains(needs, { domains: ["slow.example"], wallAt: 1 })
  await pass()
  await asked
  expect(factsOf("slow.example")).toEqual(["route", "spf"])
  letGo("_dmarc.slow.example")
  await Promise.all(late)
  expect(factsOf("slow.example")).toEqual(["dmarc", "route", "spf"])
})

test("a fact that comes while other domains are looked up takes the place of no other", async () => {
  const { needs, late, factsOf, letGo, pass } = outside(["_dmarc.slow.example", "other.example"])
  const asked = factsOfDomains(needs, { domains: ["slow.example", "other.example"], wallAt: 1 })
  await pass()
  await expect.poll(() => late.length).toBe(1)
  letGo("_dmarc.slow.example")
  await Promise.all(late)
  letGo("other.example")
  await asked
  expect(factsOf("slow.example")).toEqual(["dmarc", "route", "spf"])
  expect(factsOf("other.example")).toEqual(["dmarc", "route", "spf"])
})
