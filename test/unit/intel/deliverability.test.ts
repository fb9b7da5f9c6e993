import { expect, test } from "vitest"
import { cohortOf, traitsOf } from "../../../src/domain/intel/cohort.ts"
import { appraiseDomain } from "../../../src/domain/intel/deliverability.ts"
import type { DomainFacts, KeptFacts } from "../../../src/domain/verdict/evidence.ts"

const facts = (more: object) => ({ domain: "a.test", ...more }) as unknown as DomainFacts
const route = { kind: "mx", hosts: [{ host: "mx.a.test", preference: 10 }] }

test("what could not be looked up is told: it has no points, and nobody would know why", () => {
  const known = { route, spf: { kind: "none" }, dkim: { present: true }, dmarc: null }
  const { reasons } = appraiseDomain(facts(known), 0)
  expect(reasons).toContainEqual({ code: "dmarc_unknown", points: 0, message: expect.any(String), fix: null })
  expect(reasons.map(({ code }) => code).filter((code) => code.endsWith("_unknown"))).toEqual(["dmarc_unknown"])
})

test.each([{ kind: "null_mx" }, { kind: "no_such_domain" }])(
  "of a domain without mail, %j, nothing is looked up",
  (none) => {
    expect(appraiseDomain(facts({ route: none }), 0).reasons).toHaveLength(1)
  },
)

test("MX records that name no host are told as such to the domain's owner: DNS has answered", () => {
  const { score, reasons } = appraiseDomain(facts({ route: { kind: "dns_failure", reason: "unusable" } }), 0)
  expect({ score, reason: reasons[0] }).toMatchObject({ score: 0, reason: { code: "mx_unusable" } })
})

test("a domain of which DNS tells nothing is not like those without a mail host", () => {
  const traits = (kind: string) => traitsOf({ route: { value: { kind } } } as unknown as KeptFacts, 0, 0)
  expect(cohortOf(traits("dns_failure"), [traits("null_mx")])).toMatchObject({ operator: "unknown", domains: 0 })
})
