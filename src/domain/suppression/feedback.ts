import type { FeedbackKind, Status, SuppressionReason, VerdictOutcome } from "../../../schema/vocabulary.ts"
import { sha256 } from "../accounts/crypto.ts"
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

/** Deduplication key: of the sender's id, else of content and time, or the day. @param hash of the address */
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

/** Whether a fact can change the account flags of any address, not only of one that bounced. */
export function changesAccountFlags(kind: FeedbackKind): boolean {
  return FLAGGING.has(kind)
}

/** Count of one kind of fact for one predicted status; "" without a verdict. */
export interface KindCount {
  readonly kind: FeedbackKind
  readonly predictedStatus: string
  readonly count: number
}

/** Number of verdicts with a status and an outcome. */
export interface OutcomeCount {
  readonly status: string
  readonly outcome: VerdictOutcome
  readonly count: number
}

/** Verdicts that reports were about, each counted once. */
interface Judged {
  /** The sum of the three outcomes. */
  readonly samples: number
  readonly correct: number
  readonly incorrect: number
  /** No report proves the verdict right or wrong, such as a soft bounce or a bounce of an accept_all address. */
  readonly undecided: number
  /** Correct and incorrect verdicts: the basis of the accuracy. */
  readonly decided: number
  /** Share of correct verdicts of the decided ones; null below MIN_DECIDED of them. */
  readonly accuracy: number | null
}

export interface Accuracy extends Judged {
  readonly byStatus: readonly (Judged & { readonly status: Status })[]
}

/** Below this number of decided verdicts, chance moves a share by more than ten points, so none is shown. */
export const MIN_DECIDED = 30

/** Facts that prove a mailbox exists. A hard bounce proves the opposite. */
const ALIVE: ReadonlySet<FeedbackKind> = new Set([
  "delivered",
  "received",
  "opened",
  "clicked",
  "spam_complaint",
  "unsubscribe",
])
const JUDGED = ["valid", "invalid", "accept_all", "unknown"] as const

export function accuracyOf(counts: readonly OutcomeCount[]): Accuracy {
  const byStatus = JUDGED.map((status) => ({ status, ...judgedOf(counts.filter((one) => one.status === status)) }))
  return { ...judgedOf(counts), byStatus }
}

function judgedOf(counts: readonly OutcomeCount[]): Judged {
  const of = (outcome: VerdictOutcome) =>
    counts.reduce((sum, one) => (one.outcome === outcome ? sum + one.count : sum), 0)
  const [correct, incorrect, undecided] = [of("correct"), of("incorrect"), of("undecided")]
  const decided = correct + incorrect
  const accuracy = decided < MIN_DECIDED ? null : Math.round((correct / decided) * 10_000) / 10_000
  return { samples: decided + undecided, correct, incorrect, undecided, decided, accuracy }
}

/** What a fact proves about a verdict. Only `valid` and `invalid` predict an outcome. */
export function outcomeOf(
  { kind, mailboxMayExist }: Pick<Fact, "kind" | "mailboxMayExist">,
  status: Status,
): VerdictOutcome {
  if (kind === "report_correct") return "correct"
  if (kind === "report_incorrect") return "incorrect"
  if (status !== "valid" && status !== "invalid") return "undecided"
  if (kind === "hard_bounce") return mailboxMayExist ? "undecided" : confirmedWhen(status === "invalid")
  return ALIVE.has(kind) ? confirmedWhen(status === "valid") : "undecided"
}

function confirmedWhen(isRight: boolean): VerdictOutcome {
  return isRight ? "correct" : "incorrect"
}
