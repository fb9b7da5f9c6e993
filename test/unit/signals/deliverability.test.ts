import { expect, test } from "vitest"
import { cohortOf, domainFeaturesOf } from "../../../src/domain/learning/cohort.ts"
import { assessDomain } from "../../../src/domain/verdict/deliverability.ts"
import type { DomainFacts, StoredFacts } from "../../../src/domain/verdict/evidence.ts"

const facts = (more: object) => ({ domain: "a.test", ...more }) as unknown as DomainFacts
const route = { kind: "mx", hosts: [{ host: "mx.a.test", preference: 10 }] }

test("a fact without a DNS answer is reported with zero points", () => {
  const known = { route, spf: { kind: "none" }, dkim: { present: true }, dmarc: null }
  const { reasons } = assessDomain(facts(known), 0)
  expect(reasons).toContainEqual({ code: "dmarc_unknown", points: 0, message: expect.any(String), fix: null })
  expect(reasons.map(({ code }) => code).filter((code) => code.endsWith("_unknown"))).toEqual(["dmarc_unknown"])
})

test.each([{ kind: "null_mx" }, { kind: "no_such_domain" }])(
  "a domain without mail, %j, has only the reason for that",
  (none) => {
    expect(assessDomain(facts({ route: none }), 0).reasons).toHaveLength(1)
  },
)

test("MX records that name no host are reported, because DNS has answered", () => {
  const { score, reasons } = assessDomain(facts({ route: { kind: "dns_failure", reason: "unusable" } }), 0)
  expect({ score, reason: reasons[0] }).toMatchObject({ score: 0, reason: { code: "mx_unusable" } })
})

test("a domain with a DNS failure is not similar to domains without a mail host", () => {
  const traits = (kind: string) => domainFeaturesOf({ route: { value: { kind } } } as unknown as StoredFacts, 0, 0)
  expect(cohortOf(traits("dns_failure"), [traits("null_mx")])).toMatchObject({ operator: "unknown", domains: 0 })
})
