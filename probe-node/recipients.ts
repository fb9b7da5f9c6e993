import type {
  MxAttempt,
  ProbeGroup,
  ProbeRecipient,
  RecipientLine,
  RecipientOutcome,
  SessionReport,
} from "../schema/wire/probe.ts"
import type { Rcpt } from "./smtp/mail-transactions.ts"

/** The recipients of one domain in one session. */
export interface DomainPart {
  readonly domain: string
  readonly recipients: readonly ProbeRecipient[]
  /** The random recipient for the catch-all probe, or null. */
  readonly control: string | null
}

/** A RCPT command and the recipient that it probes. */
export interface PlannedRcpt extends Rcpt {
  readonly part: DomainPart
  /** Null for the catch-all probe. */
  readonly recipient: ProbeRecipient | null
}

const NOT_ASCII = /[^\u0000-\u007f]/

/** Splits a group into sessions. Recipients of one domain stay together. */
export function planChunks({ recipients, controls, playbook }: ProbeGroup): DomainPart[][] {
  const wanted = playbook.control === "never" ? [] : controls
  const ordered = recipients.length > 1 ? recipients.toSorted(byDomain) : recipients
  const chunks: DomainPart[][] = []
  for (let at = 0; at < ordered.length; at += playbook.recipientsPerSession)
    chunks.push(byDomains(ordered.slice(at, at + playbook.recipientsPerSession), wanted))
  return chunks
}

function byDomains(recipients: readonly ProbeRecipient[], controls: readonly string[]): DomainPart[] {
  const parts: { domain: string; recipients: ProbeRecipient[]; control: string | null }[] = []
  for (const recipient of recipients) {
    const domain = domainOf(recipient.address)
    const last = parts.at(-1)
    if (last?.domain === domain) last.recipients.push(recipient)
    else {
      const control = controls.find((address) => domainOf(address) === domain) ?? null
      parts.push({ domain, recipients: [recipient], control })
    }
  }
  return parts
}

/** The real recipients. With controls, the catch-all probe of each domain follows its first recipient. */
export function planRcpts(parts: readonly DomainPart[], withControls: boolean): PlannedRcpt[] {
  const rcpts: PlannedRcpt[] = []
  for (const part of parts)
    for (const recipient of part.recipients) {
      const utf8 = NOT_ASCII.test(recipient.address)
      const batch = utf8 ? `${part.domain} utf8` : part.domain
      rcpts.push({ address: recipient.address, utf8, batch, part, recipient })
      if (withControls && part.control !== null && recipient === part.recipients[0])
        rcpts.push({ address: part.control, utf8, batch, part, recipient: null })
    }
  return rcpts
}

/** The catch-all probes alone, for a separate session. */
export function planCatchAllRcpts(parts: readonly DomainPart[]): PlannedRcpt[] {
  return parts.flatMap((part) =>
    part.control === null ? [] : [{ address: part.control, utf8: false, batch: part.domain, part, recipient: null }],
  )
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}

/** Sorts by domain, then ASCII addresses before those that need SMTPUTF8, then by the caller's order. */
function byDomain(one: ProbeRecipient, other: ProbeRecipient): number {
  const [domain, otherDomain] = [domainOf(one.address), domainOf(other.address)]
  if (domain !== otherDomain) return domain < otherDomain ? -1 : 1
  return Number(NOT_ASCII.test(one.address)) - Number(NOT_ASCII.test(other.address))
}

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

/** Identifies one catch-all probe. Another host, or another source IP, may get a different answer. */
export interface CatchAllKey {
  readonly randomRecipient: string
  readonly mxHost: string
  readonly sourceIp: string
}

/** Answers to catch-all probes in separate sessions, shared by all sessions of one request to a large domain. */
export class CatchAllAnswers {
  /** Created on demand, because few requests need it. */
  #outcomes: Map<string, RecipientOutcome> | null = null

  /** Stores an answer only if it concerns the recipient. Temporary and sender-related refusals hold for one session. */
  record(key: CatchAllKey, outcome: RecipientOutcome): void {
    if (!isConclusive(outcome)) return
    this.#outcomes ??= new Map()
    this.#outcomes.set(keyOf(key), outcome)
  }

  find(key: CatchAllKey): RecipientOutcome | undefined {
    return this.#outcomes?.get(keyOf(key))
  }
}

/** Codes for an unknown mailbox (RFC 3463 §3.2), including those of Exchange and of Microsoft 365's edge. */
const NO_SUCH_MAILBOX: ReadonlySet<string | null> = new Set(["5.1.1", "5.1.10", "5.4.1"])
/** Mimecast's text for an unknown mailbox. It sends no enhanced code. */
const INVALID = /^invalid recipient\b/i

function isConclusive(outcome: RecipientOutcome): boolean {
  if (outcome.kind !== "reply" || outcome.stage !== "rcpt") return false
  const { code, enhanced, text } = outcome.reply
  return (code >= 250 && code <= 252) || NO_SUCH_MAILBOX.has(enhanced) || (code === 550 && INVALID.test(text))
}

function keyOf({ randomRecipient, mxHost, sourceIp }: CatchAllKey): string {
  return `${sourceIp} ${mxHost} ${randomRecipient}`
}
