import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"

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

/** One RCPT command to send. Entries of one batch are adjacent and share a mail transaction. */
export interface Rcpt {
  readonly address: string
  /** Groups the recipients of one domain, because operators refuse several domains in one transaction. */
  readonly batch: string
  readonly utf8: boolean
}

/** A command whose reply is due, and the index of its recipient. MAIL: the first of the batch. -1: no recipient. */
export interface Expected {
  readonly stage: SmtpStage
  readonly rcpt: number
}

interface Command extends Expected {
  readonly line: string
}

/** Produces the commands of the mail transactions, separated by RSET, and tracks which recipients are answered. */
export class RcptQueue {
  /** Recipients answered so far. */
  progress = 0
  readonly rcpts: readonly Rcpt[]
  /** Most recipients in one transaction. Infinity until the server shows a limit. */
  maxRecipients: number
  readonly #envelopeSender: string
  readonly #answered: boolean[]
  /** The transaction in which each RCPT was sent, from 1. 0: not sent. */
  readonly #sentIn: number[]
  #next = 0
  #batch: string | null = null
  #transaction = 0
  /** RCPTs sent in the open transaction. */
  #recipients = 0

  constructor(rcpts: readonly Rcpt[], envelopeSender: string, maxRecipients: number) {
    this.rcpts = rcpts
    this.#envelopeSender = envelopeSender
    this.maxRecipients = maxRecipients
    this.#answered = rcpts.map(() => false)
    this.#sentIn = rcpts.map(() => 0)
  }

  /** The next command, or null when every RCPT is sent or answered. */
  next(): Command | null {
    while (this.#answered[this.#next]) this.#next++
    const rcpt = this.rcpts[this.#next]
    if (!rcpt) return null
    if (this.#batch === rcpt.batch && this.#recipients < this.maxRecipients) {
      this.#recipients++
      this.#sentIn[this.#next] = this.#transaction
      return { stage: "rcpt", rcpt: this.#next++, line: `RCPT TO:<${rcpt.address}>\r\n` }
    }
    if (this.#batch !== null) {
      this.#batch = null
      return { stage: "rset", rcpt: -1, line: "RSET\r\n" }
    }
    this.#batch = rcpt.batch
    this.#transaction++
    this.#recipients = 0
    const line = `MAIL FROM:<${this.#envelopeSender}>${rcpt.utf8 ? " SMTPUTF8" : ""}\r\n`
    return { stage: "mail", rcpt: this.#next, line }
  }

  /** @returns true when the recipient had no answer before */
  answer(rcpt: number): boolean {
    if (this.#answered[rcpt]) return false
    this.#answered[rcpt] = true
    this.progress++
    return true
  }

  /** Moves a recipient to a later transaction, because its own accepted only `accepted` recipients. */
  postpone(rcpt: number, accepted: number): void {
    this.maxRecipients = Math.min(this.maxRecipients, accepted)
    this.#sentIn[rcpt] = 0
    this.#next = Math.min(this.#next, rcpt)
  }

  unanswered(): number[] {
    if (this.progress === this.rcpts.length) return []
    return this.#answered.flatMap((isAnswered, rcpt) => (isAnswered ? [] : [rcpt]))
  }

  /** Recipients of the transaction that starts with `first`, and the unsent ones of its batch. */
  transactionFrom(first: number): number[] {
    const found: number[] = []
    for (let rcpt = first; this.rcpts[rcpt]?.batch === this.rcpts[first]?.batch; rcpt++)
      if (this.#sentIn[rcpt] === 0 || this.#sentIn[rcpt] === this.#sentIn[first]) found.push(rcpt)
    return found
  }
}
