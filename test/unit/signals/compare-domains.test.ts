import { expect, test } from "vitest"
import { domainFeaturesOf } from "../../../src/domain/signals/stored-domains.ts"
import type { StoredFacts } from "../../../src/domain/verification/evidence.ts"
import { listCohorts } from "../../../src/services/signals/describe-domain.ts"
import { testContext } from "../../support/deps/context.ts"

const fact = (value: unknown) => ({ value, checkedAt: 0, expiresAt: 0 })
const known = (domain: string, host: string) => {
  const route = { kind: "mx", hosts: [{ host, preference: 10 }] }
  return { domain, addresses: 0, facts: { route: fact(route), spf: fact({ kind: "none" }) } as unknown as StoredFacts }
}

test("a domain without consulted blocklists is neither listed nor clear", () => {
  const listed = (checked: string[], matched: string[]) =>
    domainFeaturesOf({ rbl: fact({ checked, matched, notConsulted: [] }) } as unknown as StoredFacts, 0, 0).isListed
  expect([listed([], []), listed(["rbl.test"], []), listed(["rbl.test"], ["rbl.test"])]).toEqual([null, false, true])
})

test("the subdomains of a registrable domain count once, because an owner can create any number", async () => {
  const domains = [
    ...Array.from({ length: 50 }, (_, n) => known(`n${n}.wildcard.com`, "mx.wildcard.com")),
    known("example.com", "aspmx.l.google.com"),
    known("example.org", "aspmx.l.google.com"),
  ]
  const ctx = testContext({ clock: { now: () => 0 }, store: { domainKinds: { latest: async () => domains } } })
  const { compared, cohorts } = await listCohorts(ctx)
  expect(compared).toBe(3)
  expect(cohorts.map(({ operator, domains }) => [operator, domains])).toEqual([
    ["google", 2],
    ["other", 1],
  ])
})
