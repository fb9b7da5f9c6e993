import type { FeedbackKind, Status } from "../../../schema/vocabulary.ts"

/** Facts of one kind about addresses that had been given one status; "" stands for no verdict. */
export interface KindCount {
  readonly kind: FeedbackKind
  readonly predictedStatus: string
  readonly count: number
}

interface StatusAccuracy {
  readonly status: Status
  readonly correct: number
  readonly incorrect: number
  /** Share of correct ones; null without any. */
  readonly accuracy: number | null
}

export interface Accuracy {
  readonly samples: number
  readonly correct: number
  readonly incorrect: number
  /** Facts that prove nothing: about unknown or accept_all verdicts, soft bounces, or addresses never verified. */
  readonly undecided: number
  readonly accuracy: number | null
  readonly byStatus: readonly StatusAccuracy[]
}

/** Proof that a mailbox is there, and that it is not. */
const ALIVE: ReadonlySet<FeedbackKind> = new Set([
  "delivered",
  "received",
  "opened",
  "clicked",
  "spam_complaint",
  "unsubscribe",
])
const JUDGED = ["valid", "invalid", "accept_all", "unknown"] as const

/** How often verdicts were borne out by what happened afterwards. */
export function accuracyOf(counts: readonly KindCount[]): Accuracy {
  const tally = new Map<string, { correct: number; incorrect: number }>()
  let undecided = 0
  for (const { kind, predictedStatus, count } of counts) {
    const isRight = bearsOut(kind, predictedStatus)
    if (isRight === null) undecided += count
    const entry = tally.get(predictedStatus) ?? { correct: 0, incorrect: 0 }
    tally.set(predictedStatus, {
      correct: entry.correct + (isRight === true ? count : 0),
      incorrect: entry.incorrect + (isRight === false ? count : 0),
    })
  }
  const all = [...tally.values()]
  const correct = all.reduce((sum, entry) => sum + entry.correct, 0)
  const incorrect = all.reduce((sum, entry) => sum + entry.incorrect, 0)
  const byStatus = JUDGED.map((status) => {
    const entry = tally.get(status) ?? { correct: 0, incorrect: 0 }
    return { status, ...entry, accuracy: share(entry.correct, entry.incorrect) }
  })
  const samples = correct + incorrect + undecided
  return { samples, correct, incorrect, undecided, accuracy: share(correct, incorrect), byStatus }
}

/** Whether a fact bears a verdict out; null when it proves nothing about it. */
function bearsOut(kind: FeedbackKind, status: string): boolean | null {
  if (kind === "report_correct") return status === "" ? null : true
  if (kind === "report_incorrect") return status === "" ? null : false
  if (status !== "valid" && status !== "invalid") return null
  if (kind === "hard_bounce") return status === "invalid"
  return ALIVE.has(kind) ? status === "valid" : null
}

function share(correct: number, incorrect: number): number | null {
  const total = correct + incorrect
  return total === 0 ? null : Math.round((correct / total) * 10_000) / 10_000
}
