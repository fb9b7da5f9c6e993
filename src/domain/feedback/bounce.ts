import type { ReplyClass } from "../../../schema/vocabulary.ts"
import { classifyReply, type ReplyVerdict } from "../smtp-reply/classify-reply.ts"
import { type QuotedReply, readQuotedReplies } from "./quoted-replies.ts"

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
/** Replies that say that the mailbox does not exist or takes no mail. */
const OF_MAILBOX: ReadonlySet<ReplyClass> = new Set(["mailbox_missing", "mailbox_disabled"])
/** Enough for the history of days. The end has the reply that decides. */
const LONGEST_TEXT = 20_000
/** The same limit as for a reply to a probe. */
const LONGEST_REPLY = 2_000
/** Replies that are classified until one is understood. A text may quote thousands. */
const MOST_READ = 20
/** Delivery time expired (RFC 3463 §3.5): the mail waited too long, the mailbox may exist. */
const EXPIRED = /^[245]\.4\.7$/
/** A status before the quoted replies: "5.1.1 smtp; …", or the code of a provider before a reply: "550 5.1.1 421 …". */
const STATUS =
  /^\s{0,9}(?:([45])\d\d\s{1,9}(?=(?:[45]\.[\d.]{3,7}\s{1,9})?[45]\d\d[\s-]))?([45]\.\d{1,3}\.\d{1,3}(?![\w.]))?/
/** A counter that mail gateways append to any reason: "5.1.0 - Unknown address error … (delivery attempts: 0)". */
const ATTEMPTS = /\(delivery attempts: \d{1,3}\)/gi

type Bounce = "hard_bounce" | "soft_bounce"

/**
 * Classifies a bounce that a provider calls permanent. Providers do so for every final refusal, also about the sender, the
 * message or a full mailbox, so the host's reply is classified like the reply to a probe. Of several replies, the last
 * one of the status' class that is understood decides.
 * @param said the host's replies as the provider quotes them, the status first: "5.1.1 smtp; 421 later; 550 unknown"
 */
export function permanentBounce(said: string): Bounce {
  const verdict = decisiveVerdict(said)
  if (verdict === null) return "hard_bounce"
  if (verdict === "expired") return "soft_bounce"
  return NOT_OF_MAILBOX.has(verdict.class) && !BY_CODE_ALONE.has(verdict.ruleId) ? "soft_bounce" : "hard_bounce"
}

/** Classifies a bounce that no provider calls permanent or temporary. Only a reply about the mailbox makes it hard. */
export function undeclaredBounce(said: string): Bounce {
  return isOfMailbox(decisiveVerdict(said)) ? "hard_bounce" : "soft_bounce"
}

function isOfMailbox(verdict: ReplyVerdict | "expired" | null): boolean {
  return verdict !== null && verdict !== "expired" && OF_MAILBOX.has(verdict.class)
}

/** @returns null without any code */
function decisiveVerdict(said: string): ReplyVerdict | "expired" | null {
  const text = said.slice(0, LONGEST_TEXT).replace(ATTEMPTS, " ")
  const { status, digit, rest } = splitStatus(text)
  const replies = readQuotedReplies(rest).filter((reply) => reply.isCertain || isOfMailbox(meaningOf(reply)))
  // One reply, or none, is read with the words around it. Of several, each has its own words.
  if (replies.length === 0)
    return digit === null ? null : meaningOf({ code: Number(`${digit}50`), enhanced: status, text })
  const whole = replies.length === 1 && text.length <= LONGEST_REPLY ? text : null
  let last: ReplyVerdict | "expired" | null = null
  for (const reply of ofClass(replies, digit).slice(-MOST_READ).toReversed()) {
    const meaning = meaningOf({ ...reply, enhanced: reply.enhanced ?? status, text: whole ?? reply.text })
    if (meaning === "expired" || !BY_CODE_ALONE.has(meaning.ruleId)) return meaning
    last ??= meaning
  }
  return last
}

function splitStatus(text: string) {
  const [head, bareDigit, status] = STATUS.exec(text) ?? [""]
  return { status: status ?? null, digit: status?.[0] ?? bareDigit ?? null, rest: text.slice(head.length) }
}

/** The replies of the status' class. Without a status or such a reply: the permanent ones, else all. */
function ofClass(replies: readonly QuotedReply[], digit: string | null): readonly QuotedReply[] {
  const own = replies.filter(({ code }) => String(code)[0] === digit)
  if (own.length > 0) return own
  const permanent = replies.filter(({ code }) => code >= 500)
  return permanent.length > 0 ? permanent : replies
}

function meaningOf({ code, enhanced, text }: Omit<QuotedReply, "isCertain">): ReplyVerdict | "expired" {
  if (enhanced && EXPIRED.test(enhanced)) return "expired"
  return classifyReply({ code, enhanced, text, stage: "rcpt" })
}
