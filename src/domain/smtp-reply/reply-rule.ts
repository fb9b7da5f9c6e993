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
