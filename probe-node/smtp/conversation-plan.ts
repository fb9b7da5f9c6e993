import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"
import type { Rcpt } from "./rcpt-queue.ts"

export interface ConversationPlan {
  readonly heloName: string
  readonly envelopeSender: string
  readonly pipelining: boolean
  readonly starttls: boolean
  /** Infinity until the server shows a limit. */
  readonly recipientsPerTransaction: number
  readonly rcpts: readonly Rcpt[]
  /** A refusal slower than this, in ms, moves the other recipients to a new session if no command is in flight. */
  readonly slowMs: number
}

/** Why a conversation ended. Unanswered recipients get no answer from this session. */
export type ConversationEnd =
  | { kind: "done" }
  /** The server accepts no more recipients in this session (452 4.5.3) or in one transaction. */
  | { kind: "limit"; reply: SmtpReply; recipientsPerTransaction: number }
  /** The server delays each refusal of the session, and recipients remain. */
  | { kind: "slowed" }
  | { kind: "refused"; stage: SmtpStage; reply: SmtpReply }
  | { kind: "failed"; stage: SmtpStage; failure: SmtpFailure; detail: string }

/** Callbacks of a conversation, called from within `receive`, `secured` and `fail`. */
export interface ConversationSink {
  send(commands: string): void
  startTls(): void
  answered(rcpt: number, outcome: RecipientOutcome): void
  /** The conversation ended: no further answers follow. */
  over(end: ConversationEnd): void
  /** The conversation reads no more data. The owner may close the connection. */
  goodbye(): void
}
