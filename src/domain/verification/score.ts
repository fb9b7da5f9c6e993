import type { Grade } from "../../../schema/vocabulary.ts"
import { SENDABLE_PROBABILITY } from "../learning/catch-all.ts"
import { rblPenalty } from "../reference/rbl.ts"
import { type Evidence, hasMailHost } from "./evidence.ts"
import type { Verdict } from "./judge.ts"
import { CAN_SEND_FROM } from "./send-decision.ts"

/** Integer points per component, with the ranges of the spec. Their sum is the uncapped score. */
type ScoreBreakdown = Readonly<Record<keyof typeof NO_POINTS, number>>

/** The breakdown of a malformed address. */
const NO_POINTS = {
  base: 0, // or 50
  smtpBonus: 0, // to 30
  catchAllBonus: 0, // -20..+14
  mxBonus: 0, // to 10
  rblPenalty: 0, // from -30
  disposablePenalty: 0, // or -40
  rolePenalty: 0, // or -10
  mlAdjustment: 0, // -20..+20
  receivedBonus: 0, // or +25
}

export interface Score {
  readonly total: number // 0..100
  readonly grade: Grade
  readonly breakdown: ScoreBreakdown
}

const SMTP_BONUS = { verified: 30, catchAllInconclusive: 22, catchAll: 10 } as const
/** Difference of probability for each point of the catch-all bonus. */
const PROBABILITY_PER_POINT = 0.02
const MIN_CATCH_ALL_BONUS = -20
/** The highest bonus of a mailbox that is not likely enough. The highest score with it is 59. */
const UNLIKELY_BONUS = -11
/** The highest score of an invalid address. */
export const INVALID_CAP = 10
/** The account has received mail from the address, so it exists, whatever its server answers to a probe. */
const RECEIVED_BONUS = 25
const GRADE_FLOORS: readonly (readonly [number, Grade])[] = [
  [90, "A"],
  [75, "B"],
  [60, "C"],
  [40, "D"],
  [0, "F"],
]

/** The score of a verdict. @param probability that an accept-all mailbox exists, by the catch-all classifier */
export function score(evidence: Evidence, verdict: Verdict, probability: number | null): Score {
  if (verdict.status === "invalid_syntax") return sumUp(NO_POINTS, verdict)
  const breakdown: ScoreBreakdown = {
    ...NO_POINTS,
    base: 50,
    smtpBonus: smtpBonus(verdict),
    catchAllBonus: verdict.status === "accept_all" && probability !== null ? catchAllBonus(probability) : 0,
    mxBonus: Object.values(mxPoints(evidence, verdict)).reduce((sum, points) => sum + points, 0),
    rblPenalty: evidence.domain?.rbl ? rblPenalty(evidence.domain.rbl) : 0,
    disposablePenalty: evidence.lists.isDisposable ? -40 : 0,
    rolePenalty: evidence.lists.isRole ? -10 : 0,
  }
  return sumUp(breakdown, verdict)
}

/** Points of a catch-all mailbox, -20 to +14: one per 2 % from 70 % on. Below, at most -11 forbid sending. */
export function catchAllBonus(probability: number): number {
  // Thousandths, because 0.7 has no exact binary form.
  const thousandths = Math.round((probability - SENDABLE_PROBABILITY) * 1_000)
  const points = Math.floor(thousandths / (PROBABILITY_PER_POINT * 1_000))
  return points >= 0 ? points : Math.max(MIN_CATCH_ALL_BONUS, Math.min(UNLIKELY_BONUS, points))
}

/** The score after received mail: adds the bonus, and counts an accepted recipient as verified. */
export function confirmReceived(breakdown: ScoreBreakdown, verdict: Pick<Verdict, "status">): Score {
  if (verdict.status === "invalid_syntax") return sumUp(breakdown, verdict)
  const isAccepted = verdict.status === "valid" || verdict.status === "accept_all"
  const smtpBonus = isAccepted ? SMTP_BONUS.verified : breakdown.smtpBonus
  return sumUp({ ...breakdown, smtpBonus, catchAllBonus: 0, receivedBonus: RECEIVED_BONUS }, verdict)
}

/** The score of points for a status, with its cap. */
export function sumUp(breakdown: ScoreBreakdown, { status }: Pick<Verdict, "status">): Score {
  const sum = Object.values(breakdown).reduce((total, points) => total + points, 0)
  const total = Math.max(0, Math.min(status === "invalid" ? INVALID_CAP : 100, sum))
  return { total, grade: gradeOf(total), breakdown }
}

export function gradeOf(total: number): Grade {
  return GRADE_FLOORS.find(([floor]) => total >= floor)![1]
}

function smtpBonus({ status, isCatchAll }: Verdict): number {
  if (status === "accept_all") return SMTP_BONUS.catchAll
  if (status !== "valid") return 0
  return isCatchAll === null ? SMTP_BONUS.catchAllInconclusive : SMTP_BONUS.verified
}

/** The points of the MX bonus by the fact that earns them. Without the last one, a mailbox stays below can_send. */
export function mxPoints({ address, domain, mailbox }: Evidence, { smtpStatus }: Pick<Verdict, "smtpStatus">) {
  const hasHost = address.ok && domain !== null && hasMailHost(domain.route)
  const earned = (points: number, isEarned: boolean) => (hasHost && isEarned ? points : 0)
  return {
    route: earned(3, domain?.route.kind === "mx"),
    spf: earned(2, domain?.spf?.kind === "valid"),
    dmarc: earned(2, domain?.dmarc?.kind === "record"),
    greeting: earned(2, mailbox?.session?.greeting?.code === 220),
    rcpt: earned(1, smtpStatus === "accepted"),
  }
}

export const MAX_ADJUSTMENT = 20
/** Points per unit of probability: half of the distance between the rules' points and the model's. */
export const POINTS_PER_PROBABILITY = 50
/** Points of a prediction, -20 to +20: half the distance from the rules' points for reaching the mailbox. */
export function adjustmentOf(
  probability: number,
  breakdown: Pick<ScoreBreakdown, "base" | "smtpBonus" | "catchAllBonus" | "mxBonus">,
  { status }: Pick<Verdict, "status">,
): number {
  if (status === "invalid" || status === "invalid_syntax") return 0
  const { base, smtpBonus, catchAllBonus, mxBonus } = breakdown
  const byRules = base + smtpBonus + catchAllBonus + mxBonus
  const half = Math.round(POINTS_PER_PROBABILITY * probability - byRules / 2)
  const bounded = Math.max(-MAX_ADJUSTMENT, Math.min(MAX_ADJUSTMENT, half))
  if (status !== "unknown" && catchAllBonus >= 0) return bounded
  // The model alone makes neither an unanswered address nor an unlikely catch-all mailbox sendable.
  return Math.min(bounded, Math.max(0, CAN_SEND_FROM - 1 - byRules))
}
