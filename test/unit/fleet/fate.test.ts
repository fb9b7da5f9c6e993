import { expect, test } from "vitest"
import type { SmtpStage } from "../../../schema/vocabulary.ts"
import { fateOf } from "../../../src/domain/fleet/fate.ts"

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
