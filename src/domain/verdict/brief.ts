import type { Grade, Status } from "../../../schema/vocabulary.ts"
import { repairsOf, type ValidAddress } from "../address/parse.ts"
import type { AddressRepair } from "../address/repair-address.ts"
import { shownEmail } from "../address/shown-email.ts"
import type { AccountFlags } from "../feedback/flags.ts"
import { didYouMean } from "../typo/did-you-mean.ts"
import { isDeliverable } from "./judge.ts"
import { gradeOf } from "./score.ts"
import { maySend, type StoredDecision, storedDecision } from "./send-decision.ts"
import type { Verification } from "./verification.ts"

/** Statuses of variant B; a malformed address is plain `invalid` there. */
export const DELIVERABILITY_STATUSES = ["valid", "invalid", "accept_all", "unknown"] as const

/** Short result for long lists. A stored status, score and send decision are enough for it. */
export interface Brief {
  readonly email: string
  readonly repaired: readonly AddressRepair[]
  readonly didYouMean: string | null
  readonly deliverable: boolean
  readonly canSend: boolean
  readonly status: Status
  readonly score: number
  readonly grade: Grade
  readonly cached: boolean
}

export function briefOf({ evidence, verdict, score, canSend, cached }: Verification): Brief {
  const { address, domain } = evidence
  return {
    email: shownEmail(address),
    repaired: repairsOf(address),
    didYouMean: didYouMean(address, domain?.route),
    deliverable: isDeliverable(verdict),
    canSend,
    status: verdict.status,
    score: score.total,
    grade: score.grade,
    cached,
  }
}

/** The brief of a stored result for an account. Only accepted recipients become valid or accept_all. */
export function storedBrief(address: ValidAddress, stored: StoredDecision, account: AccountFlags): Brief {
  const { status, score } = stored
  const deliverable = status === "valid" || status === "accept_all"
  const canSend = maySend(storedDecision(stored), account)
  return {
    email: address.normalized,
    repaired: repairsOf(address),
    // Only the text is known. An accepted recipient is no typo.
    didYouMean: deliverable ? null : didYouMean(address, undefined),
    ...{ deliverable, canSend, status, score, grade: gradeOf(score), cached: true },
  }
}
