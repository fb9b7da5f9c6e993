import type { ProbeGroup, ProbeRequest, RecipientLine, RecipientOutcome } from "../schema/wire/probe.ts"
import type { SessionFate } from "./breaker.ts"
import type { Lease, Pacer } from "./pacing.ts"
import { type Chunk, type PlannedAsk, planAsks, planChunks, planControls } from "./plan.ts"
import { Recorder } from "./recorder.ts"
import type { SessionResult, SmtpSession } from "./smtp/connection.ts"
import { MxWalk, outcomeOfEnd, type WalkNeeds } from "./smtp/walk.ts"
import type { Sources } from "./sources.ts"

export interface EngineNeeds extends WalkNeeds {
  readonly heloName: string
  readonly envelopeSender: string
  readonly pacer: Pacer
  readonly sources: Sources
}

/** Further sessions for recipients that one session did not get to. */
const MAX_SESSIONS = 8

/** One probe request at work. Lines are given to `emit` as they become known; `done` resolves after the last. */
export class ProbeRun {
  readonly done: Promise<void>
  /** On the clock of `performance.now()`. */
  readonly startedAt = performance.now()
  readonly #needs: EngineNeeds
  readonly #request: ProbeRequest
  readonly #emit: (line: RecipientLine) => void
  readonly #sessions = new Set<SmtpSession>()
  #cancelled = false

  constructor(needs: EngineNeeds, request: ProbeRequest, emit: (line: RecipientLine) => void) {
    this.#needs = needs
    this.#request = request
    this.#emit = emit
    this.done = this.#runAll()
  }

  /** Nobody listens any more: cuts every session and asks nothing further. */
  cancel(): void {
    this.#cancelled = true
    for (const session of this.#sessions) session.abort("shutdown", "the caller went away")
    this.#needs.pacer.sweep()
  }

  async #runAll(): Promise<void> {
    const chunks = this.#request.groups.flatMap((group) =>
      planChunks(group).map((chunk) => this.#runChunk(group, chunk)),
    )
    await Promise.all(chunks)
  }

  async #runChunk(group: ProbeGroup, chunk: Chunk): Promise<void> {
    const recorder = new Recorder(chunk, this.startedAt, this.#emit)
    await this.#ask(group, planAsks(chunk, group.playbook.control === "same-session"), recorder)
    if (group.playbook.control === "separate-session") {
      const answered = recorder.answeredDomains()
      const controls = planControls(chunk.controls).filter(({ batch }) => answered.has(batch))
      if (controls.length > 0) await this.#ask(group, controls, recorder)
    }
    recorder.finish()
  }

  async #ask({ playbook, mx }: ProbeGroup, asks: PlannedAsk[], recorder: Recorder): Promise<void> {
    const { pacer, sources } = this.#needs
    const { priority } = this.#request
    const usable = sources.usableFor(this.#request)
    const grant = await pacer.acquire({
      operator: playbook.operator,
      sessionsPerHost: playbook.sessionsPerHost,
      sourceIps: usable,
      priority,
      recipients: asks.length,
      wallAtMs: Date.now() + this.#wallAt - performance.now(),
      isCancelled: () => this.#cancelled,
    })
    if ("throttled" in grant)
      return settle(asks, recorder, { outcome: throttledOutcome(grant.throttled), attempts: [] })
    const walk = new MxWalk(this.#needs, {
      mx,
      sourceIps: sources.dialFrom(grant.sourceIp, usable),
      wallAt: this.#wallAt,
      onSession: (session) => this.#watch(session),
      isCancelled: () => this.#cancelled,
    })
    await this.#hold({ walk, lease: grant, playbook }, asks, recorder)
  }

  get #wallAt(): number {
    return this.startedAt + this.#request.deadlineMs
  }

  #watch(session: SmtpSession): void {
    this.#sessions.add(session)
    session.result.then(() => this.#sessions.delete(session))
  }

  /** Holds as many sessions as it takes to get an answer for every ask, within bounds. */
  async #hold(
    { walk, lease, playbook }: { walk: MxWalk; lease: Lease; playbook: ProbeGroup["playbook"] },
    asks: PlannedAsk[],
    recorder: Recorder,
  ): Promise<void> {
    const { heloName, envelopeSender, sources } = this.#needs
    let pending = asks
    const standing: { fate: SessionFate } = { fate: "failed" }
    const note = (outcome: RecipientOutcome) => {
      if (standing.fate !== "answered") standing.fate = fateOf(outcome)
    }
    for (let sessions = 1; ; sessions++) {
      const current = pending
      const answered = new Set<PlannedAsk>()
      const result = await walk.converse(
        { heloName, envelopeSender, pipelining: playbook.pipelining, starttls: playbook.starttls, asks: current },
        {
          answered: (at, outcome, session) => {
            const ask = current[at]!
            answered.add(ask)
            note(outcome)
            recorder.record(ask, { outcome, session, attempts: walk.attempts })
          },
        },
      )
      if (result.report) sources.learn(lease.sourceIp, result.report.sourceIp)
      pending = current.filter((ask) => !answered.has(ask))
      if (pending.length === 0) break
      if (isWorthAnotherSession(result) && sessions < MAX_SESSIONS && !this.#cancelled) continue
      const outcome = outcomeOfEnd(result.end, result.ms) ?? UNASKED
      note(outcome)
      settle(pending, recorder, { outcome, session: result.report, attempts: walk.attempts })
      break
    }
    walk.closed.then(() => lease.release(standing.fate))
  }
}

const UNASKED: RecipientOutcome = {
  kind: "failure",
  stage: "rcpt",
  failure: "protocol",
  detail: "the server takes too few recipients per session",
  ms: 0,
}

function throttledOutcome(detail: string): RecipientOutcome {
  return { kind: "failure", stage: "connect", failure: "throttled", detail, ms: 0 }
}

function settle(
  asks: readonly PlannedAsk[],
  recorder: Recorder,
  answer: { outcome: RecipientOutcome; session?: SessionResult["report"]; attempts: MxWalk["attempts"] },
): void {
  for (const ask of asks) recorder.record(ask, { session: null, ...answer })
}

/** The session got somewhere and was then cut short by the server: the rest is worth a new one. */
function isWorthAnotherSession({ end, progress }: SessionResult): boolean {
  if (progress === 0 || end.kind === "done") return false
  if (end.kind === "limit") return true
  return end.kind === "refused" ? end.reply.code === 421 : end.failure === "reset"
}

/** What a session's outcome says about our standing: a refusal before RCPT is about us, an answer to RCPT is not judged. */
function fateOf(outcome: RecipientOutcome): SessionFate {
  if (outcome.kind === "failure") return "failed"
  if (outcome.stage === "rcpt") return "answered"
  return outcome.reply.code === 421 || outcome.reply.code >= 500 ? "blocked" : "failed"
}
