import type { SuppressionReason } from "../../../../schema/vocabulary.ts"

/** What an entry suppresses. */
export type Subject = { readonly email: string } | { readonly domain: string }

export const subjectText = (subject: Subject): string => ("email" in subject ? subject.email : subject.domain)

/** Reads addresses and domains, one per line. A line with text before an "@" is an address. */
export function subjectsIn(text: string): Subject[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/(?<![\s,;])[\s,;]+$/, "").trim())
    .filter((line) => line !== "")
    .map((line) =>
      /^[^@*]/.test(line) && line.includes("@") ? { email: line } : { domain: line.replace(/^\*?@/, "") },
    )
}

export const REASONS: readonly (readonly [SuppressionReason, string])[] = [
  ["manual", "Manual"],
  ["unsubscribe", "Unsubscribed"],
  ["hard_bounce", "Hard bounce"],
  ["soft_bounce", "Soft bounce"],
  ["spam_complaint", "Spam complaint"],
]

export const REASON_WORDS: ReadonlyMap<SuppressionReason, string> = new Map(REASONS)
