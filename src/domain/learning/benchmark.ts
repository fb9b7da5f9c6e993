import type { Status, SubStatus } from "../../../schema/vocabulary.ts"
import { wilson } from "../wilson.ts"

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

export type BenchmarkReport = ReturnType<typeof reportBenchmark>

/** Compares results with expectations, pair by pair. @param totalMs from the first request to the last result */
export function reportBenchmark(expected: readonly Expectation[], outcomes: readonly Outcome[], totalMs: number) {
  const pairs = expected.map((expectation, at) => ({ expectation, outcome: read(expectation, outcomes[at]!) }))
  const correct = pairs.filter(isCorrect).length
  const decided = pairs.filter(({ outcome }) => outcome.status !== "unknown")
  const statuses = new Set(pairs.flatMap(({ expectation, outcome }) => [expectation.status, outcome.status]))
  return {
    total: pairs.length,
    correct,
    accuracy: correct / pairs.length,
    /** 95 % Wilson interval. */
    interval: wilson(correct, pairs.length),
    /** Share of results that are not unknown, and the accuracy of those. */
    decided: decided.length / pairs.length,
    decidedAccuracy: share(decided.filter(isCorrect).length, decided.length),
    byStatus: [...statuses].map((status) => scoreOf(status, pairs)),
    confusion: confusionOf(pairs),
    timing: { totalMs, ...timingOf(outcomes) },
    differences: pairs
      .filter((pair) => !isCorrect(pair))
      .map(({ expectation: { email, status, notes }, outcome: { status: actual, subStatus, score } }) => {
        return { email, expected: status, actual, subStatus, score, notes }
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

/** Precision: correct of predicted. Recall: correct of expected. Null for an empty set. */
function scoreOf(status: Status, pairs: readonly Pair[]) {
  const expected = pairs.filter(({ expectation }) => expectation.status === status).length
  const predicted = pairs.filter(({ outcome }) => outcome.status === status).length
  const correct = pairs.filter((pair) => pair.outcome.status === status && isCorrect(pair)).length
  const [precision, recall] = [share(correct, predicted), share(correct, expected)]
  return { status, expected, predicted, correct, precision, recall, f1: share(2 * correct, predicted + expected) }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Counts by expected and actual status. */
function confusionOf(pairs: readonly Pair[]) {
  const matrix: Partial<Record<Status, Partial<Record<Status, number>>>> = {}
  for (const { expectation, outcome } of pairs) {
    const row = matrix[expectation.status] ?? {}
    matrix[expectation.status] = { ...row, [outcome.status]: (row[outcome.status] ?? 0) + 1 }
  }
  return matrix
}

/** The times of the SMTP conversations, in ms. */
function timingOf(outcomes: readonly Outcome[]) {
  const lengths = outcomes.flatMap(({ smtpMs, cached }) => (smtpMs === null || cached ? [] : [smtpMs]))
  const sorted = lengths.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
  return {
    cached: outcomes.filter(({ cached }) => cached).length,
    conversations: sorted.length,
    meanMs: sorted.length === 0 ? null : sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: sorted.at(-1) ?? null,
  }
}
