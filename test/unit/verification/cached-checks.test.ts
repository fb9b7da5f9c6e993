import fc from "fast-check"
import { expect, test } from "vitest"
import type { ValidAddress } from "../../../src/domain/address/parse.ts"
import { completeCached, presentCached } from "../../../src/domain/verification/cached-checks.ts"
import { presentChecks } from "../../../src/domain/verification/checks.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const accepted = rcpt(250, "Ok")
const missing = rcpt(550, "5.1.1 no such user")
const MAILBOXES = [
  mailbox(accepted, missing),
  mailbox(accepted, accepted),
  mailbox(accepted),
  mailbox(missing),
  mailbox(rcpt(451, "try later")),
  mailbox(rcpt(552, "5.2.2 mailbox full")),
  null,
]
/** Known, unanswered and missing facts: each has another null field or another reason in `null_reasons`. */
const domain = fc.constantFrom(
  domainFacts(),
  domainFacts({ web: null, registration: null }),
  domainFacts({ web: null, registration: { kind: "unknown" }, rbl: null }),
  domainFacts({ route: { kind: "null_mx" } }),
  domainFacts({ route: { kind: "no_such_domain" }, registration: null }),
  domainFacts({ route: { kind: "dns_failure", reason: "servfail" } }),
  null,
)
const unanswered = fc.constantFrom<Partial<Evidence>>(
  {},
  { gravatar: { found: null, checkedAt: NOW } },
  { gravatar: { found: null, checkedAt: NOW }, notConfigured: ["gravatar", "registration"] },
)
const flags = fc.record({
  isSuppressed: fc.boolean(),
  isReceived: fc.boolean(),
  hasBounced: fc.boolean(),
  hasComplained: fc.boolean(),
})

test("checks at the edge are completed as a verification is judged, for any account", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("ann@example.org", "info@example.org", "bob@mailinator.com"),
      fc.constantFrom(...MAILBOXES),
      domain,
      unanswered,
      flags,
      (email, mailbox, domain, optional, own) => {
        const verification = { ...verificationOf(email, { domain, mailbox, ...optional }), cached: true }
        const judged = withAccountFlags(verification, own)
        const address = verification.evidence.address as ValidAddress
        for (const stored of [verification, judged]) {
          const completed = JSON.parse(completeCached(presentCached(stored), address, { ...own, hidesUntil: 0 }))
          expect(completed).toEqual({ checks: presentChecks(judged) })
        }
      },
    ),
    { numRuns: 300 },
  )
})
