import type { Status, SubStatus } from "../../../schema/vocabulary.ts"
import { type Interval, wilson } from "../finder/wilson.ts"

export interface Expectation {
  readonly email: string
  readonly status: Status
  readonly notes: string | null
}

/** What came of one address. */
export interface Outcome {
  readonly status: Status
  readonly subStatus: SubStatus | null
  readonly score: number
  readonly cached: boolean
  /** The SMTP conversation's length; null when there was none. */
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
  /** Share of what we called so that is so, and of what is so that we called so; null without any. */
  readonly precision: number | null
  readonly recall: number | null
  readonly f1: number | null
}

export interface BenchmarkReport {
  readonly total: number
  readonly correct: number
  readonly accuracy: number
  /** 95 %. */
  readonly interval: Interval
  /** Share of addresses that were not left unknown, and how many of those were right. */
  readonly decided: number
  readonly decidedAccuracy: number | null
  readonly byStatus: readonly StatusScore[]
  /** Expected → actual → how many. */
  readonly confusion: Readonly<Partial<Record<Status, Readonly<Partial<Record<Status, number>>>>>>
  readonly timing: Timing
  readonly differences: readonly Difference[]
}

/** Milliseconds. */
interface Timing {
  /** From the first address asked about to the last answer. */
  readonly totalMs: number
  readonly cached: number
  /** Of the SMTP conversations. */
  readonly conversations: number
  readonly meanMs: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly maxMs: number | null
}

/** Holds what came of addresses against what was expected, pair by pair. */
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

/** Variant B of the interface calls a malformed address plain invalid: whoever expects that is not wrong. */
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
