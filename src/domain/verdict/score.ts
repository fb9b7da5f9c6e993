import type { Grade } from "../../../schema/vocabulary.ts"
import { rblPenalty } from "../lists/rbl.ts"
import { hasMailHost } from "./domain-facts.ts"
import type { Evidence } from "./evidence.ts"
import type { Verdict } from "./judge.ts"

/** Integer points per component, with the ranges of the spec. Their sum is the uncapped score. */
export interface ScoreBreakdown {
  readonly base: number // 50
  readonly smtpBonus: number // 0..30
  readonly mxBonus: number // 0..10
  readonly rblPenalty: number // -30..0
  readonly disposablePenalty: number // -40..0
  readonly rolePenalty: number // -10..0
  readonly mlAdjustment: number // -20..+20
  readonly receivedBonus: number // 0 or +25
}

export interface Score {
  readonly total: number // 0..100
  readonly grade: Grade
  readonly breakdown: ScoreBreakdown
}

const SMTP_BONUS = { verified: 30, catchAllInconclusive: 22, catchAll: 10 } as const
/** Points of the MX bonus. The last one needs an accepted recipient, so that an unverified mailbox stays below can_send. */
const MX_POINTS = { hasMx: 3, spf: 2, dmarc: 2, greeted: 2, accepted: 1 } as const
const INVALID_CAP = 10
/** The account has received mail from the address, so it exists, whatever its server answers to a probe. */
const RECEIVED_BONUS = 25
const GRADE_FLOORS: readonly (readonly [number, Grade])[] = [
  [90, "A"],
  [75, "B"],
  [60, "C"],
  [40, "D"],
  [0, "F"],
]
export const CAN_SEND_FROM = 60

/** The 0-100 score of a verdict, with the points that make it up. `invalid` is capped at 10, a malformed address is 0. */
export function score(evidence: Evidence, verdict: Verdict): Score {
  const breakdown: ScoreBreakdown = {
    base: 50,
    smtpBonus: smtpBonus(verdict),
    mxBonus: mxBonus(evidence, verdict),
    rblPenalty: evidence.domain?.rbl ? rblPenalty(evidence.domain.rbl) : 0,
    disposablePenalty: evidence.lists.isDisposable ? -40 : 0,
    rolePenalty: evidence.lists.isRole ? -10 : 0,
    mlAdjustment: 0,
    receivedBonus: 0,
  }
  return sumUp(breakdown, verdict)
}

/** The score after mail from the address was received: adds the bonus and drops the catch-all deduction. */
export function confirmReceived(breakdown: ScoreBreakdown, verdict: Pick<Verdict, "status">): Score {
  const isAccepted = verdict.status === "valid" || verdict.status === "accept_all"
  const smtpBonus = isAccepted ? SMTP_BONUS.verified : breakdown.smtpBonus
  return sumUp({ ...breakdown, smtpBonus, receivedBonus: RECEIVED_BONUS }, verdict)
}

/** The score with a model's adjustment. @param points bounded by `adjustmentOf` */
export function adjust(breakdown: ScoreBreakdown, verdict: Pick<Verdict, "status">, points: number): Score {
  return sumUp({ ...breakdown, mlAdjustment: points }, verdict)
}

/** The score of points for a status, with its cap. */
export function sumUp(breakdown: ScoreBreakdown, verdict: Pick<Verdict, "status">): Score {
  const sum = Object.values(breakdown).reduce((total, points) => total + points, 0)
  const total = cap(Math.max(0, Math.min(100, sum)), verdict)
  return { total, grade: gradeOf(total), breakdown }
}

export function gradeOf(total: number): Grade {
  return GRADE_FLOORS.find(([floor]) => total >= floor)![1]
}

/**
 * The send decision (spec, variant A): score of 60 or more, not invalid; a full mailbox cannot take mail.
 * @param isForbidden the account suppressed the address, or its mail there bounced or was reported as spam
 */
export function canSend({ total }: Score, { status, finding }: Verdict, isForbidden: boolean): boolean {
  if (isForbidden || status === "invalid" || status === "invalid_syntax" || finding === "mailbox_full") return false
  return total >= CAN_SEND_FROM
}

function cap(total: number, { status }: Pick<Verdict, "status">): number {
  if (status === "invalid_syntax") return 0
  return status === "invalid" ? Math.min(total, INVALID_CAP) : total
}

function smtpBonus({ status, isCatchAll }: Verdict): number {
  if (status === "accept_all") return SMTP_BONUS.catchAll
  if (status !== "valid") return 0
  return isCatchAll === null ? SMTP_BONUS.catchAllInconclusive : SMTP_BONUS.verified
}

function mxBonus({ domain, mailbox }: Evidence, { smtpStatus }: Verdict): number {
  if (!domain || !hasMailHost(domain.route)) return 0
  return (
    (domain.route.kind === "mx" ? MX_POINTS.hasMx : 0) +
    (domain.spf?.kind === "valid" ? MX_POINTS.spf : 0) +
    (domain.dmarc?.kind === "record" ? MX_POINTS.dmarc : 0) +
    (mailbox?.session?.greeting?.code === 220 ? MX_POINTS.greeted : 0) +
    (smtpStatus === "accepted" ? MX_POINTS.accepted : 0)
  )
}
