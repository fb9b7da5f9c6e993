import type { ReplyClass } from "../../../schema/vocabulary.ts"
import { classifyReply, type ReplyVerdict } from "../smtp-reply/classify-reply.ts"

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
/** Replies that say that the mailbox does not exist or accepts no mail. */
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

/** Classifies a bounce that a provider calls permanent by the last understood reply. @param quoted status first */
export function permanentBounce(quoted: string): Bounce {
  const verdict = decisiveVerdict(quoted)
  if (verdict === null) return "hard_bounce"
  if (verdict === "expired") return "soft_bounce"
  return NOT_OF_MAILBOX.has(verdict.class) && !BY_CODE_ALONE.has(verdict.ruleId) ? "soft_bounce" : "hard_bounce"
}

/** Classifies a bounce that no provider calls permanent or temporary. Only a reply about the mailbox makes it hard. */
export function undeclaredBounce(quoted: string): Bounce {
  return isOfMailbox(decisiveVerdict(quoted)) ? "hard_bounce" : "soft_bounce"
}

function isOfMailbox(verdict: ReplyVerdict | "expired" | null): boolean {
  return verdict !== null && verdict !== "expired" && OF_MAILBOX.has(verdict.class)
}

/** @returns null without any code */
function decisiveVerdict(quoted: string): ReplyVerdict | "expired" | null {
  const text = quoted.slice(0, LONGEST_TEXT).replace(ATTEMPTS, " ")
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

/** One SMTP reply in the text of a bounce. */
interface QuotedReply {
  readonly code: number
  /** Its RFC 3463 code; null without one. */
  readonly enhanced: string | null
  /** From its code to the next reply. */
  readonly text: string
  /** False for a number in a sentence that also quotes replies in a clear form. */
  readonly isCertain: boolean
}

/** A reply code with its enhanced code, or a number that may be one. Submission ports are never codes. */
const NUMBER =
  /(?<![\w.@])[45]\d\d(?=[\s:;,-]{1,4}#?[245]\.\d{1,3}\.\d{1,3}(?![\w.]))|(?<![\w.@/+-]|\d,)(?!443|465|587)[45]\d\d(?=$|[\s:;,)]|-(?!\d{2}))/g
const CODE_THEN_ENHANCED = /^\d{3}[\s:;,-]{1,4}#?([245]\.\d{1,3}\.\d{1,3})(?![\w.])/
const ENHANCED = /(?<![\w.])[45]\.\d{1,3}\.\d{1,3}(?![\w.])/g
/** What follows a measure. */
const UNIT =
  /^\d{3}[\s-]{1,2}(?:ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|[kmg]b|bytes?|octets?|characters?|chars?|times|per|of)(?![\w.-])/i
/** What follows a count. A reply may start with such a word, too: "550 Messages from this host are refused". */
const COUNTED =
  /^\d{3}[\s-]{1,2}(?:recipients|addresses|messages|mails|e-?mails|connections|sessions|lines|attempts|tries|retries|unread|users|domains|hops)\b/i
/** What precedes a number that names or limits something. */
const NAME =
  /\b(?:(?:ports?|ids?|sessions?|ref|reference|tickets?|case|rules?|limit|max|maximum|minimum|size|version|build|pid)[\s:=#.]{0,3}|(?:lines?|room|year|after|within|over|than|least|most|exceeds?|exceeded|attempts?|try|retry|http)\s{1,2}#?)$/i
/** What precedes a reply: the start, a separator, an enhanced code, or words that announce it. */
const OPENS =
  /(?:^|[;|\n\r]|\d\.\d{1,3}\.\d{1,3}\s|\b(?:smtp|said|says|errors?|codes?|repl(?:y|ied)|respon(?:se|ded)|status|returned|answer(?:ed)?|with|(?:attempt|try|retry)(?: {0,2}#?\d{1,3})?:)[\s:]{1,2})\s{0,3}$/i
/** Weaker signs of a reply. */
const PUNCTUATED = /[<(>"':,=#]\s{0,3}$/
/** Each of them is classified. */
const MOST_UNCERTAIN = 20
/** How much text before a number is read. */
const BEFORE = 40
/** Separators and the announcement of the next attempt, at the end of a reply. */
const TRAILER = /(?:(?:\battempt|\btry|\bretry) {0,2}#?\d{0,3}|[\s;|,<("'[:]){1,20}$/i

interface Start {
  readonly index: number
  readonly code: number
  readonly enhanced: string | null
  readonly isAnnounced: boolean
}

/** The SMTP replies that a text quotes, in order, by their codes, else by enhanced codes. No sizes, ports or ids. */
export function readQuotedReplies(quoted: string): QuotedReply[] {
  const numbers = [...quoted.matchAll(NUMBER)].flatMap(({ index }) => startAt(quoted, index) ?? [])
  const announced = numbers.filter(({ isAnnounced }) => isAnnounced)
  // A permanent reply may follow temporary ones without any sign: "421 busy 550 user unknown".
  const isTemporary = announced.every(({ code }) => code < 500)
  const uncertain = isTemporary ? numbers.filter(({ isAnnounced, code }) => !isAnnounced && code >= 500) : []
  const coded = [...announced, ...uncertain.slice(-MOST_UNCERTAIN)].toSorted((a, b) => a.index - b.index)
  const starts = announced.length > 0 ? coded : numbers.length > 0 ? numbers : enhancedStarts(quoted)
  const firsts = starts.filter((start, n) => n === 0 || !continues(quoted, starts[n - 1]!, start))
  return firsts.map(({ index, code, enhanced, isAnnounced }, n) => ({
    code,
    enhanced,
    text: quoted.slice(index, firsts[n + 1]?.index).replace(TRAILER, ""),
    isCertain: isAnnounced || announced.length === 0,
  }))
}

/** @returns null for a number that is no reply code */
function startAt(quoted: string, index: number): Start | null {
  const rest = quoted.slice(index, index + BEFORE)
  const before = quoted.slice(Math.max(0, index - BEFORE), index)
  const code = Number(rest.slice(0, 3))
  const enhanced = CODE_THEN_ENHANCED.exec(rest)?.[1] ?? null
  if (enhanced !== null) return { index, code, enhanced, isAnnounced: true }
  if (UNIT.test(rest) || NAME.test(before)) return null
  if (rest[3] === "-" || OPENS.test(index > BEFORE ? `.${before}` : before))
    return { index, code, enhanced, isAnnounced: true }
  return COUNTED.test(rest) ? null : { index, code, enhanced, isAnnounced: PUNCTUATED.test(before) }
}

function enhancedStarts(quoted: string): Start[] {
  return [...quoted.matchAll(ENHANCED)].map(({ 0: enhanced, index }) => ({
    index,
    code: Number(`${enhanced[0]}50`),
    enhanced,
    isAnnounced: true,
  }))
}

/** What ends a reply, so that a code behind it starts another one. */
const SEPARATED = /[;|\n\r]|\b(?:attempt|try|retry)\b/i

/** Whether a code belongs to the reply before: of the same reply's next line, or of the next host, after a colon. */
function continues(quoted: string, previous: Start, { index, code, enhanced }: Start): boolean {
  const between = quoted.slice(previous.index + 3, index)
  if (code === previous.code && between.startsWith("-")) return true
  if (/:\s{0,3}["'(]?$/.test(between))
    return Math.floor(code / 100) === Math.floor(previous.code / 100) && !SEPARATED.test(between)
  return code === previous.code && enhanced === previous.enhanced && /[^\s;|,(<]\s{0,3}$/.test(between)
}
