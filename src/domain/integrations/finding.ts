import type { Status } from "../../../schema/vocabulary.ts"
import { isTemporary } from "../bulk/temporary.ts"
import type { Verification } from "../verdict/verification.ts"

/** Somebody in a provider's list. */
export interface Contact {
  /** The provider's id. */
  readonly id: string
  readonly email: string
}

/** What is written back about a contact. */
export interface ContactFinding extends Contact {
  readonly status: Status
  readonly score: number
  /** Mail to it bounces: for lists that leave such members out. */
  readonly isUnsafe: boolean
}

/**
 * What a verification says about a contact; null when its mail server has to be asked again first, so that a moment's
 * trouble does not overwrite what is known. Only a proven "no" is unsafe: a doubt takes nobody off a list.
 */
export function findingOf(contact: Contact, { verdict, score }: Verification): ContactFinding | null {
  if (isTemporary(verdict)) return null
  const { status } = verdict
  return { ...contact, status, score: score.total, isUnsafe: status === "invalid" || status === "invalid_syntax" }
}
