import type { MxAttempt, ProbeRecipient, RecipientLine, RecipientOutcome, SessionReport } from "../schema/wire/probe.ts"
import { type Chunk, domainOf, type PlannedAsk } from "./plan.ts"

interface Answer {
  readonly outcome: RecipientOutcome
  readonly session: SessionReport | null
  readonly attempts: readonly MxAttempt[]
}

/**
 * Collects what was learned about the recipients of a chunk and gives out the line of each as soon as it is complete:
 * its own answer, and the one about the random sibling of its domain where that was asked.
 */
export class Recorder {
  readonly #answers = new Map<ProbeRecipient, Answer>()
  /** Answer about the sibling; null while it is awaited. */
  readonly #controls = new Map<string, RecipientOutcome | null>()
  readonly #startedAt: number
  readonly #emit: (line: RecipientLine) => void

  constructor(chunk: Chunk, startedAt: number, emit: (line: RecipientLine) => void) {
    for (const domain of chunk.controls.keys()) this.#controls.set(domain, null)
    this.#startedAt = startedAt
    this.#emit = emit
  }

  record({ subject }: PlannedAsk, answer: Answer): void {
    if ("controlOf" in subject) {
      this.#controls.set(subject.controlOf, answer.outcome)
      this.#emitDomain(subject.controlOf)
    } else if (this.#controls.get(domainOf(subject.recipient.address)) === null)
      this.#answers.set(subject.recipient, answer)
    else this.#give(subject.recipient, answer)
  }

  /** Domains with a reply to a real recipient, whose sibling is still to be asked. */
  answeredDomains(): Set<string> {
    const answered = [...this.#answers].filter(
      ([, { outcome }]) => outcome.kind === "reply" && outcome.stage === "rcpt",
    )
    return new Set(answered.map(([{ address }]) => domainOf(address)))
  }

  /** No more answers will come: siblings that were not asked are reported as such. */
  finish(): void {
    for (const [domain, outcome] of this.#controls)
      if (outcome === null) {
        this.#controls.delete(domain)
        this.#emitDomain(domain)
      }
  }

  #emitDomain(domain: string): void {
    for (const [recipient, answer] of this.#answers)
      if (domainOf(recipient.address) === domain) {
        this.#answers.delete(recipient)
        this.#give(recipient, answer)
      }
  }

  #give({ index, address }: ProbeRecipient, { outcome, session, attempts }: Answer): void {
    const control = this.#controls.get(domainOf(address)) ?? null
    const totalMs = Math.round(performance.now() - this.#startedAt)
    this.#emit({ type: "recipient", index, outcome, control, session, attempts: [...attempts], totalMs })
  }
}
