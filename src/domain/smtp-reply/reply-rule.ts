import type { RefusalReason, ReplyClass } from "../../../schema/vocabulary.ts"

/** A rule of the ordered table. The first rule whose conditions all hold classifies the reply. */
export type ReplyRule = {
  readonly id: string
  /** Class digit of the replies that the rule applies to. Absent: both, or 5 for a missing or disabled mailbox. */
  readonly digit?: 4 | 5
  readonly codes?: readonly number[]
  /** Enhanced codes without their class digit: "1.1" for 5.1.1, "7.*" for every code of that subject. */
  readonly enhanced?: readonly string[]
  /** Regular expression for the folded text (fold-text.ts). `compilePattern` expands `{recipient}` and similar words. */
  readonly pattern?: string
  /** An observed reply that it matches, or the RFC section or registry that defines it. */
  readonly seen: string
} & (
  | { readonly class: Exclude<ReplyClass, "refuses_us">; readonly reason?: never }
  /** The class "refuses_us", by the reason of the refusal. */
  | { readonly class?: never; readonly reason: RefusalReason }
)

/** Words that reply rules combine (reply-rules-languages.ts), as regular expressions in the language's own spelling. */
export interface LanguageWords {
  readonly language: string
  /** Names for the recipient and its mailbox. English ones count in every language. */
  readonly recipient: string
  /** Predicates of a missing mailbox. They decide only next to a word for the recipient. */
  readonly missing: string
  /** Expressions for a missing mailbox that contain the word for the recipient. */
  readonly noSuch: string
  readonly disabled: string
  /** Whole expressions, with their subject. */
  readonly full: string
  /** Names for a mail server, unless a preposition makes it a place. */
  readonly server: string
  readonly sender: string
  /** Policies, logins, outside senders and our IP address. */
  readonly policy: string
  /** "Too many", "too often". */
  readonly rate: string
  readonly temporary: string
  /** A reply for a missing, and for a disabled mailbox. */
  readonly seen: readonly [missing: string, disabled: string]
}

/** Expressions that reply patterns share. `{recipient}` is replaced by WORDS.recipient. Gaps are bounded to one sentence. */
const WORDS: Readonly<Record<string, string>> = {
  recipient:
    "(?:users?|user ?(?:names?|ids?)|recipients?|rcpt(?: ?to)?|mail[ -]?box(?:es)?|e-?mail ?(?:address(?:es)?|id|account)|inbox|" +
    "mail ?(?:drop|address|account|id)|(?:user)?accounts?|address(?:es|ees?)?|customer|subscriber|member|alias|person|destination|" +
    "local[- ]?part|employee|receivers? (?:e-?mail ?)?address(?:es)?)",
  // Names that a reply uses for the connected client.
  us:
    "(?:your|client|sending|connecting|source|originating|remote|sender'?s?|from|smtp client) (?:the )?" +
    "(?:ips?|ip[- ]addr\\w*|host(?: ?name)?s?|servers?|providers?|mtas?|networks?|mail ?servers?|subnet|isp|computer|machine|system|" +
    "connections?|smtp|relay|country|location|domain|address range)",
  refused:
    "(?:reject\\w*|block\\w*|den(?:y|ied|ies)|refus\\w*|bann?ed|disallow\\w*|forbid\\w*|prohibit\\w*|" +
    "not (?:allowed|authori[sz]ed|permitted|accept\\w*|welcome|trusted)|unauthori[sz]ed|suspend\\w*|blacklist\\w*|listed)",
  // Names for our envelope sender, and for properties of the connected client.
  sender:
    "(?:(?:envelope[- ])?senders?(?:'s?)?|return[- ]?path|reverse[- ]?path|mail[- ]?from|envelope[- ]from|originator(?:'s)?)" +
    "(?: (?:e-?mail )?(?:address|mail ?box|(?:user )?account|user|domain|name|id|host|(?:mail )?server))?\\b(?! ?(?:book|list))|" +
    "(?:return|reply(?:-to)?|bounce|author|originating|sending|submitting|from:?|your(?: e-?mail| mail)?) (?:e-?mail )?(?:address|mail ?box|user|domain)\\b(?! ?(?:book|list))",
  client:
    "(?:your|client|sending|connecting|source|remote|peer|sender's|helo|ehlo) (?:ip[- ]addr\\w*|ip|host ?name|host|(?:mail )?server|mta|machine|name|domain|provider|isp)|" +
    "ip(?:[- ]address)?|peer|helo|ehlo",
  gone:
    "(?:unknown|unavailable|invalid|incorrect|wrong|bad|expired|undeliverable|unrout?e?able|unresolv\\w+|unrecogni[sz]ed|unregistered|" +
    "non-?exist\\w*|disabled|suspended|inactive|deactivated|closed|locked|deleted|removed|gone|obsolete|not?\\b|no longer|cannot|dosn't|has no|" +
    "(?:is|was|are|were|does|did|do|has|could|can|would)(?: not|n't)|has been \\w{4,12}ed|(?:user|domain|host|address|mail ?box) (?:not|unknown|unavailable|does)|" +
    "(?:lookup|verif\\w+|check) (?:fail|error))",
  shut:
    "(?:currently |now |temporarily |administratively ){0,2}" +
    "(?:disabled|suspended|inactive|deactivated|locked|frozen|closed|expired|terminated|cancell?ed)\\b",
  missing:
    "(?:unknown|invalid|bad|no such|no|non-?exist\\w*|unavailable|disabled|suspended|inactive|illegal|fake|forged|bogus|wrong|incorrect|" +
    "un(?:recogni[sz]ed|rout?e?able|verified|registered)|undeliverable|unresolv\\w+|deleted|expired|locked|closed|obsolete|rejected|blocked|" +
    "(?:cannot|can't|can not|could not|couldn't|unable to|failed to) (?:find|verify|resolve|locate|look ?up))",
  // Plural only: a reply about a single recipient says "unknown user".
  recipients:
    "(?:users|user ?(?:names|ids)|recipients|rcpts|rcpt tos|mail ?boxes|e-?mail (?:addresses|ids|accounts)|addresses|" +
    "addressees|accounts|destinations|customers|people|persons|names)",
  bad:
    "(?:unknown|invalid|non-?exist\\w*|not existing|inexistent|bad|wrong|bogus|fake|dead|undeliverable|unrecogni[sz]ed|" +
    "unrout?e?able|inactive)(?:(?: (?:or|and) |\\/)\\w+)?",
  // At most five words, none of which introduces another recipient.
  lead: "(?: (?!(?:the following|following|these|those|is|are|was|were)\\b)[\\w'-]{1,20}){0,5}",
  word: "[\\w'-]{1,20}",
  near: "[^.;!?]{0,40}",
  gap: "[^.;!?]{0,80}",
}

/** Compiles a rule's pattern to a regular expression for folded text. */
export function compilePattern(pattern: string): RegExp {
  return new RegExp(pattern.replace(/\{([a-z]+)\}/g, (_, word: string) => WORDS[word] ?? ""))
}
