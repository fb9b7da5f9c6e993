import type { Status } from "../../../schema/vocabulary.ts"
import { isTemporary } from "../verdict/next-attempt.ts"
import type { Verification } from "../verdict/verification.ts"

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
  const { verdict, score } = verification
  const { status } = verdict
  return { ...contact, status, score: score.total, isUnsafe: status === "invalid" || status === "invalid_syntax" }
}
