import { expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { isDrift, readCanary } from "../../../src/domain/fleet/canary.ts"
import { needsSecondOpinion } from "../../../src/domain/fleet/quorum.ts"

const reply = (code: number, enhanced: string, text: string, stage: "rcpt" | "banner" = "rcpt"): RecipientOutcome => ({
  kind: "reply",
  stage,
  reply: { code, enhanced, text, ms: 1 },
})
const TAKEN = reply(250, "2.1.5", "ok")
const MISSING = reply(550, "5.1.1", "no such user")
const GREY = reply(451, "4.7.1", "greylisted, come back later")
const BLOCKED = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org", "banner")
const TIMEOUT: RecipientOutcome = { kind: "failure", stage: "connect", failure: "timeout", detail: "", ms: 9 }

test.each([
  [TAKEN, MISSING, "as_expected"],
  [TAKEN, TAKEN, "blanket_accept"],
  [MISSING, MISSING, "blanket_refuse"],
  [BLOCKED, BLOCKED, "blanket_refuse"],
  [BLOCKED, MISSING, "blanket_refuse"],
  [MISSING, TAKEN, "unclear"],
  [GREY, MISSING, "unclear"],
  [TIMEOUT, TIMEOUT, "unclear"],
  [null, MISSING, "unclear"],
] as const)("%# existing and missing tell what the operator thinks of us", (existing, missing, finding) => {
  expect(readCanary(existing, missing)).toBe(finding)
  expect(isDrift(readCanary(existing, missing))).toBe(finding.startsWith("blanket"))
})

test.each([
  ["there before", { outcome: MISSING, before: TAKEN, isSuspect: false }, true],
  ["never asked about", { outcome: MISSING, before: null, isSuspect: false }, false],
  ["missing before as well", { outcome: MISSING, before: MISSING, isSuspect: false }, false],
  ["missing like everybody", { outcome: MISSING, before: null, isSuspect: true }, true],
  ["there", { outcome: TAKEN, before: MISSING, isSuspect: true }, false],
  ["put off", { outcome: GREY, before: TAKEN, isSuspect: true }, false],
] as const)("a mailbox that is %s", (_, doubt, isAskedAgain) => {
  expect(needsSecondOpinion({ ...doubt, session: null })).toBe(isAskedAgain)
})

test("no second opinion is asked about a mailbox where it is our own name that does not exist", () => {
  const outcome = reply(550, "5.1.2", "no such domain probe.example.net")
  const doubt = { outcome, before: TAKEN, isSuspect: true }
  const session = { heloName: "probe.example.net", envelopeSender: "check@probe.example.net" }
  expect(needsSecondOpinion({ ...doubt, session: null })).toBe(true)
  expect(needsSecondOpinion({ ...doubt, session })).toBe(false)
})
