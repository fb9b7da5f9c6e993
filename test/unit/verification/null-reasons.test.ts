import fc from "fast-check"
import { expect, test } from "vitest"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { completeCached, presentCached } from "../../../src/domain/verification/cached-checks.ts"
import { presentChecks } from "../../../src/domain/verification/checks.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import type { Verification } from "../../../src/domain/verification/verification.ts"
import {
  presentDeliverability,
  presentEnrichment,
  presentExplanation,
} from "../../../src/routes/verification/present-deliverability.ts"
import { presentSummary } from "../../../src/routes/verification/present-summary.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { nullsWithoutReason } from "../../support/deps/null-fields.ts"

const LIVE = { site: "live", httpStatus: 200, https: true, parkedAt: null } as const
const AGED = { kind: "registered", at: NOW - 86_400_000 * 10 } as const
const GONE = { kind: "no_such_domain" } as const
const UNANSWERED = { found: null, checkedAt: NOW }

type Row = [string, string, Partial<Evidence>, Partial<Verification>, Record<string, unknown>, Record<string, string>]

const NOT_ASKED = {
  gravatar: "not_requested",
  web_presence: "not_requested",
  breach_found: "not_requested",
  breach_count: "not_requested",
  ml_score: "not_requested",
  domain_age_days: "not_requested",
}
const all = (reason: string) => Object.fromEntries(Object.keys(NOT_ASKED).map((name) => [name, reason]))
const MALFORMED = { ...all("not_applicable"), mx_kind: "not_applicable", tld_exists: "not_applicable" }

test.each<Row>([
  ["nothing requested", "ann@example.org", { domain: domainFacts() }, {}, {}, NOT_ASKED],
  [
    "everything found",
    "ann@example.org",
    {
      domain: domainFacts({ web: LIVE, registration: AGED }),
      gravatar: { found: true, checkedAt: NOW },
    },
    {
      breach: { found: true, count: 2 },
      prediction: { version: 0, probability: 0.5, bias: 0, contributions: [] },
    },
    { gravatar: true, web_presence: "live", breach_found: true, breach_count: 2, ml_score: 0.5, domain_age_days: 10 },
    {},
  ],
  [
    "nothing found",
    "ann@example.org",
    {
      domain: domainFacts({ web: { ...LIVE, site: "none" }, registration: { kind: "unknown" } }),
      gravatar: { found: false, checkedAt: NOW },
    },
    { breach: { found: false, count: 0 } },
    { gravatar: false, web_presence: "none", breach_found: false, breach_count: 0, domain_age_days: null },
    { domain_age_days: "no_answer", ml_score: "not_requested" },
  ],
  [
    "parked",
    "ann@example.org",
    { domain: domainFacts({ web: { ...LIVE, parkedAt: "sedo" } }) },
    {},
    { web_presence: "parked" },
    Object.fromEntries(Object.entries(NOT_ASKED).filter(([name]) => name !== "web_presence")),
  ],
  [
    "no answer",
    "ann@example.org",
    { domain: domainFacts({ web: null, registration: null }), gravatar: UNANSWERED },
    { breach: "no_answer" },
    { gravatar: null, web_presence: null, breach_found: null, breach_count: null, domain_age_days: null },
    { ...all("no_answer"), ml_score: "not_requested" },
  ],
  [
    "no services",
    "ann@example.org",
    {
      domain: domainFacts({ web: LIVE, registration: null }),
      gravatar: UNANSWERED,
      notConfigured: ["gravatar", "registration"],
    },
    { breach: "not_configured" },
    { gravatar: null },
    {
      gravatar: "not_configured",
      breach_found: "not_configured",
      breach_count: "not_configured",
      domain_age_days: "not_configured",
      ml_score: "not_requested",
    },
  ],
  [
    "checks that are off, without their services",
    "ann@example.org",
    { domain: domainFacts(), notConfigured: ["gravatar", "registration"] },
    {},
    {},
    NOT_ASKED,
  ],
  [
    "no such domain",
    "ann@example.org",
    { domain: domainFacts({ route: GONE, registration: { kind: "unknown" }, web: { ...LIVE, site: "none" } }) },
    {},
    { web_presence: "none" },
    {
      gravatar: "not_requested",
      breach_found: "not_requested",
      breach_count: "not_requested",
      ml_score: "not_requested",
      domain_age_days: "not_applicable",
    },
  ],
  [
    "no DNS before the deadline",
    "ann@example.org",
    { probeProblem: "deadline", gravatar: UNANSWERED },
    { breach: "no_answer" },
    {},
    { ...all("no_answer"), ml_score: "not_requested", mx_kind: "no_answer" },
  ],
  ["malformed", "a..b@example.org", {}, { breach: "no_answer" }, {}, MALFORMED],
])("%s", (_, email, evidence, more, found, reasons) => {
  const verification = { ...verificationOf(email, evidence), ...more }
  const checks = presentChecks(verification)
  expect(checks).toMatchObject(found)
  expect(checks.null_reasons).toEqual(reasons)
  const { gravatar, web_presence, null_reasons } = presentDeliverability(verification)
  expect({ gravatar, web_presence }).toEqual({ gravatar: checks.gravatar, web_presence: checks.web_presence })
  for (const name of ["gravatar", "web_presence"]) expect(null_reasons[name]).toBe(reasons[name])
})

