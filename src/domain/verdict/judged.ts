import type { Evidence } from "./evidence.ts"
import type { MailboxReplies, Verdict } from "./judge.ts"

/** Evidence with its verdict, before it has a score. */
export interface Judged {
  readonly evidence: Evidence
  /** What the mail server's replies mean, by the active rules. Never stored. */
  readonly replies: MailboxReplies
  readonly verdict: Verdict
  /** Unix milliseconds. */
  readonly verifiedAt: number
}
