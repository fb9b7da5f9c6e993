import type { RefusalReason, ReplyClass, SmtpStage } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { foldReply } from "./fold-text.ts"
import { compilePattern, type ReplyRule } from "./reply-rule.ts"
import { CLIENT_RULES, IDENTITY_RULES } from "./reply-rules-client.ts"
import { CODE_RULES, DECISIVE_CODE_RULES, REPLY_CODE_RULES } from "./reply-rules-enhanced.ts"
import {
  DISABLED_LANGUAGE_RULES,
  FULL_LANGUAGE_RULES,
  MISSING_LANGUAGE_RULES,
  REFUSAL_LANGUAGE_RULES,
  SENDER_LANGUAGE_RULES,
  TEMPORARY_LANGUAGE_RULES,
} from "./reply-rules-languages.ts"
import { DISABLED_RULES, FULL_RULES, MISSING_LOCALIZED_RULES, MISSING_RULES } from "./reply-rules-mailbox.ts"
import { hideOwnNameMarks, OWN_NAME_RULES, type OwnNames } from "./reply-rules-own-names.ts"
import {
  GREYLIST_RULES,
  LATE_TEMPORARY_RULES,
  OTHER_SUBJECT_RULES,
  SYSTEM_RULES,
  TEMPORARY_RULES,
} from "./reply-rules-passing.ts"
import { ACCESS_RULES, POLICY_RULES, REFUSAL_RULES } from "./reply-rules-policy.ts"
import { HARVEST_RULES, RATE_RULES } from "./reply-rules-rate.ts"
import { RELAY_DENIED_RULES, RELAY_RULES, SCOPE_RULES } from "./reply-rules-relay.ts"
import { SENDER_RULES } from "./reply-rules-sender.ts"
import { readRetryDelay } from "./retry-delay.ts"

/**
 * All rules in match order. Rules about a full mailbox and decisive codes are first. Most about this client are before
 * those about a missing mailbox, so that a refusal of our host marks no address as invalid.
 */
export const REPLY_RULES: readonly ReplyRule[] = [
  ...DECISIVE_CODE_RULES,
  ...GREYLIST_RULES,
  ...SYSTEM_RULES,
  ...FULL_RULES,
  ...FULL_LANGUAGE_RULES,
  ...RELAY_DENIED_RULES,
  ...SENDER_RULES,
  ...SENDER_LANGUAGE_RULES,
  ...IDENTITY_RULES,
  ...CLIENT_RULES,
  ...RATE_RULES,
  ...RELAY_RULES,
  ...ACCESS_RULES,
  ...HARVEST_RULES,
  ...SCOPE_RULES,
  ...REFUSAL_LANGUAGE_RULES,
  ...OTHER_SUBJECT_RULES,
  ...DISABLED_RULES,
  ...DISABLED_LANGUAGE_RULES,
  ...TEMPORARY_RULES,
  ...TEMPORARY_LANGUAGE_RULES,
  ...MISSING_RULES,
  ...MISSING_LOCALIZED_RULES,
  ...MISSING_LANGUAGE_RULES,
  ...POLICY_RULES,
  ...CODE_RULES,
  ...LATE_TEMPORARY_RULES,
  ...REFUSAL_RULES,
  ...REPLY_CODE_RULES,
]

/** An SMTP reply and the stage that it answers. Has the shape of the wire's SmtpReply. */
interface StagedReply {
  readonly code: number
  /** RFC 3463 code. When null, the code is read from the text. */
  readonly enhanced: string | null
  /** Lines joined by "\n", with or without their codes. */
  readonly text: string
  readonly stage: SmtpStage
}

export interface ReplyVerdict {
  readonly class: ReplyClass
  /** Why the server refused this client. Null unless `class` is "refuses_us". */
  readonly reason: RefusalReason | null
  /** Id of the rule that matched. */
  readonly ruleId: string
  /** Seconds to wait, as the server requests. Null when the reply gives no delay, or when waiting does not help. */
  readonly retryAfterSeconds: number | null
}

interface CompiledRule {
  readonly rule: ReplyRule
  readonly codes: ReadonlySet<number> | null
  readonly enhanced: ReadonlySet<string> | null
  readonly pattern: RegExp | null
}

/** Before RCPT, a reply never describes the mailbox. A 4xx reply never describes a permanent state of it. */
const ABOUT_MAILBOX: ReadonlySet<ReplyClass | undefined> = new Set([
  "mailbox_missing",
  "mailbox_disabled",
  "mailbox_full",
])
const PERMANENT: ReadonlySet<ReplyClass | undefined> = new Set(["mailbox_missing", "mailbox_disabled"])

