import type { ProbeGroup, ProbeRequest, RecipientLine, RecipientOutcome } from "../schema/wire/probe.ts"
import type { SessionFate } from "./breaker.ts"
import type { Lease, Pacer, Turn } from "./pacing.ts"
import { type DomainPart, type PlannedAsk, planAsks, planControls } from "./plan.ts"
import { type Answer, Recorder } from "./recorder.ts"
import type { AskedOf, Siblings } from "./siblings.ts"
import { Visit, type VisitNeeds, type VisitOwner } from "./smtp/visit.ts"
import type { Sources } from "./sources.ts"

export interface EngineNeeds extends VisitNeeds {
  readonly pacer: Pacer
  readonly sources: Sources
}

/** What the chunks of one request share. */
export interface RunContext {
  readonly needs: EngineNeeds
  readonly request: ProbeRequest
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  readonly wallAt: number
  readonly siblings: Siblings
  emit(line: RecipientLine): void
  finished(chunk: ChunkRun): void
}

/** One session's worth of recipients: waits for its turn, visits the mail hosts, and once more for the siblings if so told. */
export class ChunkRun implements Turn, VisitOwner<PlannedAsk> {
  isCancelled = false
  readonly #context: RunContext
  readonly #group: ProbeGroup
  readonly #recorder: Recorder
  readonly #wantsSeparate: boolean
  #asks: readonly PlannedAsk[]
  #visit: Visit<PlannedAsk> | null = null
  #lease: Lease | null = null
  #fate: SessionFate = "failed"
  /** The mail host that answered: the siblings are asked of it and of no other. */
  #host: string | null = null

  constructor(context: RunContext, group: ProbeGroup, parts: readonly DomainPart[]) {
    this.#context = context
    this.#group = group
    this.#recorder = new Recorder(parts, context.startedAt, (line) => context.emit(line))
    this.#wantsSeparate = group.playbook.control === "separate-session"
    this.#asks = planAsks(parts, group.playbook.control === "same-session")
  }

  start(): void {
    this.#context.needs.pacer.acquire(this)
  }

  cancel(): void {
    this.isCancelled = true
    this.#visit?.cut()
  }

  get operator(): string {
    return this.#group.playbook.operator
  }

  get isNamed(): boolean {
    return !this.#group.mx.some(({ host }) => nameless(host) === this.operator)
  }

  get sessionsPerHost(): number {
    return this.#group.playbook.sessionsPerHost
  }

  get priority(): "interactive" | "bulk" {
    return this.#context.request.priority
  }

  /** Only the siblings are left: without them the answers tell half. */
  get isBegun(): boolean {
    return this.#host !== null
  }

  get recipients(): number {
    return this.#asks.length
  }

  get sourceIps(): readonly string[] {
    return this.#context.needs.sources.usableFor(this.#context.request)
  }

  get wallAtMs(): number {
    return Date.now() + this.#context.wallAt - performance.now()
  }

  denied(why: string): void {
    const outcome: RecipientOutcome = { kind: "failure", stage: "connect", failure: "throttled", detail: why, ms: 0 }
    for (const ask of this.#asks) this.#recorder.record(ask, { outcome, session: null, attempts: [] })
    this.#finish()
  }

  granted(lease: Lease): void {
    const { needs, wallAt } = this.#context
    const { mx: hosts, playbook } = this.#group
    const mx = this.#host === null ? hosts : hosts.filter(({ host }) => host === this.#host)
    const { pipelining, starttls, sessionsPerHost } = playbook
    const sourceIps = needs.sources.dialFrom(lease.sourceIp, this.sourceIps)
    this.#lease = lease
    const manner = { pipelining, starttls, sessionsPerHost, priority: this.priority }
    this.#visit = new Visit(needs, { mx, sourceIps, ...manner, asks: this.#asks, wallAt }, this)
    if (this.isCancelled) this.#visit.cut()
  }

  recorded(ask: PlannedAsk, answer: Answer): void {
    // A domain may name other hosts beside somebody's.
    const isItsWord = this.isNamed || nameless(answer.session?.mxHost ?? "") === this.operator
    if (this.#fate !== "answered" && isItsWord) this.#fate = fateOf(answer.outcome)
    if (answer.outcome.kind === "reply" && answer.session) this.#host = answer.session.mxHost
    if (answer.session) this.#context.needs.sources.learn(this.#lease!.sourceIp, answer.session.sourceIp)
    if (ask.recipient === null && this.#wantsSeparate && this.#host !== null)
      this.#context.siblings.learn(this.#askedOf(ask), answer.outcome)
    this.#recorder.record(ask, answer)
  }

  wants({ recipient, part }: PlannedAsk): boolean {
    return recipient !== null || this.#recorder.unsettled().includes(part)
  }

  visited(): void {
    this.#context.needs.pacer.note(this.#lease!, this.#fate)
    this.#fate = "failed"
    const unsettled = this.#wantsSeparate && !this.isCancelled ? this.#recorder.unsettled() : []
    this.#asks = planControls(unsettled).filter((ask) => !this.#isTold(ask))
    if (this.#asks.length === 0) this.#finish()
  }

  waits(isWaiting: boolean): void {
    const { pacer } = this.#context.needs
    if (isWaiting) pacer.rest(this.#lease!)
    else pacer.resume()
  }

  left(): void {
    const lease = this.#lease!
    // In the queue before its place is free, or a list not begun would have it.
    if (this.#asks.length > 0) this.start()
    this.#context.needs.pacer.release(lease)
  }

  /** Another session of the request has asked this sibling already. */
  #isTold(ask: PlannedAsk): boolean {
    const outcome = this.#context.siblings.find(this.#askedOf(ask))
    if (outcome) this.#recorder.record(ask, { outcome, session: null, attempts: [] })
    return outcome !== undefined
  }

  #askedOf({ address }: PlannedAsk): AskedOf {
    return { sibling: address, mxHost: this.#host!, sourceIp: this.#lease!.sourceIp }
  }

  #finish(): void {
    this.#asks = []
    this.#recorder.finish()
    this.#context.finished(this)
  }
}

/** What an operator nobody has a name for goes by: as much of its host's name as the wire takes. */
function nameless(mxHost: string): string {
  return mxHost.slice(-64)
}

/** What a session's outcome says about our standing: a refusal before RCPT is about us, an answer to RCPT is not judged. */
function fateOf(outcome: RecipientOutcome): SessionFate {
  if (outcome.kind === "failure") return "failed"
  if (outcome.stage === "rcpt") return "answered"
  return outcome.reply.code === 421 || outcome.reply.code >= 500 ? "blocked" : "failed"
}
