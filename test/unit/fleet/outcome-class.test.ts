import { expect, test } from "vitest"
import type { SmtpStage } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { outcomeClassOf } from "../../../src/domain/fleet/outcome-class.ts"
import type { OutcomeClass } from "../../../src/domain/fleet/route-stats.ts"

type Failure = Extract<RecipientOutcome, { kind: "failure" }>["failure"]

const classOf = (text: string, stage: SmtpStage = "rcpt") =>
  outcomeClassOf({ kind: "reply", stage, reply: { code: 550, enhanced: "5.7.1", text, ms: 1 } })

test.each([
  ["Service unavailable, Client host [192.0.2.1] blocked using Customer Block list (AS16012607)", "failed"],
  ["Rejected: 192.0.2.1 found in custom blocklist", "failed"],
  ["Service unavailable, Client host [192.0.2.1] blocked using Spamhaus", "blocked"],
  ["Service unavailable, Client host [192.0.2.1] blocked using FBLW15 (AS3140)", "blocked"],
])("a customer's own blocklist is not a block by the operator: %s", (text, expected) => {
  expect(classOf(text)).toBe(expected)
})

test.each<[string, number, SmtpStage, OutcomeClass]>([
  ["2.1.5 Ok", 250, "rcpt", "answered"],
  ["5.2.2 Mailbox full", 552, "rcpt", "answered"],
  ["5.1.1 User unknown", 550, "rcpt", "missing"],
  ["5.2.1 account disabled", 550, "rcpt", "missing"],
  ["4.2.0 Greylisted, try again later", 450, "rcpt", "deferred"],
  ["4.3.0 Temporary lookup failure", 451, "rcpt", "deferred"],
  ["5.7.1 Recipient rejected by policy", 550, "rcpt", "failed"],
  ["5.7.1 Rejected by policy", 550, "mail", "blocked"],
])("%s, %i at %s: %s", (text, code, stage, expected) => {
  expect(outcomeClassOf({ kind: "reply", stage, reply: { code, enhanced: null, text, ms: 1 } })).toBe(expected)
})

test.each<[Failure, OutcomeClass | null]>([
  ["refused", "failed"],
  ["timeout", "failed"],
  ["throttled", null],
  ["shutdown", null],
  ["proxy", null],
  ["deadline", null],
])("failure %s has outcome class %s for its source IP", (failure, expected) => {
  expect(outcomeClassOf({ kind: "failure", stage: "connect", failure, detail: "", ms: 1 })).toBe(expected)
})
