import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { ReplyVerdict } from "../smtp-reply/classify-reply.ts"
import { outcomeClassOf } from "./outcome-class.ts"
import type { OutcomeClass } from "./route-stats.ts"

export interface NegativeAnswer {
  readonly outcome: RecipientOutcome
  /** The classified reply; null without a reply. */
  readonly classified: ReplyVerdict | null
  /** Class of the previous outcome for this recipient; null without one. */
  readonly before: OutcomeClass | null
  /** The operator reports nearly every recipient as missing to this source IP. */
  readonly isSuspect: boolean
}

/**
 * Whether a second node must confirm "no such mailbox": when the mailbox existed before, or when the answer may depend
 * on the source IP. A wrong negative costs the sender a valid address.
 */
export function needsSecondOpinion({ outcome, classified, before, isSuspect }: NegativeAnswer): boolean {
  return outcomeClassOf(outcome, classified) === "missing" && (isSuspect || before === "answered")
}
