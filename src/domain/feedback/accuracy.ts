import type { FeedbackKind, Status } from "../../../schema/vocabulary.ts"

/** Count of one kind of fact for one predicted status; "" without a verdict. */
export interface KindCount {
  readonly kind: FeedbackKind
  readonly predictedStatus: string
  readonly count: number
}

interface StatusAccuracy {
  readonly status: Status
  readonly correct: number
  readonly incorrect: number
  /** Share of correct verdicts; null without any. */
  readonly accuracy: number | null
}

export interface Accuracy {
  readonly samples: number
  readonly correct: number
  readonly incorrect: number
  /** Facts that decide nothing: unknown or accept_all verdicts, soft bounces, addresses never verified. */
  readonly undecided: number
  readonly accuracy: number | null
  readonly byStatus: readonly StatusAccuracy[]
}

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

/** Accuracy of verdicts, measured by later feedback. */
export function accuracyOf(counts: readonly KindCount[]): Accuracy {
  const totals = new Map<string, { correct: number; incorrect: number }>()
  let undecided = 0
  for (const { kind, predictedStatus, count } of counts) {
    const isRight = confirms(kind, predictedStatus)
    if (isRight === null) undecided += count
    const entry = totals.get(predictedStatus) ?? { correct: 0, incorrect: 0 }
    totals.set(predictedStatus, {
      correct: entry.correct + (isRight === true ? count : 0),
      incorrect: entry.incorrect + (isRight === false ? count : 0),
    })
  }
  const all = [...totals.values()]
  const correct = all.reduce((sum, entry) => sum + entry.correct, 0)
  const incorrect = all.reduce((sum, entry) => sum + entry.incorrect, 0)
  const byStatus = JUDGED.map((status) => {
    const entry = totals.get(status) ?? { correct: 0, incorrect: 0 }
    return { status, ...entry, accuracy: share(entry.correct, entry.incorrect) }
  })
  const samples = correct + incorrect + undecided
  return { samples, correct, incorrect, undecided, accuracy: share(correct, incorrect), byStatus }
}

/** Whether a fact confirms a verdict; null when it decides nothing. */
function confirms(kind: FeedbackKind, status: string): boolean | null {
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
