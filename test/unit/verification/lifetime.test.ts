import { describe, expect, test } from "vitest"
import type { MxAttempt, RecipientOutcome } from "../../../schema/wire/probe.ts"
import { factLifetimeMs, lifetimeMs } from "../../../src/domain/verification/lifetime.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const ROUTE = {
  kind: "mx",
  hosts: [
    { host: "mx1.example.org", preference: 10 },
    { host: "mx2.example.org", preference: 10 },
    { host: "backup.example.org", preference: 20 },
  ],
} as const

/** The verification after `mxHost` answered and the hosts in `failedHosts` refused the connection. */
function answeredBy(mxHost: string, failedHosts: readonly string[], outcome: RecipientOutcome, control = outcome) {
  const refused = { kind: "failure", stage: "connect", failure: "refused", detail: "", ms: 1 } as const
  const attempts = failedHosts.map((host): MxAttempt => ({ mxHost: host, address: "192.0.2.9", outcome: refused }))
  const answer = mailbox(outcome, control)
  const session = { ...answer.session!, mxHost }
  return verificationOf("anna@example.org", {
    domain: domainFacts({ route: ROUTE }),
    mailbox: { ...answer, session, attempts },
  })
}

describe("the lifetime of a result", () => {
  const TAKEN = rcpt(250, "2.1.5 Ok")

  test.each([
    ["the first host", "mx1.example.org", [], 365 * DAY],
    ["a host of equal preference", "mx2.example.org", ["mx1.example.org"], 365 * DAY],
    ["another address of the first host", "mx1.example.org", ["mx1.example.org"], 365 * DAY],
    ["a host that is no longer in DNS", "old.example.org", ["old.example.org"], 365 * DAY],
    ["a backup while the others were down", "backup.example.org", ["mx1.example.org", "mx2.example.org"], DAY],
  ])("for a catch-all domain, answered by %s", (_, mxHost, failedHosts, lifetime) => {
    expect(lifetimeMs(answeredBy(mxHost, failedHosts, TAKEN))).toBe(lifetime)
  })

  test.each([
    ["the node throttled", "throttled", DAY],
    ["the deadline ended", "deadline", DAY],
    ["the server did not answer", "timeout", 7 * DAY],
  ] as const)("for an accepted mailbox whose catch-all probe %s", (_, failure, lifetime) => {
    const control = { kind: "failure", stage: "rcpt", failure, detail: "", ms: 1 } as const
    expect(lifetimeMs(answeredBy("mx1.example.org", [], TAKEN, control))).toBe(lifetime)
  })

  test.each([
    [
      "an accepted mailbox at a backup that rejects random recipients",
      rcpt(250, "2.1.5 Ok"),
      rcpt(550, "5.1.1 User unknown"),
      7 * DAY,
    ],
    ["a connection limit", rcpt(421, "4.7.0 too many connections from your IP"), undefined, HOUR],
    ["a rate limit", rcpt(550, "5.7.1 rate limit exceeded for your IP"), undefined, HOUR],
    ["a blocklisted source IP", rcpt(554, "5.7.1 blocked using zen.spamhaus.org"), undefined, DAY],
  ])("%s", (_, outcome, control, lifetime) => {
    expect(lifetimeMs(answeredBy("backup.example.org", ["mx1.example.org"], outcome, control))).toBe(lifetime)
  })

  const failed = (failure: "throttled" | "timeout") =>
    ({ kind: "failure", stage: "connect", failure, detail: "", ms: 1 }) as const
  test.each([
    ["a malformed address", "anna@@example.org", {}, 0],
    ["an address without a probe", "anna@example.org", { domain: domainFacts() }, 0],
    ["an address without a probe node", "anna@example.org", { domain: domainFacts(), probeProblem: "no_node" }, 0],
    [
      "a DNS failure",
      "anna@example.org",
      { domain: domainFacts({ route: { kind: "dns_failure", reason: "SERVFAIL" } }) },
      MINUTE,
    ],
    ["a throttled node", "anna@example.org", { mailbox: mailbox(failed("throttled")) }, MINUTE],
    ["an unreachable server", "anna@example.org", { mailbox: mailbox(failed("timeout")) }, MINUTE],
    ["a greylisted address", "anna@example.org", { mailbox: mailbox(rcpt(451, "4.7.1 Greylisted")) }, DAY],
    ["a full mailbox", "anna@example.org", { mailbox: mailbox(rcpt(552, "5.2.2 mailbox full")) }, DAY],
    ["a missing mailbox", "anna@example.org", { mailbox: mailbox(rcpt(550, "5.1.1 unknown")) }, 7 * DAY],
  ] as const)("%s", (_, email, evidence, lifetime) => {
    expect(lifetimeMs(verificationOf(email, evidence))).toBe(lifetime)
  })
})

test("an unknown fact of a domain is not stored, or expires sooner than a known one", () => {
  expect([factLifetimeMs("route", { kind: "mx", hosts: [] }), factLifetimeMs("spf", null)]).toEqual([HOUR, 0])
  expect(factLifetimeMs("route", { kind: "dns_failure", reason: "SERVFAIL" })).toBe(0)
  expect(factLifetimeMs("registration", { kind: "registered", at: 0 })).toBe(30 * DAY)
  expect(factLifetimeMs("registration", { kind: "unknown" })).toBe(DAY)
  const rbl = (checked: readonly string[]) => ({ checked, matched: [], notConsulted: [] })
  expect([rbl(["zen"]), rbl([])].map((found) => factLifetimeMs("rbl", found))).toEqual([6 * HOUR, MINUTE])
})