test("an address that was not probed has no sub_status", () => {
  const unprobed = presentDeliverability(verificationOf("ann@example.org", { domain: domainFacts() }))
  expect(unprobed).toMatchObject({ sub_status: null, null_reasons: { sub_status: "not_requested" } })
})

const evidence = fc.record({
  email: fc.constantFrom("ann@example.org", "info@example.org", "a..b@example.org"),
  route: fc.constantFrom({ kind: "null_mx" } as const, GONE, domainFacts().route, null),
  mailbox: fc.constantFrom(null, mailbox(rcpt(250, "Ok"), rcpt(250, "Ok")), mailbox(rcpt(451, "later"))),
  web: fc.constantFrom(undefined, null, LIVE),
  registration: fc.constantFrom(undefined, null, AGED, { kind: "unknown" } as const),
  gravatar: fc.constantFrom(undefined, UNANSWERED, { found: false, checkedAt: NOW }),
  notConfigured: fc.constantFrom(undefined, ["gravatar"] as const, ["gravatar", "registration"] as const),
  breach: fc.constantFrom(undefined, "no_answer", "not_configured", { found: true, count: 1 }),
  activityScore: fc.constantFrom(undefined, null, 40),
})

test("every null field of an answer has a reason, and only null fields have one", () => {
  fc.assert(
    fc.property(evidence, ({ email, route, mailbox, web, registration, breach, activityScore, ...optional }) => {
      const facts = { ...(web !== undefined ? { web } : {}), ...(registration !== undefined ? { registration } : {}) }
      const { gravatar, notConfigured } = optional
      const verification: Verification = {
        ...verificationOf(email, {
          mailbox,
          domain: route && domainFacts({ route, ...facts }),
          ...(gravatar ? { gravatar } : {}),
          ...(notConfigured ? { notConfigured } : {}),
        }),
        ...(breach !== undefined ? { breach: breach as Verification["breach"] & object } : {}),
        ...(activityScore !== undefined ? { activityScore } : {}),
      }
      const answers = {
        full: presentDeliverability(verification),
        summary: presentSummary(verification),
        enrichment: presentEnrichment(verification),
        explanation: presentExplanation(verification, NOW),
      }
      expect(nullsWithoutReason(answers)).toEqual([])
      const { address } = verification.evidence
      if (!address.ok) return
      const fast = JSON.parse(completeCached(presentCached(verification), address, NO_ACCOUNT_FLAGS))
      expect(nullsWithoutReason(fast)).toEqual([])
      const neutral = { ...verification, cached: true, breach: undefined } as unknown as Verification
      expect(fast.checks).toEqual({ ...presentChecks(neutral), cached: true })
    }),
  )
})
