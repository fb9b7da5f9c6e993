import type { ProbeGroup, ProbeRequest, RecipientLine, RecipientOutcome } from "../schema/wire/probe.ts"
import { createDialPort, createSources, type Sources } from "./addresses.ts"
import type { NodeSettings } from "./config.ts"
import type { SessionOutcome } from "./ip-reputation.ts"
import {
  acquirePermit,
  createEndpointLimiter,
  type Decision,
  Denial,
  Pacer,
  type Permit,
  type PermitWaiter,
} from "./pacing.ts"
import {
  type Answer,
  CatchAllAnswers,
  type CatchAllKey,
  type DomainPart,
  type PlannedRcpt,
  planCatchAllRcpts,
  planChunks,
  planRcpts,
  Recorder,
} from "./recipients.ts"
import { REPLY_TIMEOUT_MS } from "./smtp/connection.ts"
import { MxProbe, type MxProbeDeps, type MxProbeOwner } from "./smtp/mx-probe.ts"
import { createResolver } from "./smtp/route.ts"

export interface EngineDeps extends MxProbeDeps {
  readonly sources: Sources
}

/** Runs one probe request. `emit` receives each recipient line as it completes. `done` resolves after the last line. */
export class ProbeRun {
  readonly done: Promise<void>
  readonly startedAt = performance.now()
  readonly deadlineAt: number
  readonly deps: EngineDeps
  readonly request: ProbeRequest
  readonly catchAllAnswers = new CatchAllAnswers()
  readonly emit: (line: RecipientLine) => void
  readonly #chunks: readonly ChunkRun[]
  #unanswered: number
  #resolve!: () => void

