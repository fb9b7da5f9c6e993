import type { MxAttempt, ProbeRecipient, RecipientLine, RecipientOutcome, SessionReport } from "../schema/wire/probe.ts"
import type { DomainPart, PlannedRcpt } from "./plan.ts"

export interface Answer {
  readonly outcome: RecipientOutcome
  readonly session: SessionReport | null
  readonly attempts: readonly MxAttempt[]
}

interface CatchAllProbe {
  readonly part: DomainPart
  /** Null until the answer is known. */
  outcome: RecipientOutcome | null
  isAwaited: boolean
  /** Answered recipients that wait for the catch-all probe of their domain. */
  readonly pending: { readonly recipient: ProbeRecipient; readonly answer: Answer }[]
}

/**
 * Collects the answers of a chunk and emits each recipient's line as soon as it is complete. A line needs the
 * recipient's own answer, and the answer to the catch-all probe of its domain if one is planned.
 */
export class Recorder {
  readonly #catchAllProbes: readonly CatchAllProbe[]
  readonly #startedAt: number
  readonly #emit: (line: RecipientLine) => void

  constructor(parts: readonly DomainPart[], startedAt: number, emit: (line: RecipientLine) => void) {
    this.#catchAllProbes = parts.map((part) => ({ part, outcome: null, isAwaited: part.control !== null, pending: [] }))
    this.#startedAt = startedAt
    this.#emit = emit
  }

  record({ part, recipient }: PlannedRcpt, answer: Answer): void {
    const control = this.#catchAllProbes.find((known) => known.part === part)!
    if (recipient === null) this.#settle(control, answer.outcome)
    else if (control.isAwaited) control.pending.push({ recipient, answer })
    else this.#emitLine(recipient, answer, control.outcome)
  }

  /** Domains that still need a catch-all probe. A permanently refused recipient needs none. */
  unsettled(): DomainPart[] {
    return this.#catchAllProbes
      .filter(({ pending }) => pending.some(({ answer }) => isOpen(answer)))
      .map(({ part }) => part)
  }

  /** No more answers follow: emits the pending lines without an answer to the catch-all probe. */
  finish(): void {
    for (const control of this.#catchAllProbes) if (control.isAwaited) this.#settle(control, null)
  }

  #settle(control: CatchAllProbe, outcome: RecipientOutcome | null): void {
    control.outcome = outcome
    control.isAwaited = false
    for (const { recipient, answer } of control.pending.splice(0)) this.#emitLine(recipient, answer, outcome)
  }

  #emitLine({ index }: ProbeRecipient, { outcome, session, attempts }: Answer, control: RecipientOutcome | null): void {
    const totalMs = Math.round(performance.now() - this.#startedAt)
    this.#emit({ type: "recipient", index, outcome, control, session, attempts: [...attempts], totalMs })
  }
}

function isOpen({ outcome }: Answer): boolean {
  return outcome.kind === "reply" && outcome.stage === "rcpt" && outcome.reply.code < 500
}
