import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { MxAttempt, RecipientOutcome, SessionReport } from "../../schema/wire/probe.ts"
import { networkOf, SYSTEM_SOURCE } from "../addresses.ts"
import {
  acquirePermit,
  type Decision,
  Denial,
  type Pacer,
  type Permit,
  type PermitDemand,
  type PermitWaiter,
} from "../pacing.ts"
import { type SessionOwner, type SessionResult, SmtpSession, type Trace } from "./connection.ts"
import { type Deadlined, unwatchDeadline, watchDeadline } from "./deadlines.ts"
import type { ConversationEnd, Rcpt } from "./mail-transactions.ts"
import { type Addresses, type Endpoint, type HostLookup, type Mx, Route, type RouteDeps } from "./route.ts"
import type { SocksProxy } from "./socks5.ts"

export interface MxProbeDeps extends RouteDeps {
  readonly heloName: string
  readonly envelopeSender: string
  readonly proxy: SocksProxy | null
  /** Timeout for each reply, in ms. */
  readonly replyTimeoutMs: Readonly<Record<SmtpStage, number>>
  /** Limits concurrent sessions of the node, and sessions per operator. */
  readonly pacer: Pacer
  /** Limits sessions per address, whichever host names resolve to it. */
  readonly endpointLimiter: Pacer
  /** Receives every event of the session. */
  readonly trace?: Trace
}

export interface MxProbeTask<A extends Rcpt> {
  readonly mx: Mx
  readonly sourceIps: readonly string[]
  readonly pipelining: boolean
  readonly starttls: boolean
  /** Concurrent sessions that a host tolerates from one source IP. */
  readonly sessionsPerHost: number
  readonly priority: PermitDemand["priority"]
  readonly rcpts: readonly A[]
  /** The operator's permit. Its slot is free while the probe waits for an endpoint. */
  readonly permit: Permit
  /** The caller's deadline, on the clock of `performance.now()`. */
  readonly deadlineAt: number
}

export interface MxProbeOwner<A extends Rcpt> {
  /** Called exactly once for every recipient of the task. */
  recorded(rcpt: A, answer: { outcome: RecipientOutcome; session: SessionReport | null; attempts: MxAttempt[] }): void
  /** Whether a missing answer justifies another session. */
  needsAnswer(rcpt: A): boolean
}

const MAX_CONNECTIONS = 8
/** Share of the RCPT timeout: 6 s, above the constant 5 s that Exchange takes for each refusal. */
const SLOW_SHARE = 0.4
const STOPPED = "stopped: the caller disconnected, or the node is shutting down"

/**
 * Probes every recipient of the task at the MX hosts of a domain or operator, by preference (RFC 5321 §5.1). It moves
 * to the next host when one refuses the session, and opens further sessions when a host ends one early. After a host
 * has answered a RCPT, no other host is tried.
 */
export class MxProbe<A extends Rcpt> implements PermitWaiter, HostLookup, SessionOwner, Deadlined {
  isCanceled = false
  readonly #deps: MxProbeDeps
  readonly #task: MxProbeTask<A>
  readonly #owner: MxProbeOwner<A>
  readonly #route: Route
  /** Recipients without an answer. */
  #rcpts: readonly A[]
  #session: SmtpSession | null = null
  #endSession: ((result: SessionResult) => void) | null = null
  /** Why TLS failed at the current endpoint. Its further sessions use plaintext. */
  #tlsProblem: string | null = null
  #recipientsPerTransaction = Number.POSITIVE_INFINITY
  /** A host has answered a RCPT. Another host may know no mailbox or accept every address, so answers are not mixed. */
  #isAnswered = false
  #connections = 0
  /** The open connections, the last of which may be in use. */
  #connected: readonly { endpoint: Endpoint; permit: Permit }[] = []
  /** The last refusal before RCPT. A reply is more useful than a later connection failure. */
  #refusal: SessionResult | null = null
  /** The endpoint limiter denied a permit. */
  #isDenied = false
  /** Ends the current DNS lookup early. */
  #endSearch: ((found?: Addresses | null) => void) | null = null
  #allClosed: (() => void) | null = null

  constructor(deps: MxProbeDeps, task: MxProbeTask<A>, owner: MxProbeOwner<A>) {
    this.#deps = deps
    this.#task = task
    this.#owner = owner
    this.#rcpts = task.rcpts
    this.#route = new Route(deps, task, this)
  }

