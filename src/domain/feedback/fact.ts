import type { FeedbackKind, SuppressionReason } from "../../../schema/vocabulary.ts"
import type { ValidAddress } from "../address/parse.ts"
import { sha256 } from "../keys/digest.ts"
import { DAY_MS } from "../time.ts"

/** One thing that happened to mail, as a sender reports it. */
export interface Fact {
  readonly address: ValidAddress
  readonly kind: FeedbackKind
  /** Who said so: a provider's name, or the caller's own word. */
  readonly source: string
  /** SMTP reply or enhanced code of a bounce. */
  readonly code: string | null
  /** When it happened, Unix milliseconds; null when the sender does not say. */
  readonly at: number | null
  /** The sender's own id of the event. */
  readonly id: string | null
}

/**
 * What makes two reports the same fact. With an id: account, source, id and kind (one message may have many recipients).
 * Without: the content and its moment, or the UTC day of the report where the sender names none.
 * @param hash of the address, so that the key alone is no way back to it
 */
export function eventKey(
  fact: Fact,
  { accountId, hash, now }: { accountId: string; hash: string; now: number },
): Promise<string> {
  const { kind, source, code, at, id } = fact
  const parts =
    id === null
      ? ["content", accountId, kind, hash, source, code, at ?? `day ${Math.floor(now / DAY_MS)}`]
      : ["id", accountId, source, id, kind, hash]
  return sha256(JSON.stringify(parts))
}

/** What a fact that suppresses does so for. A complaint or a soft bounce alone suppresses nothing here. */
export function suppressionOf(kind: FeedbackKind, origin: "caller" | "provider"): SuppressionReason | null {
  if (kind === "hard_bounce") return "hard_bounce"
  if (origin === "caller") return null
  if (kind === "unsubscribe") return "unsubscribe"
  return kind === "spam_complaint" ? "spam_complaint" : null
}

const MARKING: ReadonlySet<FeedbackKind> = new Set(["hard_bounce", "received", "unsubscribe", "spam_complaint"])

/** Whether a fact can change what the next answer about the address says. */
export function changesStanding(kind: FeedbackKind): boolean {
  return MARKING.has(kind)
}
