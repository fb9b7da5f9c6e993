import type { Grade, Status } from "../../../schema/vocabulary.ts"
import { counted } from "../counted.ts"
import { operatorOf } from "../smtp-reply/operators.ts"
import { gradeOf } from "../verification/score.ts"
import {
  type Bounce,
  bounceOf,
  type Counts,
  ENOUGH_DECIDED,
  type ItemTraits,
  isInvalid,
  PROBLEMS,
  type SendingRisk,
  sendingRiskOf,
} from "./list-problems.ts"

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
  const number = (has: (group: ItemGroup) => boolean) => numberOf(groups, has)
  const analyzed = number(() => true)
  const counts = countsOf(groups)
  const averageScore = analyzed === 0 ? 0 : groups.reduce((sum, { scoreSum }) => sum + scoreSum, 0) / analyzed
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
    recommendations: recommend(groups, { bounce, analyzed }),
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

/** Number of items in the groups that have a feature. */
function numberOf(groups: readonly ItemGroup[], has: (group: ItemGroup) => boolean): number {
  return groups.reduce((sum, group) => sum + (has(group) ? group.count : 0), 0)
}

interface Recommendation {
  readonly action: string
  readonly message: string
  /** Number of addresses that the advice is about. */
  readonly affected: number
}

interface Rule {
  readonly action: string
  /** Problems that trigger the rule. */
  readonly problems: readonly string[]
  /** Addresses that the rule is about, when they have one of the problems. */
  readonly concerns: (item: ItemGroup) => boolean
  /** Minimum share of the list, 0-1. */
  readonly from: number
  readonly message: (affected: string) => string
}

/** Without the addresses that are removed anyway. */
const notInvalid = ({ status }: ItemGroup) => !isInvalid(status)

/** Recommendations for a list, the most urgent first. */
const RULES: readonly Rule[] = [
  {
    action: "remove_invalid",
    problems: ["malformed", "domain_takes_no_mail", "mailbox_not_found"],
    concerns: () => true,
    from: 0,
    message: (n) => `Remove the ${n} that cannot receive mail before you send.`,
  },
  {
    action: "remove_disposable",
    problems: ["disposable"],
    concerns: notInvalid,
    from: 0,
    message: (n) => `Remove the ${n} of disposable mail services, and require a permanent address at sign-up.`,
  },
  {
    action: "do_not_send_to_catch_all",
    problems: ["catch_all"],
    concerns: ({ canSend }) => !canSend,
    from: 0.01,
    message: (n) => `Do not send to the ${n} of accept-all domains that cannot be confirmed.`,
  },
  {
    action: "send_slowly_to_catch_all",
    problems: ["catch_all"],
    concerns: ({ canSend }) => canSend,
    from: 0.01,
    message: (n) =>
      `Send to the ${n} of accept-all domains with a good score last and in small batches, and stop at the first bounces.`,
  },
  {
    action: "retry_later",
    problems: ["temporary_failure", "unreachable", "mailbox_full"],
    concerns: notInvalid,
    from: 0.01,
    message: (n) =>
      `Verify the ${n} with a full mailbox, or with a mail server that deferred or did not answer, again in a day.`,
  },
  {
    action: "confirm_by_mail",
    problems: ["refused_probe"],
    concerns: notInvalid,
    from: 0.05,
    message: (n) =>
      `The mail servers of ${n} refused our probe, often because they block our IP. It says nothing about the mailboxes: send only to recent openers and clickers.`,
  },
  {
    action: "set_role_accounts_apart",
    problems: ["role_account"],
    concerns: notInvalid,
    from: 0.02,
    message: (n) =>
      `Treat the ${n} of roles such as info@ separately: they complain more often and consent less often.`,
  },
]

/** Mail operators slow a sender down above this bounce rate. */
const RISKY_BOUNCES = 0.02
const FIX_SOURCE_FROM = 0.1

/** Recommendations for a list; empty when no problem is large enough. */
function recommend(groups: readonly ItemGroup[], { bounce, analyzed }: Pick<Report, "bounce" | "analyzed">) {
  const found = RULES.flatMap(({ action, problems, concerns, from, message }): Recommendation[] => {
    const kinds = PROBLEMS.filter(({ problem }) => problems.includes(problem))
    const affected = numberOf(groups, (item) => concerns(item) && kinds.some((kind) => kind.concerns(item)))
    const isRelevant = affected > 0 && affected >= from * analyzed
    return isRelevant ? [{ action, message: message(counted(affected, "address", "addresses")), affected }] : []
  })
  const { low, rate, decided } = bounce
  if (decided < ENOUGH_DECIDED) {
    const known = counted(decided, "mailbox is", "mailboxes are")
    const message = `Too few to judge the list: ${known} known to exist or not. A list is judged from ${ENOUGH_DECIDED} on.`
    if (analyzed > 0) found.push({ action: "too_few_to_tell", message, affected: decided })
    return found
  }
  if (low > RISKY_BOUNCES) {
    const message = "Do not send to this list as it is: the expected bounces would harm your sender reputation."
    found.unshift({ action: "do_not_send_yet", message, affected: analyzed })
  }
  if (rate > FIX_SOURCE_FROM) {
    const message = "Too many addresses are wrong. Check the source of the list, and verify addresses at sign-up."
    found.push({ action: "check_the_source", message, affected: numberOf(groups, ({ status }) => isInvalid(status)) })
  }
  return found
}
