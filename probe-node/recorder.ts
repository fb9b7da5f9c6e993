import type { MxAttempt, ProbeRecipient, RecipientLine, RecipientOutcome, SessionReport } from "../schema/wire/probe.ts"
import type { DomainPart, PlannedAsk } from "./plan.ts"

export interface Answer {
  readonly outcome: RecipientOutcome
  readonly session: SessionReport | null
  readonly attempts: readonly MxAttempt[]
}

interface Control {
  readonly part: DomainPart
  /** Null while it is awaited. */
  outcome: RecipientOutcome | null
  isAwaited: boolean
  /** Recipients with an answer, waiting for the one about their sibling. */
  readonly held: { readonly recipient: ProbeRecipient; readonly answer: Answer }[]
}

/**
 * Collects what was learned about the recipients of a chunk and gives out the line of each as soon as it is complete:
 * its own answer, and the one about the random sibling of its domain where that was asked.
 */
export class Recorder {
  readonly #controls: readonly Control[]
  readonly #startedAt: number
  readonly #emit: (line: RecipientLine) => void

  constructor(parts: readonly DomainPart[], startedAt: number, emit: (line: RecipientLine) => void) {
    this.#controls = parts.map((part) => ({ part, outcome: null, isAwaited: part.control !== null, held: [] }))
    this.#startedAt = startedAt
    this.#emit = emit
  }

  record({ part, recipient }: PlannedAsk, answer: Answer): void {
    const control = this.#controls.find((known) => known.part === part)!
    if (recipient === null) this.#settle(control, answer.outcome)
    else if (control.isAwaited) control.held.push({ recipient, answer })
    else this.#give(recipient, answer, control.outcome)
  }

  /** Domains whose sibling is still to be asked: of a recipient that is refused for good it would tell nothing. */
  unsettled(): DomainPart[] {
    return this.#controls.filter(({ held }) => held.some(({ answer }) => isOpen(answer))).map(({ part }) => part)
  }

  /** No more answers will come: siblings that were not asked are reported as such. */
  finish(): void {
    for (const control of this.#controls) if (control.isAwaited) this.#settle(control, null)
  }

  #settle(control: Control, outcome: RecipientOutcome | null): void {
    control.outcome = outcome
    control.isAwaited = false
    for (const { recipient, answer } of control.held.splice(0)) this.#give(recipient, answer, outcome)
  }

  #give({ index }: ProbeRecipient, { outcome, session, attempts }: Answer, control: RecipientOutcome | null): void {
    const totalMs = Math.round(performance.now() - this.#startedAt)
    this.#emit({ type: "recipient", index, outcome, control, session, attempts: [...attempts], totalMs })
  }
}

function isOpen({ outcome }: Answer): boolean {
  return outcome.kind === "reply" && outcome.stage === "rcpt" && outcome.reply.code < 500
}
