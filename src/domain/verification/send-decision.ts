import type { Status } from "../../../schema/vocabulary.ts"
import type { AccountFlags } from "../suppression/flags.ts"
import type { Verdict } from "./judge.ts"

/** The lowest score of an address to send to. */
export const CAN_SEND_FROM = 60

/** The send decision for every account (spec, variant A): enough points, not invalid, and no full mailbox. */
export function allowsSending(score: number, { status, finding }: Pick<Verdict, "status" | "finding">): boolean {
  return score >= CAN_SEND_FROM && status !== "invalid" && status !== "invalid_syntax" && finding !== "mailbox_full"
}

/** What a stored row says about sending. */
export interface StoredDecision {
  /** Null: a version of the service that stored no decision wrote the row. */
  readonly canSend: boolean | null
  readonly status: Status
  readonly score: number
}

/** The stored send decision. Of a row without one, status and score decide. */
export function storedDecision({ canSend, status, score }: StoredDecision): boolean {
  return canSend ?? allowsSending(score, { status, finding: null })
}

/** The send decision for one account, by its suppressions and reports. @param allowed the decision for every account */
export function maySend(allowed: boolean, account: Omit<AccountFlags, "hidesUntil">): boolean {
  return allowed && !account.isSuppressed && !account.hasBounced && !account.hasComplained
}
