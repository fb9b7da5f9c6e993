import type { Status, SyncState } from "../../../schema/vocabulary.ts"
import { isInvalid } from "../lists/list-problems.ts"
import { isTemporary } from "../verification/next-attempt.ts"
import type { Verification } from "../verification/verification.ts"

/** A contact in a provider's list. */
export interface Contact {
  /** The provider's id. */
  readonly id: string
  readonly email: string
}

/** The result that is written back about a contact. */
export interface ContactFinding extends Contact {
  readonly status: Status
  readonly score: number
  /** Mail to the address bounces. Lists exclude such members. */
  readonly isUnsafe: boolean
}

/**
 * The finding of a verification; null when the mail server must be probed again, so that a temporary failure overwrites
 * nothing. Only a proven negative is unsafe: an uncertain result removes no contact from a list.
 */
export function findingOf(contact: Contact, verification: Verification): ContactFinding | null {
  if (isTemporary(verification)) return null
  const { status } = verification.verdict
  return { ...contact, status, score: verification.score.total, isUnsafe: isInvalid(status) }
}

/** Why a complete sync wrote no contact. */
export const WROTE_NOTHING = ["no_contacts", "all_undecided", "all_rejected", "undecided_and_rejected"] as const
export type WroteNothing = (typeof WROTE_NOTHING)[number]

/**
 * How an integration is. `failing`: its provider has never answered a request as it should. `needs_attention`: it worked,
 * and its sync has stopped or was rejected completely, or all events of 24 hours failed. `idle`: no events in 24 hours.
 */
export const INTEGRATION_HEALTHS = ["ok", "working", "failing", "needs_attention", "idle"] as const
export type IntegrationHealth = (typeof INTEGRATION_HEALTHS)[number]

/** The counters of a sync. */
interface SyncCounts {
  readonly state: SyncState
  readonly contacts: number
  readonly written: number
  readonly undecided: number
  readonly rejected: number
}

/** Why a complete sync wrote no contact; null when it wrote some or is not complete. */
export function wroteNothing({ state, contacts, written, undecided, rejected }: SyncCounts): WroteNothing | null {
  if (state !== "complete" || written > 0) return null
  if (contacts === 0) return "no_contacts"
  if (undecided > 0 && rejected > 0) return "undecided_and_rejected"
  return rejected > 0 ? "all_rejected" : "all_undecided"
}

export const WROTE_NOTHING_TEXTS: Readonly<Record<WroteNothing, string>> = {
  no_contacts: "nothing was written: the provider has no contacts with an address",
  all_undecided: "nothing was written: every address must be probed again; start the sync again later",
  all_rejected: "nothing was written: the provider rejected every result; the log has its error code",
  undecided_and_rejected:
    "nothing was written: some addresses must be probed again, and the provider rejected the other results",
}

export interface Activity {
  /** The newest sync, null before the first. */
  readonly sync: SyncCounts | null
  /** Events of the last 24 hours. */
  readonly recent: { readonly succeeded: number; readonly failed: number }
  /** Unix milliseconds of the last answer as it should be, and of the last failure; null without one. */
  readonly lastAnswerAt: number | null
  readonly lastFailureAt: number | null
}

export function healthOf({ sync, recent, lastAnswerAt, lastFailureAt }: Activity): IntegrationHealth {
  if (lastAnswerAt === null && lastFailureAt !== null) return "failing"
  if (sync?.state === "failed" || sync?.state === "out_of_credits") return "needs_attention"
  if (sync && sync.state !== "complete") return "working"
  if (sync && wroteNothing(sync) === "all_rejected") return "needs_attention"
  if (recent.succeeded === 0 && recent.failed > 0) return "needs_attention"
  return recent.succeeded > 0 ? "ok" : "idle"
}
