import { expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { isDrift, needsSecondOpinion, outcomeClassOf, readCanary } from "../../../src/domain/fleet/outcome-class.ts"
import { classifyOutcome } from "../../../src/domain/smtp-reply/classify-reply.ts"

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
] as const)("%# the answers about the existing and the missing address give %s", (existing, missing, finding) => {
  expect(readCanary(existing, missing)).toBe(finding)
  expect(isDrift(readCanary(existing, missing))).toBe(finding.startsWith("blanket"))
})

test.each([
  ["accepted before", { outcome: MISSING, before: TAKEN, isSuspect: false }, true],
  ["never probed before", { outcome: MISSING, before: null, isSuspect: false }, false],
  ["missing before as well", { outcome: MISSING, before: MISSING, isSuspect: false }, false],
  ["missing at a suspect operator", { outcome: MISSING, before: null, isSuspect: true }, true],
  ["accepted now", { outcome: TAKEN, before: MISSING, isSuspect: true }, false],
  ["deferred now", { outcome: GREY, before: TAKEN, isSuspect: true }, false],
] as const)("a second node confirms a mailbox that is %s", (_, answer, needsSecond) => {
  const before = answer.before && outcomeClassOf(answer.before)
  expect(needsSecondOpinion({ ...answer, before, classified: classifyOutcome(answer.outcome) })).toBe(needsSecond)
})

test("a reply about the probe's own name needs no second node", () => {
  const outcome = reply(550, "5.1.2", "no such domain probe.example.net")
  const answer = { outcome, before: outcomeClassOf(TAKEN), isSuspect: true }
  const session = { heloName: "probe.example.net", envelopeSender: "check@probe.example.net" }
  expect(needsSecondOpinion({ ...answer, classified: classifyOutcome(outcome) })).toBe(true)
  expect(needsSecondOpinion({ ...answer, classified: classifyOutcome(outcome, session) })).toBe(false)
})
