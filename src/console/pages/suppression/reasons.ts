import type { SuppressionReason } from "../../../../schema/vocabulary.ts"

export const REASONS: readonly (readonly [SuppressionReason, string])[] = [
  ["manual", "Manual"],
  ["unsubscribe", "Unsubscribed"],
  ["hard_bounce", "Hard bounce"],
  ["soft_bounce", "Soft bounce"],
  ["spam_complaint", "Spam complaint"],
]

export const REASON_WORDS: ReadonlyMap<SuppressionReason, string> = new Map(REASONS)
