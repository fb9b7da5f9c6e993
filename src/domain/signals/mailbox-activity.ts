import { DAY_MS } from "../time.ts"

/** Facts about the use of a mailbox. Null when unknown. Times in Unix milliseconds. */
export interface ActivityEvidence {
  readonly hasGravatar: boolean | null
  /** The last verification and its result. */
  readonly verified: { readonly status: string; readonly at: number } | null
  /** Outcomes that the caller's account reported. */
  readonly arrivedAt: number | null
  readonly bouncedAt: number | null
  readonly isDisposable: boolean
}

export const ACTIVITY_SIGNALS = [
  "base",
  "gravatar",
  "verification",
  "mail_arrived",
  "mail_bounced",
  "disposable",
  "limit",
] as const
/** Why a signal is missing. `not_reported`: by the caller's account. */
export const MISSING_ACTIVITY = ["no_answer", "not_verified", "not_reported", "not_applicable"] as const

interface ActivitySignal {
  readonly signal: (typeof ACTIVITY_SIGNALS)[number]
  readonly points: number
  readonly message: string
  /** Null when the signal is known. */
  readonly missing: (typeof MISSING_ACTIVITY)[number] | null
}

export type Activity = ReturnType<typeof assessActivity>

const BASE = 30

/** Scores whether a mailbox is in use, 0 to 100: the sum of its signals' points. @param now Unix milliseconds */
export function assessActivity(evidence: ActivityEvidence, now: number) {
  const { verified, arrivedAt } = evidence
  const found = signalsOf(evidence, now)
  const isKnown = found.some(({ signal, missing }) => missing === null && signal !== "gravatar") || evidence.hasGravatar
  if (!isKnown) {
    const base = absent("base", "not_applicable", "no score, because no sign of use is known")
    const uncounted = found.map((signal) => ({ ...signal, points: 0 }))
    return { score: null, level: "unknown" as const, signals: [base, ...uncounted], lastSeenAt: null }
  }
  const signals = [present("base", BASE, "the start of every score"), ...found]
  const sum = signals.reduce((total, { points }) => total + points, 0)
  const score = Math.max(0, Math.min(100, sum))
  if (score !== sum) signals.push(present("limit", score - sum, "the score is limited to 0 to 100"))
  const seen = [arrivedAt, verified?.status === "valid" ? verified.at : null].filter((at) => at !== null)
  return { score, level: levelOf(score), signals, lastSeenAt: seen.length > 0 ? Math.max(...seen) : null }
}

function signalsOf(evidence: ActivityEvidence, now: number): ActivitySignal[] {
  const { hasGravatar, verified, arrivedAt, bouncedAt, isDisposable } = evidence
  return [
    hasGravatar === null
      ? absent("gravatar", "no_answer", "Gravatar gave no answer")
      : present("gravatar", hasGravatar ? 25 : -3, hasGravatar ? "has a Gravatar" : "has no Gravatar"),
    verified
      ? present("verification", verificationPoints(verified, now), `last verification: ${verified.status}`)
      : absent("verification", "not_verified", "no stored verification"),
    arrivedAt === null
      ? absent("mail_arrived", "not_reported", "your account reported no mail that arrived")
      : present("mail_arrived", 45 * fade(arrivedAt, now), "mail was received, opened or clicked"),
    bouncedAt === null
      ? absent("mail_bounced", "not_reported", "your account reported no bounce")
      : present("mail_bounced", -60 * fade(bouncedAt, now), "mail bounced permanently"),
    isDisposable
      ? present("disposable", -25, "a disposable inbox")
      : absent("disposable", "not_applicable", "not a disposable inbox"),
  ]
}

/** @param points rounded to whole points */
function present(signal: ActivitySignal["signal"], points: number, message: string): ActivitySignal {
  return { signal, points: Math.round(points), message, missing: null }
}

function absent(
  signal: ActivitySignal["signal"],
  missing: NonNullable<ActivitySignal["missing"]>,
  message: string,
): ActivitySignal {
  return { signal, points: 0, message, missing }
}

function verificationPoints({ status, at }: { status: string; at: number }, now: number): number {
  if (status === "valid") return 25 * fade(at, now)
  if (status === "invalid") return -60 * fade(at, now)
  return status === "accept_all" ? 5 : 0
}

/** Returns the factor for a signal's age: 1 today, 0.5 after half a year. */
function fade(at: number, now: number): number {
  return 0.5 ** (Math.max(0, now - at) / (182 * DAY_MS))
}

function levelOf(score: number): "active" | "likely" | "doubtful" | "inactive" {
  if (score >= 70) return "active"
  if (score >= 45) return "likely"
  return score >= 20 ? "doubtful" : "inactive"
}
