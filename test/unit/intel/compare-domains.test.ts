import { expect, test } from "vitest"
import type { KeptFacts } from "../../../src/domain/verdict/evidence.ts"
import { type CompareNeeds, listCohorts } from "../../../src/services/signals/compare-domains.ts"

const fact = (value: unknown) => ({ value, checkedAt: 0, expiresAt: 0 })
const known = (domain: string, host: string) => {
  const route = { kind: "mx", hosts: [{ host, preference: 10 }] }
  return { domain, addresses: 0, facts: { route: fact(route), spf: fact({ kind: "none" }) } as unknown as KeptFacts }
}

test("the subdomains of one domain count once: whoever has one has names without end", async () => {
  const domains = [
    ...Array.from({ length: 50 }, (_, n) => known(`n${n}.wildcard.com`, "mx.wildcard.com")),
    known("example.com", "aspmx.l.google.com"),
    known("example.org", "aspmx.l.google.com"),
  ]
  const needs = { domainKinds: { latest: async () => domains }, clock: { now: () => 0 } } as unknown as CompareNeeds
  const { compared, cohorts } = await listCohorts(needs)
  expect(compared).toBe(3)
  expect(cohorts.map(({ operator, domains }) => [operator, domains])).toEqual([
    ["google", 2],
    ["other", 1],
  ])
})
