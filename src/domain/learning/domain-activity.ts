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

interface ActivitySignal {
  readonly signal: "gravatar" | "verification" | "mail_arrived" | "mail_bounced" | "disposable"
  readonly points: number
  readonly message: string
}

export interface Activity {
  /** 0 to 100. Null when nothing is known. */
  readonly score: number | null
  readonly level: "active" | "likely" | "doubtful" | "inactive" | "unknown"
  readonly signals: readonly ActivitySignal[]
  readonly lastSeenAt: number | null
}

const BASE = 30

/**
 * Scores whether a mailbox is in use. Each signal counts less with age.
 * @param now Unix milliseconds
 */
export function assessActivity(evidence: ActivityEvidence, now: number): Activity {
  const { hasGravatar, verified, arrivedAt, bouncedAt } = evidence
  const signals: ActivitySignal[] = []
  const add = (signal: ActivitySignal["signal"], points: number, message: string) =>
    signals.push({ signal, points: Math.round(points), message })
  if (hasGravatar !== null) add("gravatar", hasGravatar ? 25 : -3, hasGravatar ? "has a Gravatar" : "has no Gravatar")
  if (verified) add("verification", verificationPoints(verified, now), `last verification: ${verified.status}`)
  if (arrivedAt !== null) add("mail_arrived", 45 * fade(arrivedAt, now), "mail was received, opened or clicked")
  if (bouncedAt !== null) add("mail_bounced", -60 * fade(bouncedAt, now), "mail bounced permanently")
  if (evidence.isDisposable) add("disposable", -25, "a disposable inbox")
  const isKnown = signals.some(({ signal }) => signal !== "gravatar") || hasGravatar === true
  const score = isKnown
    ? Math.max(
        0,
        Math.min(
          100,
          signals.reduce((sum, { points }) => sum + points, BASE),
        ),
      )
    : null
  const seen = [arrivedAt, verified?.status === "valid" ? verified.at : null].filter((at) => at !== null)
  return { score, level: levelOf(score), signals, lastSeenAt: seen.length > 0 ? Math.max(...seen) : null }
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

function levelOf(score: number | null): Activity["level"] {
  if (score === null) return "unknown"
  if (score >= 70) return "active"
  if (score >= 45) return "likely"
  return score >= 20 ? "doubtful" : "inactive"
}
