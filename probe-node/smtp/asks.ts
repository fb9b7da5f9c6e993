import type { SmtpStage } from "../../schema/vocabulary.ts"

/** One RCPT to send. Asks of one batch stand together and share a mail transaction. */
export interface Ask {
  readonly address: string
  /** Asks of one domain; operators refuse several domains in one transaction. */
  readonly batch: string
  readonly utf8: boolean
}

/** A command whose reply is awaited, and the ask it is about (-1: none; for MAIL the first of its batch). */
export interface Expected {
  readonly stage: SmtpStage
  readonly ask: number
}

export interface Command {
  readonly line: string
  readonly expected: Expected
}

/** The commands of the mail transactions, one after the other with RSET between, and what was answered. */
export class AskQueue {
  /** Asks answered so far. */
  progress = 0
  readonly asks: readonly Ask[]
  readonly #envelopeSender: string
  readonly #answered: boolean[]
  /** The transaction each ask was sent in, from 1; 0: it is still to be sent. */
  readonly #sentIn: number[]
  #next = 0
  #batch: string | null = null
  #transaction = 0
  /** RCPTs sent in the open transaction, and how many of them one may have. */
  #recipients = 0
  #maxRecipients: number

  constructor(asks: readonly Ask[], envelopeSender: string, maxRecipients: number) {
    this.asks = asks
    this.#envelopeSender = envelopeSender
    this.#maxRecipients = maxRecipients
    this.#answered = asks.map(() => false)
    this.#sentIn = asks.map(() => 0)
  }

  /** Recipients of one transaction, as far as the server has shown a limit. */
  get maxRecipients(): number {
    return this.#maxRecipients
  }

  /** The next command, or null when every ask was sent or is answered already. */
  next(): Command | null {
    while (this.#answered[this.#next]) this.#next++
    const ask = this.asks[this.#next]
    if (!ask) return null
    if (this.#batch === ask.batch && this.#recipients < this.#maxRecipients) {
      this.#recipients++
      this.#sentIn[this.#next] = this.#transaction
      return { line: `RCPT TO:<${ask.address}>\r\n`, expected: { stage: "rcpt", ask: this.#next++ } }
    }
    if (this.#batch !== null) {
      this.#batch = null
      return { line: "RSET\r\n", expected: { stage: "rset", ask: -1 } }
    }
    this.#batch = ask.batch
    this.#transaction++
    this.#recipients = 0
    const line = `MAIL FROM:<${this.#envelopeSender}>${ask.utf8 ? " SMTPUTF8" : ""}\r\n`
    return { line, expected: { stage: "mail", ask: this.#next } }
  }

  /** @returns true when the ask had no answer yet */
  answer(ask: number): boolean {
    if (this.#answered[ask]) return false
    this.#answered[ask] = true
    this.progress++
    return true
  }

  /** Puts an ask into a later transaction: its own took this many recipients and no more. */
  postpone(ask: number, taken: number): void {
    this.#maxRecipients = Math.min(this.#maxRecipients, taken)
    this.#sentIn[ask] = 0
    this.#next = Math.min(this.#next, ask)
  }

  unanswered(): number[] {
    if (this.progress === this.asks.length) return []
    return this.#answered.flatMap((isAnswered, ask) => (isAnswered ? [] : [ask]))
  }

  /** The asks of the transaction that starts with `first`, and those of its batch still to be sent. */
  transactionFrom(first: number): number[] {
    const found: number[] = []
    for (let ask = first; this.asks[ask]?.batch === this.asks[first]?.batch; ask++)
      if (this.#sentIn[ask] === 0 || this.#sentIn[ask] === this.#sentIn[first]) found.push(ask)
    return found
  }
}
