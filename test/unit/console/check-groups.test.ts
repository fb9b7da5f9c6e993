import { describe, expect, test } from "vitest"
import type { Deliverability } from "../../../src/console/api/shapes.ts"
import { groupsOf } from "../../../src/console/pages/verification/checks.ts"
import { type AccountFlags, NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { presentDeliverability, presentExplanation } from "../../../src/routes/verification/present-deliverability.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const OK = rcpt(250, "Ok")
const NO_SUCH = rcpt(550, "5.1.1 no such user")
const LATER = rcpt(451, "4.3.0 try later")

function groups(email: string, evidence: Partial<Evidence>, flags: Partial<AccountFlags> = {}) {
  const verification = withAccountFlags(verificationOf(email, evidence), { ...NO_ACCOUNT_FLAGS, ...flags })
  const explanation = presentExplanation(verification, NOW)
  return groupsOf({ ...presentDeliverability(verification), explanation } as Deliverability)
}
const probed = (outcome: typeof OK, random = NO_SUCH): Partial<Evidence> => ({
  domain: domainFacts(),
  mailbox: mailbox(outcome, random),
})

describe("the groups of checks begin with the one that decided", () => {
  const ANN = "ann@example.org"
  const DISPOSABLE = { lists: { ...verificationOf(ANN).evidence.lists, isDisposable: true } }
  const rbl = { matched: ["zen.spamhaus.org"], checked: ["zen.spamhaus.org"], notConsulted: [] }
  const LISTED = { domain: domainFacts({ rbl }) }
  const NULL_MX = { domain: domainFacts({ route: { kind: "null_mx" } }) }
  const NO_DNS = { domain: domainFacts({ route: { kind: "dns_failure", reason: "SERVFAIL" } }) }
  test.each<[string, string, Partial<Evidence>, Partial<AccountFlags>, string, string]>([
    ["a malformed address", "no-at-sign", {}, {}, "Address", "malformed"],
    ["a confirmed mailbox", ANN, probed(OK), {}, "Mail server", "accepted with 250"],
    ["a missing mailbox", ANN, probed(NO_SUCH), {}, "Mail server", "rejected with 550"],
    ["a deferral", ANN, probed(LATER), {}, "Mail server", "deferred with 451"],
    ["greylisting", ANN, probed(rcpt(451, "4.7.1 greylisted")), {}, "Mail server", "deferred with 451"],
    ["a null MX", ANN, NULL_MX, {}, "Domain", "accepts no mail"],
    ["no DNS", ANN, NO_DNS, {}, "Domain", "DNS did not answer"],
    ["a disposable address", ANN, { ...probed(OK), ...DISPOSABLE }, {}, "Address", "well-formed, disposable"],
    [
      "a blocklist",
      ANN,
      { ...probed(OK), ...LISTED },
      {},
      "Reputation",
      "the domain's mail hosts are on zen.spamhaus.org",
    ],
    ["a hard bounce", ANN, probed(OK), { hasBounced: true }, "Your account", "hard bounce"],
    ["a complaint", ANN, probed(OK), { hasComplained: true }, "Your account", "spam complaint"],
    ["a suppression", ANN, probed(OK), { isSuppressed: true }, "Your account", "suppression list"],
    ["mail from a catch-all", ANN, probed(OK, OK), { isReceived: true }, "Your account", "received mail"],
    ["a suppressed, missing mailbox", ANN, probed(NO_SUCH), { isSuppressed: true }, "Mail server", "rejected with 550"],
  ])("%s", (_, email, evidence, flags, title, summary) => {
    expect(groups(email, evidence, flags)[0]).toMatchObject({ title, summary })
  })

  test("an account without reports has no group of its own", () => {
    expect(groups(ANN, probed(OK)).map(({ title }) => title)).toEqual([
      "Mail server",
      "Domain",
      "Address",
      "Reputation",
    ])
  })

  test.each([
    ["no", probed(OK)],
    ["no", probed(NO_SUCH)],
    ["yes", probed(OK, OK)],
    ["unclear", probed(OK, LATER)],
    ["unknown", probed(LATER)],
    ["unknown", { domain: domainFacts() }],
  ] as const)("accept-all is %s by the replies", (words, evidence) => {
    const server = groups(ANN, evidence).find(({ title }) => title === "Mail server")!
    expect(server.rows).toContainEqual(["Accept-all", words, words === "yes" ? "warn" : "plain"])
  })

  test.each([
    ["Accepted, 250", "good", OK],
    ["Rejected, 550", "bad", NO_SUCH],
    ["Deferred, 451", "warn", rcpt(451, "4.7.1 greylisted")],
    ["Deferred, 452", "warn", rcpt(452, "4.2.2 mailbox full")],
    ["Mailbox full, 552", "warn", rcpt(552, "5.2.2 mailbox full")],
  ] as const)("the reply is shown as %s, which is %s", (words, rating, outcome) => {
    const server = groups(ANN, probed(outcome)).find(({ title }) => title === "Mail server")!
    expect(server.rows).toContainEqual(["Reply", words, rating])
  })

  test("a hard bounce does not settle whether the domain accepts every address", () => {
    const server = groups(ANN, probed(OK, LATER), { hasBounced: true }).find(({ title }) => title === "Mail server")!
    expect(server.rows).toContainEqual(["Accept-all", "unclear", "plain"])
  })
})
