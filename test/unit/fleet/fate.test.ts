import { expect, test } from "vitest"
import type { SmtpStage } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { fateOf } from "../../../src/domain/fleet/fate.ts"
import type { Fate } from "../../../src/domain/fleet/pair.ts"

type Failure = Extract<RecipientOutcome, { kind: "failure" }>["failure"]

const says = (text: string, stage: SmtpStage = "rcpt") =>
  fateOf({ kind: "reply", stage, reply: { code: 550, enhanced: "5.7.1", text, ms: 1 } })

test.each([
  ["Service unavailable, Client host [192.0.2.1] blocked using Customer Block list (AS16012607)", "failed"],
  ["Rejected: 192.0.2.1 found in custom blocklist", "failed"],
  ["Service unavailable, Client host [192.0.2.1] blocked using Spamhaus", "blocked"],
  ["Service unavailable, Client host [192.0.2.1] blocked using FBLW15 (AS3140)", "blocked"],
])("what one customer's own list holds against us is not the operator's word: %s", (text, fate) => {
  expect(says(text)).toBe(fate)
})

test.each<[string, number, SmtpStage, Fate]>([
  ["2.1.5 Ok", 250, "rcpt", "answered"],
  ["5.2.2 Mailbox full", 552, "rcpt", "answered"],
  ["5.1.1 User unknown", 550, "rcpt", "missing"],
  ["5.2.1 account disabled", 550, "rcpt", "missing"],
  ["4.2.0 Greylisted, try again later", 450, "rcpt", "deferred"],
  ["4.3.0 Temporary lookup failure", 451, "rcpt", "deferred"],
  ["5.7.1 Recipient rejected by policy", 550, "rcpt", "failed"],
  ["5.7.1 Rejected by policy", 550, "mail", "blocked"],
])("%s, %i at %s: %s", (text, code, stage, fate) => {
  expect(fateOf({ kind: "reply", stage, reply: { code, enhanced: null, text, ms: 1 } })).toBe(fate)
})

test.each<[Failure, Fate | null]>([
  ["refused", "failed"],
  ["timeout", "failed"],
  ["throttled", null],
  ["shutdown", null],
  ["proxy", null],
  ["deadline", null],
])("a failure, %s, is of the kind %s for its source IP", (failure, fate) => {
  expect(fateOf({ kind: "failure", stage: "connect", failure, detail: "", ms: 1 })).toBe(fate)
})
