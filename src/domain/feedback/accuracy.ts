import type { FeedbackKind, Status, VerdictOutcome } from "../../../schema/vocabulary.ts"
import type { Fact } from "./fact.ts"

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
  /** Share of correct verdicts among the decided ones; null below MIN_DECIDED of them. */
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

/** Accuracy of verdicts by their outcomes. */
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

/**
 * What one fact says about a verdict with that status. A bounce about the sender, the message or a full mailbox decides
 * nothing, and neither does mail about an `unknown` or `accept_all` verdict, which predicts no outcome.
 */
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
