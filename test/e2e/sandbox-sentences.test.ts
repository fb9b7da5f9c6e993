import { readFileSync } from "node:fs"
import { beforeAll, expect, test } from "vitest"
import type { Deliverability } from "../../src/console/api/shapes.ts"
import { sentenceOf } from "../../src/console/pages/verification/sentence.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

const UNKNOWN = "nothing is known about this mailbox."

/** The sentence for each sandbox address; the others are confirmed. */
const SENTENCES: Readonly<Record<string, string>> = {
  "nobody@mailbox.test": "The server says that this mailbox does not exist.",
  "disabled@mailbox.test": "The server says that this mailbox is disabled.",
  "full@mailbox.test": "Mailbox full: the mailbox exists, but takes no mail now.",
  "overquota@mailbox.test": "Mailbox full: the mailbox exists, but takes no mail now.",
  "anyone@catch-all.test": "The domain accepts every address, so this mailbox cannot be confirmed.",
  "alice@catch-all-unclear.test": "The server accepted this mailbox. Whether it accepts every address is unclear.",
  "alice@tempfail.test": "The server has a temporary failure; nothing is known about this mailbox yet.",
  "carol+sentence@greylist.test":
    "The server asked for a later retry (greylisting); nothing is known about this mailbox yet.",
  "sentence@hang.test": `The time limit passed before the mail server answered; ${UNKNOWN}`,
  "sentence@hang-at-rcpt.test": `The time limit passed before the mail server answered; ${UNKNOWN}`,
  "alice@client-refused.test": `The server blocked our IP; ${UNKNOWN}`,
  "alice@not-authorized.test": `The server refused our probe by its policy; ${UNKNOWN}`,
  "alice@relay-denied.test": `The server does not accept mail for this domain from us; ${UNKNOWN}`,
  "alice@banner-refusal.test": `The server blocked our IP; ${UNKNOWN}`,
  "alice@ehlo-refusal.test": `The server refused the name of our host; ${UNKNOWN}`,
  "alice@sender-refusal.test": `The server refused our sender address; ${UNKNOWN}`,
  "alice@garbage.test": `The server did not follow the SMTP protocol; ${UNKNOWN}`,
  "alice@refused.test": `The mail server refused the connection; ${UNKNOWN}`,
  "alice@drop.test": `The mail server closed the connection; ${UNKNOWN}`,
  "alice@reset.test": `The mail server closed the connection; ${UNKNOWN}`,
  "alice@tls-broken.test": `The mail server closed the connection; ${UNKNOWN}`,
  "alice@mx-unresolvable.test": `The name of the mail server has no address; ${UNKNOWN}`,
  "alice@mx-private.test": `The mail server has a private address; ${UNKNOWN}`,
  "josé@no-utf8.test": `The server does not support the letters of this address (SMTPUTF8); ${UNKNOWN}`,
  "alice.mailbox.test": "This is not an email address: it has no @ sign.",
  "alice@null-mx.test": "The domain declares that it accepts no mail.",
  "alice@no-such-domain.test": "The domain does not exist, so no mail can arrive.",
  "alice@no-mail-host.test": "The domain has no mail server, so no mail can arrive.",
  "alice@dangling.test": "The domain does not exist, so no mail can arrive.",
  "alice@servfail.test": "DNS did not answer; this is not held against the address.",
  "alice@cname-loop.test": "DNS did not answer; this is not held against the address.",
  "alice@dns-timeout.test": "DNS did not answer; this is not held against the address.",
  "someone@inbox.test": "The domain accepts every address, so this mailbox cannot be confirmed.",
  "no-1@d0042.test": "The server says that this mailbox does not exist.",
}
/** Other tests verify these, and their answer depends on time: greylisting ends, a silent server costs the deadline. */
const OWN: Readonly<Record<string, string>> = {
  "alice@greylist.test": "carol+sentence@greylist.test",
  "alice@hang.test": "sentence@hang.test",
  "alice@hang-at-rcpt.test": "sentence@hang-at-rcpt.test",
}
const SANDBOX = [
  ...readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8").matchAll(/^\| `([^`]+)`/gm),
].map(([, email = ""]) => OWN[email] ?? email)

let key: TestKey
beforeAll(async () => {
  key = await newKey()
})

test.concurrent.each(SANDBOX)("the console's sentence for %s agrees with the evidence", async (email) => {
  // A host that never answers costs the whole time.
  const timeout_ms = SENTENCES[email]?.startsWith("The time limit passed") ? 2_000 : 15_000
  const init = withKey(key, postJson({ email, explain: true, timeout_ms }))
  const { body } = await call<Deliverability>("POST", "/validate", init)
  expect(sentenceOf(body).says).toBe(SENTENCES[email] ?? "The mail server confirmed the mailbox.")
})
