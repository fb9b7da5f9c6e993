import { describe, expect, test } from "vitest"
import type { MxAttempt, RecipientOutcome } from "../../../schema/wire/probe.ts"
import { factLifetimeMs } from "../../../src/domain/verdict/fact-lifetimes.ts"
import { lifetimeMs } from "../../../src/domain/verdict/lifetime.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/evidence.ts"

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

/** What was heard from a host after others had been passed over. */
function heardFrom(mxHost: string, passedOver: readonly string[], outcome: RecipientOutcome, control = outcome) {
  const refused = { kind: "failure", stage: "connect", failure: "refused", detail: "", ms: 1 } as const
  const attempts = passedOver.map((host): MxAttempt => ({ mxHost: host, address: "192.0.2.9", outcome: refused }))
  const heard = mailbox(outcome, control)
  const session = { ...heard.session!, mxHost }
  return verificationOf("anna@example.org", {
    domain: domainFacts({ route: ROUTE }),
    mailbox: { ...heard, session, attempts },
  })
}

describe("how long a result is kept", () => {
  const TAKEN = rcpt(250, "2.1.5 Ok")

  test.each([
    ["the first host", "mx1.example.org", [], 365 * DAY],
    ["its equal", "mx2.example.org", ["mx1.example.org"], 365 * DAY],
    ["another address of the first host", "mx1.example.org", ["mx1.example.org"], 365 * DAY],
    ["a host that DNS names no more", "old.example.org", ["old.example.org"], 365 * DAY],
    ["a backup, as the others were out", "backup.example.org", ["mx1.example.org", "mx2.example.org"], DAY],
  ])("a domain that takes everything, by %s", (_, mxHost, passedOver, lifetime) => {
    expect(lifetimeMs(heardFrom(mxHost, passedOver, TAKEN))).toBe(lifetime)
  })

  test.each([
    ["the node had no time left for", "throttled", DAY],
    ["the deadline cut off", "deadline", DAY],
    ["the server did not answer about", "timeout", 7 * DAY],
  ] as const)("a mailbox that was taken, whose sibling %s", (_, failure, lifetime) => {
    const control = { kind: "failure", stage: "rcpt", failure, detail: "", ms: 1 } as const
    expect(lifetimeMs(heardFrom("mx1.example.org", [], TAKEN, control))).toBe(lifetime)
  })

  test.each([
    ["a mailbox that a backup tells from others", rcpt(250, "2.1.5 Ok"), rcpt(550, "5.1.1 User unknown"), 7 * DAY],
    ["too many connections of ours", rcpt(421, "4.7.0 too many connections from your IP"), undefined, HOUR],
    ["too much mail of ours", rcpt(550, "5.7.1 rate limit exceeded for your IP"), undefined, HOUR],
    ["an address of ours that is on a list", rcpt(554, "5.7.1 blocked using zen.spamhaus.org"), undefined, DAY],
  ])("%s", (_, outcome, control, lifetime) => {
    expect(lifetimeMs(heardFrom("backup.example.org", ["mx1.example.org"], outcome, control))).toBe(lifetime)
  })

  const failed = (failure: "throttled" | "timeout") =>
    ({ kind: "failure", stage: "connect", failure, detail: "", ms: 1 }) as const
  test.each([
    ["what is no address", "anna@@example.org", {}, 0],
    ["an address nobody was asked about", "anna@example.org", { domain: domainFacts() }, 0],
    [
      "one that no node could be asked about",
      "anna@example.org",
      { domain: domainFacts(), probeProblem: "no_node" },
      0,
    ],
    [
      "a DNS that failed",
      "anna@example.org",
      { domain: domainFacts({ route: { kind: "dns_failure", reason: "SERVFAIL" } }) },
      MINUTE,
    ],
    ["a node that was busy", "anna@example.org", { mailbox: mailbox(failed("throttled")) }, MINUTE],
    ["a server that was not reached", "anna@example.org", { mailbox: mailbox(failed("timeout")) }, MINUTE],
    ["a server that wants time", "anna@example.org", { mailbox: mailbox(rcpt(451, "4.7.1 Greylisted")) }, DAY],
    ["a full mailbox", "anna@example.org", { mailbox: mailbox(rcpt(552, "5.2.2 mailbox full")) }, DAY],
    ["a mailbox that is not there", "anna@example.org", { mailbox: mailbox(rcpt(550, "5.1.1 unknown")) }, 7 * DAY],
  ] as const)("%s", (_, email, evidence, lifetime) => {
    expect(lifetimeMs(verificationOf(email, evidence))).toBe(lifetime)
  })
})

test("what could not be found out about a domain is not kept as long as what could", () => {
  expect([factLifetimeMs("route", { kind: "mx", hosts: [] }), factLifetimeMs("spf", null)]).toEqual([HOUR, MINUTE])
  expect(factLifetimeMs("route", { kind: "dns_failure", reason: "SERVFAIL" })).toBe(0)
  expect(factLifetimeMs("registration", { kind: "registered", at: 0 })).toBe(30 * DAY)
  expect(factLifetimeMs("registration", { kind: "unknown" })).toBe(DAY)
  const rbl = (checked: readonly string[]) => ({ checked, matched: [], notConsulted: [] })
  expect([rbl(["zen"]), rbl([])].map((found) => factLifetimeMs("rbl", found))).toEqual([6 * HOUR, MINUTE])
})
