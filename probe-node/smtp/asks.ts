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

/** The commands of the mail transactions, one batch after the other with RSET between, and what was answered. */
export class AskQueue {
  /** Asks answered so far. */
  progress = 0
  readonly asks: readonly Ask[]
  readonly #envelopeSender: string
  readonly #answered: boolean[]
  #next = 0
  #batch: string | null = null

  constructor(asks: readonly Ask[], envelopeSender: string) {
    this.asks = asks
    this.#envelopeSender = envelopeSender
    this.#answered = asks.map(() => false)
  }

  /** The next command, or null when every ask was sent or is answered already. */
  next(): Command | null {
    while (this.#answered[this.#next]) this.#next++
    const ask = this.asks[this.#next]
    if (!ask) return null
    if (this.#batch === ask.batch)
      return { line: `RCPT TO:<${ask.address}>\r\n`, expected: { stage: "rcpt", ask: this.#next++ } }
    if (this.#batch !== null) {
      this.#batch = null
      return { line: "RSET\r\n", expected: { stage: "rset", ask: -1 } }
    }
    this.#batch = ask.batch
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

  unanswered(): number[] {
    if (this.progress === this.asks.length) return []
    return this.#answered.flatMap((isAnswered, ask) => (isAnswered ? [] : [ask]))
  }

  /** The asks of the batch that starts with `first`. */
  batchFrom(first: number): number[] {
    const batch: number[] = []
    for (let ask = first; this.asks[ask]?.batch === this.asks[first]?.batch; ask++) batch.push(ask)
    return batch
  }
}