  constructor(deps: EngineDeps, request: ProbeRequest, emit: (line: RecipientLine) => void) {
    this.deps = deps
    this.request = request
    this.deadlineAt = this.startedAt + request.deadlineMs
    this.emit = emit
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#chunks = request.groups.flatMap((group) => planChunks(group).map((parts) => new ChunkRun(this, group, parts)))
    this.#unanswered = this.#chunks.length
    for (const chunk of this.#chunks) chunk.run()
  }

  /** Called by each chunk when its recipients have their lines. */
  answered(): void {
    this.#unanswered--
    if (this.#unanswered === 0) this.#resolve()
  }

  /** Closes every session and starts no new one, because the caller no longer reads the answer. */
  cancel(): void {
    if (this.#unanswered === 0) return
    for (const chunk of this.#chunks) chunk.cancel()
    this.deps.endpointLimiter.sweep()
    this.deps.pacer.sweep()
  }
}

/** Probes the recipients of one session. Catch-all probes run in a second session if the playbook requires it. */
class ChunkRun implements PermitWaiter, MxProbeOwner<PlannedRcpt> {
  isCanceled = false
  readonly #context: ProbeRun
  readonly #group: ProbeGroup
  readonly #recorder: Recorder
  readonly #wantsSeparate: boolean
  readonly #isNamed: boolean
  #sourceIps: readonly string[] = []
  #rcpts: readonly PlannedRcpt[]
  #mxProbe: MxProbe<PlannedRcpt> | null = null
  #sourceIp = ""
  #sessionOutcome: SessionOutcome = "failed"
  /** The mail host that answered. The catch-all probes go to this host only. */
  #host: string | null = null

  constructor(context: ProbeRun, group: ProbeGroup, parts: readonly DomainPart[]) {
    this.#context = context
    this.#group = group
    this.#recorder = new Recorder(parts, context.startedAt, context.emit)
    this.#wantsSeparate = group.playbook.control === "separate-session"
    this.#rcpts = planRcpts(parts, group.playbook.control === "same-session")
    this.#isNamed = !group.mx.some(({ host }) => hostKey(host) === group.playbook.operator)
  }

  get deadlineAtMs(): number {
    return Date.now() + this.#context.deadlineAt - performance.now()
  }

  /** Runs the session, and the second one for the catch-all probes. It resolves when all connections are closed. */
  async run(): Promise<void> {
    const { pacer } = this.#context.deps
    let queued = this.#acquire()
    for (;;) {
      const decision = await queued
      if (decision instanceof Denial) return this.#deny(decision)
      using permit = decision
      this.#sourceIp = permit.sourceIp
      this.#sessionOutcome = "failed"
      const mxProbe = this.#startProbe(permit)
      await mxProbe.run()
      pacer.record(permit, this.#sessionOutcome)
      this.#rcpts = this.#openCatchAllProbes()
      if (this.#rcpts.length === 0) this.#finish()
      const closed = mxProbe.allClosed()
      if (closed) await closed
      if (this.#rcpts.length === 0) return
      // Before `using` releases the permit, so that this chunk precedes work that has not started.
      queued = this.#acquire()
    }
  }

  cancel(): void {
    this.isCanceled = true
    this.#mxProbe?.cancel()
  }

  recorded(rcpt: PlannedRcpt, answer: Answer): void {
    const { outcome, session } = answer
    // A domain may list hosts of several operators.
    const isFromOperator = this.#isNamed || hostKey(session?.mxHost ?? "") === this.#group.playbook.operator
    if (this.#sessionOutcome !== "answered" && isFromOperator) this.#sessionOutcome = sessionOutcomeOf(outcome)
    if (outcome.kind === "reply" && session) this.#host = session.mxHost
    if (session) this.#context.deps.sources.learn(this.#sourceIp, session.sourceIp)
    if (rcpt.recipient === null && this.#wantsSeparate && this.#host !== null)
      this.#context.catchAllAnswers.record(this.#catchAllKey(rcpt), outcome)
    this.#recorder.record(rcpt, answer)
  }

  needsAnswer({ recipient, part }: PlannedRcpt): boolean {
    return recipient !== null || this.#recorder.unsettled().includes(part)
  }

  #acquire(): Decision | Promise<Decision> {
    const { deps, request } = this.#context
    const { operator, sessionsPerHost } = this.#group.playbook
    this.#sourceIps = deps.sources.usableFor(request)
    const demand = {
      operator,
      isNamed: this.#isNamed,
      sessionsPerHost,
      recipients: this.#rcpts.length,
      sourceIps: this.#sourceIps,
      priority: request.priority,
      // Only the catch-all probes are left, and the answers are incomplete without them.
      isContinuation: this.#host !== null,
    }
    return acquirePermit(deps.pacer, demand, this)
  }

  #startProbe(permit: Permit): MxProbe<PlannedRcpt> {
    const { deps, deadlineAt, request } = this.#context
    const { mx: hosts, playbook } = this.#group
    const mx = this.#host === null ? hosts : hosts.filter(({ host }) => host === this.#host)
    const { pipelining, starttls, sessionsPerHost } = playbook
    const sourceIps = deps.sources.dialFrom(permit.sourceIp, this.#sourceIps)
    const options = { pipelining, starttls, sessionsPerHost, priority: request.priority }
    this.#mxProbe = new MxProbe(deps, { mx, sourceIps, ...options, rcpts: this.#rcpts, permit, deadlineAt }, this)
    if (this.isCanceled) this.#mxProbe.cancel()
    return this.#mxProbe
  }

  /** The catch-all probes that need a session of their own. */
  #openCatchAllProbes(): PlannedRcpt[] {
    if (!this.#wantsSeparate || this.isCanceled) return []
    return planCatchAllRcpts(this.#recorder.unsettled()).filter((rcpt) => !this.#isAlreadyAnswered(rcpt))
  }

  /** Uses the answer of another session of this request for the same catch-all probe, if there is one. */
  #isAlreadyAnswered(rcpt: PlannedRcpt): boolean {
    const outcome = this.#context.catchAllAnswers.find(this.#catchAllKey(rcpt))
    if (outcome) this.#recorder.record(rcpt, { outcome, session: null, attempts: [] })
    return outcome !== undefined
  }

  #catchAllKey({ address }: PlannedRcpt): CatchAllKey {
    return { randomRecipient: address, mxHost: this.#host!, sourceIp: this.#sourceIp }
  }

  #deny({ why }: Denial): void {
    const outcome: RecipientOutcome = { kind: "failure", stage: "connect", failure: "throttled", detail: why, ms: 0 }
    for (const rcpt of this.#rcpts) this.#recorder.record(rcpt, { outcome, session: null, attempts: [] })
    this.#finish()
  }

  #finish(): void {
    this.#recorder.finish()
    this.#context.answered()
  }
}

/** Key of an operator without a name: its host name, cut to the 64 characters that the protocol allows. */
function hostKey(mxHost: string): string {
  return mxHost.slice(-64)
}

/** Outcome class for the IP reputation. A refusal before RCPT concerns our IP. Any reply to RCPT is an answer. */
function sessionOutcomeOf(outcome: RecipientOutcome): SessionOutcome {
  if (outcome.kind === "failure") return "failed"
  if (outcome.stage === "rcpt") return "answered"
  return outcome.reply.code === 421 || outcome.reply.code >= 500 ? "blocked" : "failed"
}

/** Builds the SMTP engine from the node's settings. */
export function createEngine(settings: NodeSettings): EngineDeps {
  return {
    heloName: settings.heloName,
    envelopeSender: settings.envelopeSender,
    resolver: createResolver(settings.dns),
    dialPort: createDialPort(settings.policy),
    random: Math.random,
    proxy: settings.proxy,
    replyTimeoutMs: REPLY_TIMEOUT_MS,
    sources: createSources(settings.sourceIps, settings.proxy),
    pacer: new Pacer(settings, Date.now),
    endpointLimiter: createEndpointLimiter(settings, Date.now),
  }
}
