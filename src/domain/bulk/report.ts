import type { Grade, Status } from "../../../schema/vocabulary.ts"
import { operatorOf } from "../smtp-reply/operators.ts"
import { gradeOf } from "../verdict/score.ts"
import { type Bounce, bounceOf, type Counts, type SendingRisk, sendingRiskOf } from "./bounce-rate.ts"
import { type ItemTraits, PROBLEMS } from "./problems.ts"
import { type Recommendation, recommend } from "./recommend.ts"

/** A group of items with the same features: their count and the sum of their scores. */
export interface ItemGroup extends ItemTraits {
  readonly isFree: boolean
  readonly isSubaddress: boolean
  /** The send decision, without the account's flags. */
  readonly canSend: boolean
  /** floor(score / 10); 100 counts as 9. */
  readonly band: number
  readonly count: number
  readonly scoreSum: number
}

/** Items of one mail host with the same status. */
export interface HostGroup {
  readonly mxHost: string | null
  readonly status: Status
  readonly count: number
}

export interface Report {
  /** Number of finished items in the report. */
  readonly analyzed: number
  /** The average score, and its grade by the bands of single addresses. */
  readonly health: { readonly score: number; readonly grade: Grade }
  readonly sendingRisk: SendingRisk
  readonly counts: Counts
  readonly traits: Readonly<Record<"disposable" | "role" | "free" | "subaddress", number>>
  readonly averageScore: number
  /** Items whose score allows sending, and to which the account may send. */
  readonly sendable: number
  /** Items per band of ten points, the lowest first. */
  readonly bands: readonly number[]
  /** The largest first. */
  readonly operators: readonly { readonly operator: string; readonly total: number; readonly counts: Counts }[]
  /** The most frequent first. */
  readonly problems: readonly { readonly problem: string; readonly message: string; readonly count: number }[]
  readonly bounce: Bounce
  readonly recommendations: readonly Recommendation[]
}

const NONE: Counts = { valid: 0, invalid: 0, accept_all: 0, unknown: 0, invalid_syntax: 0 }
const OPERATORS_SHOWN = 20
/**
 * Reports on a list from groups of its items. Groups may come in any order and in any number of parts.
 * @param forbidden sendable items that the account's suppressions and reports forbid
 */
export function reportOn(groups: readonly ItemGroup[], hosts: readonly HostGroup[], forbidden = 0): Report {
  const sum = (of: (group: ItemGroup) => number) => groups.reduce((total, group) => total + of(group), 0)
  const number = (has: (group: ItemGroup) => boolean) => sum((group) => (has(group) ? group.count : 0))
  const analyzed = sum(({ count }) => count)
  const counts = countsOf(groups)
  const averageScore = analyzed === 0 ? 0 : sum(({ scoreSum }) => scoreSum) / analyzed
  const bounce = bounceOf(counts)
  const problems = PROBLEMS.map(({ problem, message, concerns }) => ({ problem, message, count: number(concerns) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
  return {
    analyzed,
    health: { score: Math.round(averageScore), grade: gradeOf(Math.round(averageScore)) },
    sendingRisk: sendingRiskOf(bounce),
    counts,
    traits: {
      disposable: number(({ isDisposable }) => isDisposable),
      role: number(({ isRole }) => isRole),
      free: number(({ isFree }) => isFree),
      subaddress: number(({ isSubaddress }) => isSubaddress),
    },
    averageScore,
    sendable: number(({ canSend }) => canSend) - forbidden,
    bands: Array.from({ length: 10 }, (_, band) => number((group) => group.band === band)),
    operators: operatorsOf(hosts),
    problems,
    bounce,
    recommendations: recommend({ groups, bounce, analyzed }),
  }
}

function countsOf(groups: readonly { readonly status: Status; readonly count: number }[]): Counts {
  const counts = { ...NONE }
  for (const { status, count } of groups) counts[status] += count
  return counts
}

function operatorsOf(hosts: readonly HostGroup[]): Report["operators"] {
  const byOperator = Map.groupBy(hosts, ({ mxHost }) => operatorOf(mxHost ?? undefined))
  return [...byOperator]
    .map(([operator, groups]) => ({
      operator,
      total: groups.reduce((total, { count }) => total + count, 0),
      counts: countsOf(groups),
    }))
    .toSorted((a, b) => b.total - a.total || (a.operator < b.operator ? -1 : 1))
    .slice(0, OPERATORS_SHOWN)
}
