import { expect, test } from "vitest"
import type { AnswerWrite } from "../../../src/adapters/store/verification/answer-writes.ts"
import type { StoredFacts } from "../../../src/domain/verification/evidence.ts"
import { factsOfDomains } from "../../../src/services/verification/facts.ts"
import { testContext } from "../../support/deps/context.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const MX = [{ host: "mx.example.com", preference: 10 }]
const ZONE = { "slow.example": { MX }, "other.example": { MX } }

/** A lookup with names whose answers wait for `release`, and the stored facts by domain. */
function outside(held: readonly string[]) {
  const keyLimiters = new Map(held.map((name) => [name, Promise.withResolvers<void>()]))
  const sleepers: (() => void)[] = []
  const late: Promise<unknown>[] = []
  const stored = new Map<string, StoredFacts>()
  const store = (domain: string, facts: StoredFacts) => void stored.set(domain, { ...stored.get(domain), ...facts })
  const zone = dnsZone(ZONE)
  const ctx = testContext({
    clock: { now: () => 0, sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)) },
    dns: {
      resolve: async (name: string, type: "MX") => {
        await keyLimiters.get(name)?.promise
        return zone.resolve(name, type)
      },
    },
    log: () => undefined,
    background: (work: Promise<unknown>) => void late.push(work),
    digests: { candidates: async (_: string, text: string) => [text] },
    writeBehind: {
      async add({ facts }: AnswerWrite) {
        if (facts) store(facts.domain, facts.found)
        return "stored"
      },
    },
    store: {
      resultLists: {
        factsOf: async () => new Map(),
        saveFactsOf: async (found: ReadonlyMap<string, StoredFacts>) => {
          for (const [domain, facts] of found) store(domain, facts)
        },
      },
    },
  })
  return {
    ctx,
    late,
    factsOf: (domain: string) => Object.keys(stored.get(domain) ?? {}).sort(),
    release: (name: string) => keyLimiters.get(name)!.resolve(),
    /** Passes the time that an answer waits. */
    async pass() {
      await expect.poll(() => sleepers.length).toBeGreaterThan(0)
      for (const wake of sleepers.splice(0)) wake()
    },
  }
}

test("a fact that arrives after the answer is stored with the earlier ones", async () => {
  const { ctx, late, factsOf, release, pass } = outside(["_dmarc.slow.example"])
  const asked = factsOfDomains(ctx, { domains: ["slow.example"], deadlineAt: 1 })
  await pass()
  await asked
  expect(factsOf("slow.example")).toEqual(["route", "spf"])
  release("_dmarc.slow.example")
  await Promise.all(late)
  expect(factsOf("slow.example")).toEqual(["dmarc", "route", "spf"])
})

test("a fact that arrives during the lookup of another domain replaces none of that domain's facts", async () => {
  const { ctx, late, factsOf, release, pass } = outside(["_dmarc.slow.example", "other.example"])
  const asked = factsOfDomains(ctx, { domains: ["slow.example", "other.example"], deadlineAt: 1 })
  await pass()
  await expect.poll(() => late.length).toBe(2)
  release("_dmarc.slow.example")
  await Promise.all(late)
  release("other.example")
  await asked
  expect(factsOf("slow.example")).toEqual(["dmarc", "route", "spf"])
  expect(factsOf("other.example")).toEqual(["dmarc", "route", "spf"])
})
