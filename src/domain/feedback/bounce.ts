import type { ReplyClass } from "../../../schema/vocabulary.ts"
import { classifyReply } from "../smtp-reply/classify-reply.ts"

/** Classes of replies about the sender, the message or the moment. The mailbox may exist. */
const NOT_OF_MAILBOX: ReadonlySet<ReplyClass> = new Set([
  "refuses_us",
  "relay_denied",
  "mailbox_full",
  "temporary",
  "greylisted",
])
/** Rules that use the bare code, which the provider already used to call the bounce permanent. */
const BY_CODE_ALONE: ReadonlySet<string> = new Set(["reply.permanent", "code.routing"])
const LONGEST_TEXT = 2_000
const REPLY_CODE = /(?:^|[\s;:])([45]\d\d)(?=[\s-]|$)/
const ENHANCED_DIGIT = /\b([45])\.\d{1,3}\.\d{1,3}\b/
/** A counter that mail gateways append to any reason: "5.1.0 - Unknown address error … (delivery attempts: 0)". */
const ATTEMPTS = /\(delivery attempts: \d{1,3}\)/gi

/**
 * Classifies a bounce that a provider calls permanent. Providers do so for every final refusal, also about the sender, the
 * message or a full mailbox, so the host's reply is classified like the reply to a probe.
 * @param said the host's reply as the provider quotes it, codes first: "5.1.1 smtp; 550 5.1.1 user unknown"
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