  /** Probes the hosts. It resolves when every recipient is recorded. A connection may close a moment later. */
  async run(): Promise<void> {
    let last = NO_HOST_LEFT
    for (let endpoint = await this.#route.next(); endpoint; endpoint = await this.#route.next()) {
      if (this.isCanceled || this.#isOverdue) break
      this.#tlsProblem = null
      // Further sessions at this endpoint, while each one may get more answers.
      do {
        const permit = await this.#permitFor(endpoint)
        last = permit instanceof Denial ? this.#denied(permit) : await this.#converse(endpoint, permit)
      } while (this.#isWorthAnotherSession(last))
      if (this.#rcpts.length === 0) return
      if (this.#isStopped || this.#isAnswered || !isWorthAnotherHost(last.end)) return this.#recordRest(last)
      this.#route.recordAttempt({ ...endpoint, outcome: outcomeOf(last.end, last.ms) })
      if (last.end.kind === "refused") this.#refusal = last
    }
    if (this.isCanceled) last = failedSearch("shutdown", STOPPED)
    else if (last === NO_HOST_LEFT && this.#isOverdue)
      last = failedSearch("deadline", "no address of a mail host in time")
    this.#recordRest(last)
  }

  get deadlineAtMs(): number {
    return Date.now() + this.#task.deadlineAt - performance.now()
  }

  get dueAt(): number {
    return this.#task.deadlineAt
  }

  /** The deadline passed during a DNS lookup. */
  overdue(): void {
    this.#endSearch?.()
  }

  /** Stops the probe, because the caller no longer waits for the answers. */
  cancel(): void {
    this.isCanceled = true
    this.#session?.abort("shutdown", STOPPED)
    this.#endSearch?.()
  }

  /** Resolves when the last connection is closed. Null without one. */
  allClosed(): Promise<void> | null {
    if (this.#connected.length === 0) return null
    return new Promise((resolve) => {
      this.#allClosed = resolve
    })
  }

  /** One session. It resolves with its result, and releases the permit when the connection is closed. */
  #converse(endpoint: Endpoint, permit: Permit): Promise<SessionResult> {
    const { heloName, envelopeSender, proxy, replyTimeoutMs, trace } = this.#deps
    const { pipelining, deadlineAt } = this.#task
    const tlsProblem = this.#tlsProblem
    const starttls = this.#task.starttls && tlsProblem === null
    const recipientsPerTransaction = this.#recipientsPerTransaction
    const slowMs = replyTimeoutMs.rcpt * SLOW_SHARE
    // A literal, because `push` reserves memory for 17 entries.
    this.#connected = [...this.#connected, { endpoint, permit }]
    this.#connections++
    this.#session = new SmtpSession(
      { endpoint, proxy, replyTimeoutMs, deadlineAt, tlsProblem, trace },
      { heloName, envelopeSender, pipelining, starttls, recipientsPerTransaction, rcpts: this.#rcpts, slowMs },
      this,
    )
    if (this.isCanceled) this.cancel()
    return new Promise((resolve) => {
      this.#endSession = resolve
    })
  }

  answered(at: number, outcome: RecipientOutcome, session: SessionReport): void {
    this.#owner.recorded(this.#rcpts[at]!, { outcome, session, attempts: this.#route.attempts })
  }

  over(result: SessionResult): void {
    const { end, progress, unanswered } = result
    this.#rcpts = unanswered.map((at) => this.#rcpts[at]!)
    if (end.kind === "limit") this.#recipientsPerTransaction = end.recipientsPerTransaction
    if (progress > 0) {
      this.#isAnswered = true
      this.#refusal = null
    }
    this.#session = null
    this.#endSession?.(result)
  }

  closed(endpoint: Endpoint): void {
    const { permit } = this.#connected.find((connection) => connection.endpoint === endpoint)!
    this.#connected = this.#connected.filter((connection) => connection.permit !== permit)
    this.#deps.endpointLimiter.release(permit)
    if (this.#connected.length === 0) this.#allClosed?.()
  }

  /** Waits for a permit to connect to the endpoint. */
  #permitFor({ address, sourceIp }: Endpoint): Decision | Promise<Decision> {
    const { sessionsPerHost, priority } = this.#task
    const demand = {
      operator: networkOf(address),
      isNamed: false,
      sessionsPerHost,
      // The operator's permit already counts the recipients.
      recipients: 0,
      sourceIps: [sourceIp ?? SYSTEM_SOURCE],
      priority,
      isContinuation: false,
    }
    return acquirePermit(this.#deps.endpointLimiter, demand, this)
  }

  /** The operator's permit frees its slot while the probe waits for an endpoint without a connection. */
  setWaiting(isWaiting: boolean): void {
    if (isWaiting) this.#deps.pacer.pause(this.#task.permit)
    else this.#deps.pacer.resume()
  }

  #denied({ why }: Denial): SessionResult {
    this.#isDenied = true
    return failedSearch(this.isCanceled ? "shutdown" : "throttled", why)
  }

  /** Looks up the addresses of a host. Null: the deadline passed or the caller canceled first. */
  addresses(host: string): Addresses | null | Promise<Addresses | null> {
    if (this.isCanceled) return null
    const found = this.#deps.resolver.addresses(host)
    return found instanceof Promise ? this.#inTime(found) : found
  }

  #inTime(lookup: Promise<Addresses>): Promise<Addresses | null> {
    return new Promise((resolve) => {
      this.#endSearch = (found = null) => {
        unwatchDeadline(this)
        this.#endSearch = null
        resolve(found)
      }
      watchDeadline(this)
      lookup.then(this.#endSearch)
    })
  }

  get #isOverdue(): boolean {
    return performance.now() >= this.#task.deadlineAt
  }

  /** Opens no further session, at this host or another. */
  get #isStopped(): boolean {
    return this.isCanceled || this.#isDenied || this.#connections >= MAX_CONNECTIONS
  }

  /** A host without TLS gets a session in plaintext. A host that ended a session early gets one for the rest. */
  #isWorthAnotherSession({ end, progress }: SessionResult): boolean {
    if (this.#rcpts.length === 0 || this.#isStopped) return false
    if (progress > 0) return isCutShort(end) && this.#rcpts.some((rcpt) => this.#owner.needsAnswer(rcpt))
    if (!isTlsFailure(end) || this.#tlsProblem !== null) return false
    this.#tlsProblem = end.detail
    return true
  }

  #recordRest(last: SessionResult): void {
    const { attempts } = this.#route
    const { end, ms, report } = last.end.kind === "failed" && !this.isCanceled ? (this.#refusal ?? last) : last
    const skipped = last === NO_HOST_LEFT ? attempts.at(-1)?.outcome : undefined
    const outcome = skipped ?? outcomeOf(end, ms)
    for (const rcpt of this.#rcpts) this.#owner.recorded(rcpt, { outcome, session: report, attempts })
  }
}

const NO_HOST_LEFT = failedSearch("unreachable", "no host left to try")

function failedSearch(failure: SmtpFailure, detail: string): SessionResult {
  const end: ConversationEnd = { kind: "failed", stage: "connect", failure, detail }
  return { end, report: null, progress: 0, unanswered: [], ms: 0 }
}

/** The outcome for a recipient that got no answer before the conversation ended. */
function outcomeOf(end: ConversationEnd, ms: number): RecipientOutcome {
  if (end.kind === "refused") return { kind: "reply", stage: end.stage, reply: end.reply }
  if (end.kind === "limit") return { kind: "reply", stage: "rcpt", reply: end.reply }
  const { stage, failure, detail } = end.kind === "failed" ? end : end.kind === "slowed" ? SLOWED : NOT_PROBED
  return { kind: "failure", stage, failure, detail: detail.slice(0, 200), ms: Math.round(ms) }
}

const SLOWED = { stage: "rcpt", failure: "timeout", detail: "not waited for: each refusal takes longer" } as const
const NOT_PROBED = { stage: "rcpt", failure: "protocol", detail: "not probed" } as const

function isTlsFailure(end: ConversationEnd): end is ConversationEnd & { kind: "failed" } {
  return end.kind === "failed" && end.failure === "tls"
}

/** The server ended the session before it had answered every recipient. */
function isCutShort(end: ConversationEnd): boolean {
  if (end.kind === "refused") return end.reply.code === 421
  return end.kind === "limit" || end.kind === "slowed" || (end.kind === "failed" && end.failure === "reset")
}

/** A deadline or shutdown of ours is not the host's failure. A refusal at MAIL or RCPT is the host's answer. */
function isWorthAnotherHost(end: ConversationEnd): boolean {
  if (end.kind === "refused")
    return ["banner", "ehlo", "starttls"].includes(end.stage) || (end.stage === "mail" && end.reply.code === 421)
  return end.kind === "failed" && end.failure !== "deadline" && end.failure !== "shutdown"
}
