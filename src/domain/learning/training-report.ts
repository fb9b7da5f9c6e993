import { wilson } from "../finder/wilson.ts"
import { type CalibrationBin, calibrationTable, type Metrics, measure, type Scored } from "./fit-metrics.ts"
import { type Coefficients, logOddsAt, sigmoid } from "./logistic.ts"
import { coefficientsOf, type Model } from "./model.ts"
import type { TimeSlice, TimeSplit } from "./parts.ts"
import type { Sample } from "./sample.ts"

export interface TrainingReport {
  readonly samples: number
  readonly arrived: number
  readonly bounced: number
  readonly accounts: number
  /** Weight share of the heaviest account. */
  readonly largestShare: number
  /** Largest score change of any address when one account is left out. */
  readonly largestInfluence: number
  /** Metrics on the held-out samples: the new model, the prior and the active model. */
  readonly heldOut: Metrics
  readonly prior: Metrics
  readonly current: Metrics
  readonly calibration: readonly CalibrationBin[]
  readonly byOperator: readonly OperatorMetrics[]
  readonly byScore: readonly ScoreBand[]
}

interface OperatorMetrics {
  readonly operator: string
  readonly metrics: Metrics
}

/** Bounce rate of addresses in a score band. */
interface ScoreBand {
  /** Null for all operators. */
  readonly operator: string | null
  /** Scores from and below; the last band includes 100. */
  readonly from: number
  readonly to: number
  readonly samples: number
  readonly bounced: number
  readonly low: number
  readonly high: number
}

/** Fewer samples show nothing, and might show whose they are. */
const MIN_SHOWN = 50
const BAND = 20

export interface ReportInput {
  readonly samples: readonly Sample[]
  readonly parts: TimeSplit
  readonly coefficients: Coefficients
  readonly prior: Model
  readonly current: Model
}

export function reportOn(
  { samples, parts, coefficients, prior, current }: ReportInput,
  audited: Pick<TrainingReport, "largestShare" | "largestInfluence">,
): TrainingReport {
  const { judged } = parts
  const scored = score(coefficients, judged)
  const arrived = samples.filter(({ outcome }) => outcome === 1).length
  return {
    samples: samples.length,
    arrived,
    bounced: samples.length - arrived,
    accounts: new Set(samples.map(({ accountId }) => accountId)).size,
    ...audited,
    heldOut: measure(scored)!,
    prior: measure(score(coefficientsOf(prior), judged))!,
    current: measure(score(coefficientsOf(current), judged))!,
    calibration: calibrationTable(scored),
    byOperator: byOperator(judged.samples, scored),
    byScore: byScore(samples),
  }
}

function score(coefficients: Coefficients, { data }: TimeSlice): Scored[] {
  return Array.from(data.outcomes, (outcome, row) => ({
    probability: sigmoid(logOddsAt(coefficients, data.values, row * data.width)),
    outcome,
    weight: data.weights[row]!,
  }))
}

const operatorOf = ({ operator }: Sample) => operator ?? "other"

function byOperator(samples: readonly Sample[], scored: readonly Scored[]): OperatorMetrics[] {
  const operators = Map.groupBy(scored.keys(), (at) => operatorOf(samples[at]!))
  return [...operators]
    .filter(([, rows]) => rows.length >= MIN_SHOWN)
    .map(([operator, rows]) => ({ operator, metrics: measure(rows.map((at) => scored[at]!))! }))
    .toSorted((a, b) => b.metrics.samples - a.metrics.samples)
}

/** Bounce rates by score band, overall and per operator. Published only with enough samples. */
function byScore(samples: readonly Sample[]): ScoreBand[] {
  const bandOf = ({ score }: Sample) => Math.min(100 - BAND, Math.floor(score / BAND) * BAND)
  const groups: [string | null, readonly Sample[]][] = [[null, samples], ...Map.groupBy(samples, operatorOf)]
  return groups.flatMap(([operator, own]) =>
    [...Map.groupBy(own, bandOf)]
      .filter(([, members]) => members.length >= MIN_SHOWN)
      .map(([from, members]) => {
        const bounced = members.filter(({ outcome }) => outcome === 0).length
        const counted = { samples: members.length, bounced, ...wilson(bounced, members.length) }
        return { operator, from, to: from + BAND, ...counted }
      })
      .toSorted((a, b) => a.from - b.from),
  )
}
