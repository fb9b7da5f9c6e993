import type { RefusalReason, ReplyClass } from "../../../schema/vocabulary.ts"

/** A rule of the ordered table. The first rule whose conditions all hold classifies the reply. */
export interface ReplyRule {
  readonly id: string
  readonly class: ReplyClass
  readonly reason?: RefusalReason
  /** Class digit of the replies that the rule applies to. Absent: both. */
  readonly digit?: 4 | 5
  readonly codes?: readonly number[]
  /** Enhanced codes without their class digit: "1.1" for 5.1.1, "7.*" for every code of that subject. */
  readonly enhanced?: readonly string[]
  /** Regular expression for the folded text (fold-text.ts). reply-words.ts expands `{recipient}` and similar words. */
  readonly pattern?: string
  /** An observed reply that it matches, or the RFC section or registry that defines it. */
  readonly seen: string
}

/** A group of rules about one topic. */
export interface ReplyRules {
  readonly about: string
  readonly rules: readonly ReplyRule[]
}

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
