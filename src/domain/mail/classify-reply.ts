import type { RefusalReason, ReplyClass, SmtpStage } from "../../../schema/vocabulary.ts"
import { foldReply } from "./fold-text.ts"
import { hideMarks, type OwnNames } from "./own-names.ts"
import type { ReplyRule } from "./reply-rule.ts"
import { REPLY_RULES } from "./reply-rules.ts"
import { OWN_NAME_RULES } from "./reply-rules-own-names.ts"
import { spellPattern } from "./reply-words.ts"
import { readRetryDelay } from "./retry-delay.ts"

/** An SMTP reply and the stage it came at; the shape of the wire's SmtpReply. */
export interface StagedReply {
  readonly code: number
  /** RFC 3463 code, or null: the text is searched for it too. */
  readonly enhanced: string | null
  /** Lines joined by "\n", with or without their codes. */
  readonly text: string
  readonly stage: SmtpStage
}

export interface ReplyVerdict {
  readonly class: ReplyClass
  /** What about us was refused; null unless `class` is "refuses_us". */
  readonly reason: RefusalReason | null
  /** The rule that decided. */
  readonly ruleId: string
  /** Seconds the server asked us to wait; null when it did not say, or when waiting does not help. */
  readonly retryAfterSeconds: number | null
}

interface CompiledRule {
  readonly rule: ReplyRule
  readonly codes: ReadonlySet<number> | null
  readonly enhanced: ReadonlySet<string> | null
  readonly pattern: RegExp | null
}

/** Says nothing about the mailbox before RCPT, and nothing lasting about it in a 4xx. */
const ABOUT_MAILBOX: readonly ReplyClass[] = ["mailbox_missing", "mailbox_disabled", "mailbox_full"]
const LASTING: readonly ReplyClass[] = ["mailbox_missing", "mailbox_disabled"]

const TABLES = {
  rcpt4: compile((rule) => rule.digit !== 5 && !LASTING.includes(rule.class)),
  rcpt5: compile((rule) => rule.digit !== 4),
  early4: compile((rule) => rule.digit !== 5 && !ABOUT_MAILBOX.includes(rule.class)),
  early5: compile((rule) => rule.digit !== 4 && !ABOUT_MAILBOX.includes(rule.class)),
}
/** RFC 5321 §4.3.2, and 252 as some say. Any other 2xx answers another command: a server that is out of step says 221 here. */
const ACCEPTING: readonly number[] = [250, 251, 252]
const OWN_NAMES = OWN_NAME_RULES.rules.map(compileRule)

/**
 * What a reply means for the recipient, by the ordered rules of reply-rules.ts: class digit and stage choose the rules
 * that may apply at all, then enhanced codes, then words. Given the names we went by, a name that is said not to exist is
 * told to be ours or the recipient's. Pure, never throws, and linear in the length of the text.
 */
export function classifyReply({ code, enhanced, text, stage }: StagedReply, own: OwnNames | null = null): ReplyVerdict {
  const digit = Math.floor(code / 100)
  if (stage === "rcpt" && ACCEPTING.includes(code)) return verdict("accepted", "reply.accepted")
  if (digit !== 4 && digit !== 5) return verdict("protocol_error", "reply.unexpected")
  const folded = foldReply(text, digit, own)
  const detail = readDetail(enhanced, digit) ?? readDetail(folded.enhanced, digit)
  const words = folded.isMarked ? hideMarks(folded.text) : folded.text
  const rule =
    (folded.isMarked && OWN_NAMES.find(({ pattern }) => pattern?.test(folded.text))?.rule) ||
    findRule(`${stage === "rcpt" ? "rcpt" : "early"}${digit}`, { code, detail, text: words })
  const waits =
    rule.class === "greylisted" || rule.class === "temporary" || (digit === 4 && rule.class === "refuses_us")
  return {
    class: rule.class,
    reason: rule.reason ?? null,
    ruleId: rule.id,
    retryAfterSeconds: waits ? readRetryDelay(words, rule.class === "greylisted") : null,
  }
}

/** The same of a reply as a node reports it. */
export function classifyOutcome(
  { reply, stage }: { readonly reply: Omit<StagedReply, "stage">; readonly stage: SmtpStage },
  own: OwnNames | null = null,
): ReplyVerdict {
  return classifyReply({ ...reply, stage }, own)
}

function verdict(meaning: ReplyClass, ruleId: string): ReplyVerdict {
  return { class: meaning, reason: null, ruleId, retryAfterSeconds: null }
}

/** "5.1.1" to "1.1"; null when it is no enhanced code of this class digit. */
function readDetail(enhanced: string | null, digit: number): string | null {
  return enhanced?.startsWith(`${digit}.`) ? enhanced.slice(2) : null
}

interface Asked {
  readonly code: number
  readonly detail: string | null
  readonly text: string
}

/**
 * A host says the same few things to everybody, and folding has removed whom it says them to: what a text meant is kept
 * until this many are known, so that most replies cost one look-up instead of some eighty patterns.
 */
const REMEMBERED = 2_048
const decided = new Map<string, ReplyRule>()

function findRule(table: keyof typeof TABLES, asked: Asked): ReplyRule {
  const key = `${table} ${asked.code} ${asked.detail} ${asked.text}`
  const known = decided.get(key)
  if (known) return known
  const rule = TABLES[table].find((candidate) => applies(candidate, asked))?.rule ?? FALLBACK
  if (decided.size >= REMEMBERED) decided.clear()
  decided.set(key, rule)
  return rule
}

function applies({ codes, enhanced, pattern }: CompiledRule, { code, detail, text }: Asked): boolean {
  if (codes && !codes.has(code)) return false
  if (enhanced && !(detail && (enhanced.has(detail) || enhanced.has(`${detail.split(".")[0]}.*`)))) return false
  return !pattern || pattern.test(text)
}

/** Unreachable while the last rules are one for each digit. */
const FALLBACK: ReplyRule = { id: "reply.unread", class: "protocol_error", seen: "RFC 5321 section 4.2.1" }

function compile(keep: (rule: ReplyRule) => boolean): readonly CompiledRule[] {
  return REPLY_RULES.flatMap(({ rules }) => rules.filter(keep).map(compileRule))
}

function compileRule(rule: ReplyRule): CompiledRule {
  return {
    rule,
    codes: rule.codes ? new Set(rule.codes) : null,
    enhanced: rule.enhanced ? new Set(rule.enhanced) : null,
    pattern: rule.pattern === undefined ? null : spellPattern(rule.pattern),
  }
}
