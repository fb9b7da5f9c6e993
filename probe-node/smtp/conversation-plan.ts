import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"
import type { Ask } from "./asks.ts"

export interface ConversationPlan {
  readonly heloName: string
  readonly envelopeSender: string
  readonly pipelining: boolean
  readonly starttls: boolean
  /** Infinity as long as the server has shown no limit. */
  readonly recipientsPerTransaction: number
  readonly asks: readonly Ask[]
  /** Where a refusal took longer than this, in ms, the others are asked about in a new session, if nothing is asked yet. */
  readonly slowMs: number
}

/** Why a conversation is over. Asks without an answer then have none from this session. */
export type ConversationEnd =
  | { kind: "done" }
  /** The server wants no more recipients in this session (452 4.5.3), or not so many in one transaction. */
  | { kind: "limit"; reply: SmtpReply; recipientsPerTransaction: number }
  /** The server lets us wait longer for each refusal of a session, and there are others to ask about. */
  | { kind: "slowed" }
  | { kind: "refused"; stage: SmtpStage; reply: SmtpReply }
  | { kind: "failed"; stage: SmtpStage; failure: SmtpFailure; detail: string }

/** What a conversation wants done. Calls come from within `receive`, `secured` and `fail`. */
export interface ConversationSink {
  send(commands: string): void
  startTls(): void
  answered(ask: number, outcome: RecipientOutcome): void
  /** Every answer there will be is known. */
  over(end: ConversationEnd): void
  /** Nothing more will be read: the server has said goodbye, or need not. */
  goodbye(): void
}
