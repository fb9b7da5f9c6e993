import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { OwnNames } from "../mail/own-names.ts"
import { fateOf } from "./fate.ts"

export interface Doubt {
  readonly outcome: RecipientOutcome
  /** Of the session it was said in; null when no connection was opened. */
  readonly session: OwnNames | null
  /** What was said the last time; null when nobody asked. */
  readonly before: RecipientOutcome | null
  /** The operator says so to nearly everybody who asks from there. */
  readonly isSuspect: boolean
}

/**
 * Whether another node is to be asked before "no such mailbox" is believed: a wrong one loses somebody's mail. It is,
 * where the mailbox was there before, and where the answer may be about who asked.
 */
export function needsSecondOpinion({ outcome, session, before, isSuspect }: Doubt): boolean {
  return fateOf(outcome, session) === "missing" && (isSuspect || (before !== null && fateOf(before) === "answered"))
}
