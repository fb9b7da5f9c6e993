import type { FeedbackKind, SuppressionReason } from "../../../schema/vocabulary.ts"
import { sha256 } from "../accounts/digest.ts"
import type { ValidAddress } from "../address/parse.ts"
import { DAY_MS } from "../time.ts"

/** One fact about mail, as a sender reports it. */
export interface Fact {
  readonly address: ValidAddress
  readonly kind: FeedbackKind
  /** Source of the report: a provider's name, or the caller's own text. */
  readonly source: string
  /** SMTP reply or enhanced code of a bounce. */
  readonly code: string | null
  /** Set for a hard bounce whose reply concerns the sender, the message or a full mailbox. */
  readonly mailboxMayExist?: true
  /** Time of the event, Unix milliseconds; null when the sender does not report it. */
  readonly at: number | null
  /** The sender's own id of the event. */
  readonly id: string | null
}

/**
 * Deduplication key of a fact. With an id: account, source, id and kind (one message may have many recipients). Without:
 * content and time, or the UTC day of the report when there is no time.
 * @param hash of the address, so that the key alone does not reveal it
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

/** The suppression reason that a fact causes; null when it causes none. */
export function suppressionOf(kind: FeedbackKind, origin: "caller" | "provider"): SuppressionReason | null {
  if (kind === "hard_bounce") return "hard_bounce"
  if (origin === "caller") return null
  if (kind === "unsubscribe") return "unsubscribe"
  return kind === "spam_complaint" ? "spam_complaint" : null
}

const FLAGGING: ReadonlySet<FeedbackKind> = new Set(["hard_bounce", "received", "unsubscribe", "spam_complaint"])

/**
 * Whether a fact can change the account flags of any address. Other facts change only those of an address that bounced.
 */
export function changesAccountFlags(kind: FeedbackKind): boolean {
  return FLAGGING.has(kind)
}
