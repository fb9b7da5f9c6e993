import type { RefusalReason, ReplyClass } from "../../../schema/vocabulary.ts"

/** One line of the ordered rule table: the first whose every stated condition holds decides. */
export interface ReplyRule {
  readonly id: string
  readonly class: ReplyClass
  readonly reason?: RefusalReason
  /** Only replies of this class digit; both when absent. */
  readonly digit?: 4 | 5
  readonly codes?: readonly number[]
  /** Subject and detail of the enhanced code without its class digit: "1.1" for 5.1.1; "7.*" for the subject. */
  readonly enhanced?: readonly string[]
  /** Regular expression over the folded text (fold-text.ts); `{who}` and its like are spelt out in reply-words.ts. */
  readonly pattern?: string
  /** A line it was seen in, or the RFC section or registry that defines it. */
  readonly seen: string
}

/** Rules about one thing. */
export interface ReplyRules {
  readonly about: string
  readonly rules: readonly ReplyRule[]
}
