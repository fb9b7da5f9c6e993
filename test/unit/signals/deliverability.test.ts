import fc from "fast-check"
import { expect, test } from "vitest"
import { assessDomain } from "../../../src/domain/signals/domain-score.ts"
import { cohortOf, domainFeaturesOf } from "../../../src/domain/signals/stored-domains.ts"
import type { DomainFacts, StoredFacts } from "../../../src/domain/verification/evidence.ts"

const facts = (more: object) => ({ domain: "a.test", ...more }) as unknown as DomainFacts
const route = { kind: "mx", hosts: [{ host: "mx.a.test", preference: 10 }] }

const sum = (reasons: readonly { points: number }[]) => reasons.reduce((total, { points }) => total + points, 0)

/** Each fact in every form that counts differently. Null: no answer. Undefined: not looked up. */
const FORMS = {
  spf: [null, { kind: "none" }, { kind: "permerror", problem: "syntax", at: "a.test" }, { kind: "valid", all: "-" }],
  dkim: [null, { present: false }, { present: true }],
  dmarc: [null, { kind: "none" }, { kind: "invalid", problem: "syntax" }, { kind: "record", policy: "reject" }],
  mtaSts: [null, { kind: "none" }, { kind: "invalid" }, { kind: "policy", mode: "enforce" }],
  rbl: [
    null,
    undefined,
    { checked: [], matched: [], notConsulted: [] },
    { checked: [], matched: [], notConsulted: ["zen"] },
    { checked: ["zen"], matched: [], notConsulted: [] },
    { checked: ["a", "b", "c"], matched: ["a", "b", "c"], notConsulted: [] },
  ],
  registration: [
    null,
    { kind: "unknown" },
    { kind: "registered", at: 0 },
    { kind: "registered", at: 999 * 86_400_000 },
  ],
  web: [
    null,
    { site: "none", parkedAt: null },
    { site: "error", parkedAt: null },
    { site: "live", parkedAt: null },
    { site: "live", parkedAt: "sedo" },
  ],
  route: [
    route,
    { kind: "implicit_mx", hosts: [] },
    { kind: "null_mx" },
    { kind: "no_such_domain" },
    { kind: "no_mail_host" },
    { kind: "dns_failure", reason: "timeout" },
    { kind: "dns_failure", reason: "unusable" },
  ],
}

test("the points of the listed signals add up to the score, and every signal is listed once", () => {
  const record = Object.fromEntries(Object.entries(FORMS).map(([name, forms]) => [name, fc.constantFrom(...forms)]))
  fc.assert(
    fc.property(fc.record(record), (found) => {
      const { score, reasons } = assessDomain(facts(found), 1_000 * 86_400_000)
      expect(sum(reasons)).toBe(score ?? 0)
      const listed = reasons.filter(({ code }) => code !== "limit")
      expect(listed).toHaveLength(8)
      for (const { missing, points } of listed) expect(missing === null || points === 0).toBe(true)
      expect(score === null || (score >= 0 && score <= 100)).toBe(true)
    }),
  )
})

test.each([
  ["no answer of DNS", { dmarc: null }, { code: "dmarc_unknown", missing: "no_answer" }],
  ["no record", { dmarc: { kind: "none" } }, { code: "dmarc_missing", missing: "not_published" }],
  ["no blocklist", { rbl: FORMS.rbl[2] }, { code: "rbl_unknown", missing: "not_configured" }],
  ["no answer of a blocklist", { rbl: FORMS.rbl[3] }, { code: "rbl_unknown", missing: "no_answer" }],
  [
    "a registry without dates",
    { registration: { kind: "unknown" } },
    { code: "domain_age_missing", missing: "not_published" },
  ],
  ["no mail host", { route: { kind: "null_mx" } }, { code: "spf_unknown", missing: "not_applicable" }],
])("a signal that is missing because of %s has this reason", (_, found, expected) => {
  const { reasons } = assessDomain(facts({ route, ...found }), 0)
  expect(reasons).toContainEqual(expect.objectContaining({ ...expected, points: 0, message: expect.any(String) }))
})

test.each([
  [
    { spf: { kind: "permerror", problem: "several_records", at: "b.test" } },
    "the SPF record cannot be used: several SPF records at b.test",
  ],
  [{ dmarc: { kind: "invalid", problem: "no_policy" } }, "the DMARC record cannot be used: no policy"],
])("the problem of %j is in words", (found, message) => {
  const { reasons } = assessDomain(facts({ route, ...found }), 0)
  expect(reasons).toContainEqual(expect.objectContaining({ points: 0, message }))
})

test("a score above 100 is limited, and the limit is listed", () => {
  const best = Object.fromEntries(Object.entries(FORMS).map(([name, forms]) => [name, forms.at(-1)]))
  const found = { ...best, route, web: FORMS.web[3], rbl: FORMS.rbl[4], registration: FORMS.registration[2] }
  const { score, reasons } = assessDomain(facts(found), 1_000 * 86_400_000)
  expect(score).toBe(100)
  expect(reasons.at(-1)).toMatchObject({ code: "limit", points: -3 })
})

test("MX records that name no host are reported, because DNS has answered", () => {
  const { score, reasons } = assessDomain(facts({ route: { kind: "dns_failure", reason: "unusable" } }), 0)
  expect({ score, reason: reasons[0] }).toMatchObject({ score: 0, reason: { code: "mx_unusable" } })
})

test("a domain with a DNS failure is not similar to domains without a mail host", () => {
  const traits = (kind: string) => domainFeaturesOf({ route: { value: { kind } } } as unknown as StoredFacts, 0, 0)
  expect(cohortOf(traits("dns_failure"), [traits("null_mx")])).toMatchObject({ operator: "unknown", domains: 0 })
})
