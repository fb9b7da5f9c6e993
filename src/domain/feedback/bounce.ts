import type { ReplyClass } from "../../../schema/vocabulary.ts"
import { classifyReply } from "../mail/classify-reply.ts"

/** What a host says of whoever writes, of this message or of this hour; the mailbox may be there. */
const NOT_OF_MAILBOX: ReadonlySet<ReplyClass> = new Set([
  "refuses_us",
  "relay_denied",
  "mailbox_full",
  "temporary",
  "greylisted",
])
/** Rules that go by a bare code: the provider knew that one when it called the bounce permanent. */
const BY_CODE_ALONE: ReadonlySet<string> = new Set(["reply.permanent", "code.routing"])
const LONGEST_TEXT = 2_000
const REPLY_CODE = /(?:^|[\s;:])([45]\d\d)(?=[\s-]|$)/
const ENHANCED_DIGIT = /\b([45])\.\d{1,3}\.\d{1,3}\b/
/** What mail gateways count, whatever the reason was: "5.1.0 - Unknown address error … (delivery attempts: 0)". */
const ATTEMPTS = /\(delivery attempts: \d{1,3}\)/gi

/**
 * A bounce that its provider calls permanent. Providers say so of every final refusal, also of one that was about the
 * sender's address, its message or a full mailbox: what the receiving host said is read as the answer to a probe is.
 * @param said the host's reply as the provider quotes it, its codes in front: "5.1.1 smtp; 550 5.1.1 user unknown"
 */
export function permanentBounce(said: string): "hard_bounce" | "soft_bounce" {
  const text = said.slice(0, LONGEST_TEXT).replace(ATTEMPTS, " ")
  const reply = REPLY_CODE.exec(text)?.[1]
  const digit = ENHANCED_DIGIT.exec(text)?.[1]
  if (reply === undefined && digit === undefined) return "hard_bounce"
  const code = Number(reply ?? `${digit}50`)
  const { class: meaning, ruleId } = classifyReply({ code, enhanced: null, text, stage: "rcpt" })
  return NOT_OF_MAILBOX.has(meaning) && !BY_CODE_ALONE.has(ruleId) ? "soft_bounce" : "hard_bounce"
}