const TABLES = {
  rcpt4: compile((rule) => rule.digit !== 5 && !PERMANENT.has(rule.class)),
  rcpt5: compile((rule) => rule.digit !== 4),
  early4: compile((rule) => rule.digit !== 5 && !ABOUT_MAILBOX.has(rule.class)),
  early5: compile((rule) => rule.digit !== 4 && !ABOUT_MAILBOX.has(rule.class)),
}
/** RFC 5321 §4.3.2, plus 252. Any other 2xx answers another command: an out-of-step server sends 221 here. */
const ACCEPTING: readonly number[] = [250, 251, 252]
const OWN_NAMES = OWN_NAME_RULES.map(compileRule)

/** What a reply means, by the ordered rules. Never throws; linear in the text. @param own the probe's own names */
export function classifyReply({ code, enhanced, text, stage }: StagedReply, own: OwnNames | null = null): ReplyVerdict {
  const digit = Math.floor(code / 100)
  if (stage === "rcpt" && ACCEPTING.includes(code)) return verdict("accepted", "reply.accepted")
  if (digit !== 4 && digit !== 5) return verdict("protocol_error", "reply.unexpected")
  const folded = foldReply(text, digit, own)
  const detail = readDetail(enhanced, digit) ?? readDetail(folded.enhanced, digit)
  const words = folded.isMarked ? hideOwnNameMarks(folded.text) : folded.text
  const rule =
    (folded.isMarked && OWN_NAMES.find(({ pattern }) => pattern?.test(folded.text))?.rule) ||
    findRule(`${stage === "rcpt" ? "rcpt" : "early"}${digit}`, { code, detail, text: words })
  const waits = rule.class === "greylisted" || rule.class === "temporary" || (digit === 4 && rule.reason !== undefined)
  return {
    class: rule.class ?? "refuses_us",
    reason: rule.reason ?? null,
    ruleId: rule.id,
    retryAfterSeconds: waits ? readRetryDelay(words, rule.class === "greylisted") : null,
  }
}

/** Like `classifyReply`, for an outcome as a node reports it. Null without a reply. */
export function classifyOutcome(outcome: RecipientOutcome | null, own: OwnNames | null = null): ReplyVerdict | null {
  return outcome?.kind === "reply" ? classifyReply({ ...outcome.reply, stage: outcome.stage }, own) : null
}

function verdict(meaning: ReplyClass, ruleId: string): ReplyVerdict {
  return { class: meaning, reason: null, ruleId, retryAfterSeconds: null }
}

/** Shortens "5.1.1" to "1.1". Null for an enhanced code of another class digit. */
function readDetail(enhanced: string | null, digit: number): string | null {
  return enhanced?.startsWith(`${digit}.`) ? enhanced.slice(2) : null
}

interface RuleInput {
  readonly code: number
  readonly detail: string | null
  readonly text: string
}

/** Entries of the rule cache: folded texts repeat, and then one lookup replaces about eighty patterns. */
const CACHE_SIZE = 2_048
const ruleCache = new Map<string, ReplyRule>()

function findRule(table: keyof typeof TABLES, input: RuleInput): ReplyRule {
  const key = `${table} ${input.code} ${input.detail} ${input.text}`
  const known = ruleCache.get(key)
  if (known) return known
  const rule = TABLES[table].find((candidate) => applies(candidate, input))?.rule ?? FALLBACK
  if (ruleCache.size >= CACHE_SIZE) ruleCache.clear()
  ruleCache.set(key, rule)
  return rule
}

function applies({ codes, enhanced, pattern }: CompiledRule, { code, detail, text }: RuleInput): boolean {
  if (codes && !codes.has(code)) return false
  if (enhanced && !(detail && (enhanced.has(detail) || enhanced.has(`${detail.split(".")[0]}.*`)))) return false
  return !pattern || pattern.test(text)
}

/** Unreachable: the last rules of the table match any reply of their digit. */
const FALLBACK: ReplyRule = { id: "reply.unread", class: "protocol_error", seen: "RFC 5321 section 4.2.1" }

function compile(matches: (rule: ReplyRule) => boolean): readonly CompiledRule[] {
  return REPLY_RULES.filter(matches).map(compileRule)
}

function compileRule(rule: ReplyRule): CompiledRule {
  return {
    rule,
    codes: rule.codes ? new Set(rule.codes) : null,
    enhanced: rule.enhanced ? new Set(rule.enhanced) : null,
    pattern: rule.pattern === undefined ? null : compilePattern(rule.pattern),
  }
}
