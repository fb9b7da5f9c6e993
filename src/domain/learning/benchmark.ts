import type { Status, SubStatus } from "../../../schema/vocabulary.ts"
import { type Interval, wilson } from "../wilson.ts"

export interface Expectation {
  readonly email: string
  readonly status: Status
  readonly notes: string | null
}

/** The actual result of one address. */
export interface Outcome {
  readonly status: Status
  readonly subStatus: SubStatus | null
  readonly score: number
  readonly cached: boolean
  /** Duration of the SMTP conversation; null without one. */
  readonly smtpMs: number | null
}

interface Difference {
  readonly email: string
  readonly expected: Status
  readonly actual: Status
  readonly subStatus: SubStatus | null
  readonly score: number
  readonly notes: string | null
}

interface StatusScore {
  readonly status: Status
  readonly expected: number
  readonly predicted: number
  readonly correct: number
  /** Precision: correct of predicted. Recall: correct of expected. Null for an empty set. */
  readonly precision: number | null
  readonly recall: number | null
  readonly f1: number | null
}

export interface BenchmarkReport {
  readonly total: number
  readonly correct: number
  readonly accuracy: number
  /** 95 % Wilson interval. */
  readonly interval: Interval
  /** Share of results that are not unknown, and the accuracy of those. */
  readonly decided: number
  readonly decidedAccuracy: number | null
  readonly byStatus: readonly StatusScore[]
  /** Count by expected and actual status. */
  readonly confusion: Readonly<Partial<Record<Status, Readonly<Partial<Record<Status, number>>>>>>
  readonly timing: Timing
  readonly differences: readonly Difference[]
}

/** Milliseconds. */
interface Timing {
  /** From the first request to the last result. */
  readonly totalMs: number
  readonly cached: number
  /** Number of SMTP conversations; the times below are theirs. */
  readonly conversations: number
  readonly meanMs: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly maxMs: number | null
}

/** Compares results with expectations, pair by pair. */
export function reportBenchmark(
  expected: readonly Expectation[],
  outcomes: readonly Outcome[],
  totalMs: number,
): BenchmarkReport {
  const pairs = expected.map((expectation, at) => ({ expectation, outcome: read(expectation, outcomes[at]!) }))
  const correct = pairs.filter(isCorrect).length
  const decided = pairs.filter(({ outcome }) => outcome.status !== "unknown")
  const seen = new Set(pairs.flatMap(({ expectation, outcome }) => [expectation.status, outcome.status]))
  return {
    total: pairs.length,
    correct,
    accuracy: correct / pairs.length,
    interval: wilson(correct, pairs.length),
    decided: decided.length / pairs.length,
    decidedAccuracy: share(decided.filter(isCorrect).length, decided.length),
    byStatus: [...seen].map((status) => scoreOf(status, pairs)),
    confusion: confusionOf(pairs),
    timing: { totalMs, ...timingOf(outcomes) },
    differences: pairs
      .filter((pair) => !isCorrect(pair))
      .map(({ expectation: { email, status, notes }, outcome }) => {
        const { subStatus, score } = outcome
        return { email, expected: status, actual: outcome.status, subStatus, score, notes }
      }),
  }
}

interface Pair {
  readonly expectation: Expectation
  readonly outcome: Outcome
}

const isCorrect = ({ expectation, outcome }: Pair) => expectation.status === outcome.status

/** Variant B of the API reports a malformed address as `invalid`, so that expectation is correct too. */
function read({ status }: Expectation, outcome: Outcome): Outcome {
  return status === "invalid" && outcome.status === "invalid_syntax" ? { ...outcome, status: "invalid" } : outcome
}

function scoreOf(status: Status, pairs: readonly Pair[]): StatusScore {
  const expected = pairs.filter(({ expectation }) => expectation.status === status).length
  const predicted = pairs.filter(({ outcome }) => outcome.status === status).length
  const correct = pairs.filter((pair) => pair.outcome.status === status && isCorrect(pair)).length
  const [precision, recall] = [share(correct, predicted), share(correct, expected)]
  const f1 = share(2 * correct, predicted + expected)
  return { status, expected, predicted, correct, precision, recall, f1 }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

function confusionOf(pairs: readonly Pair[]): BenchmarkReport["confusion"] {
  const matrix: Partial<Record<Status, Partial<Record<Status, number>>>> = {}
  for (const { expectation, outcome } of pairs) {
    const row = matrix[expectation.status] ?? {}
    matrix[expectation.status] = { ...row, [outcome.status]: (row[outcome.status] ?? 0) + 1 }
  }
  return matrix
}

function timingOf(outcomes: readonly Outcome[]): Omit<Timing, "totalMs"> {
  const lengths = outcomes.flatMap(({ smtpMs, cached }) => (smtpMs === null || cached ? [] : [smtpMs]))
  const sorted = lengths.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
  const mean = sorted.length === 0 ? null : sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length
  return {
    cached: outcomes.filter(({ cached }) => cached).length,
    conversations: sorted.length,
    meanMs: mean,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: sorted.at(-1) ?? null,
  }
}
