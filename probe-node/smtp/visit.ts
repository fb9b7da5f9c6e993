import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { MxAttempt, RecipientOutcome, SessionReport } from "../../schema/wire/probe.ts"
import type { Lease, Pacer, Turn } from "../pacing.ts"
import type { Ask } from "./asks.ts"
import { type SessionOwner, type SessionResult, SmtpSession, type Trace } from "./connection.ts"
import type { ConversationEnd } from "./conversation-plan.ts"
import { type Deadlined, unwatchDeadline, watchDeadline } from "./deadlines.ts"
import { Knock, type Visitor } from "./knock.ts"
import { type Mx, type Place, Route, type RouteNeeds } from "./route.ts"
import type { SocksProxy } from "./socks5.ts"

export interface VisitNeeds extends RouteNeeds {
  readonly heloName: string
  readonly envelopeSender: string
  readonly proxy: SocksProxy | null
  /** Longest wait for each reply, in ms. */
  readonly patienceMs: Readonly<Record<SmtpStage, number>>
  /** Lets so many in at a time to one address, whatever names lead there. */
  readonly doors: Pacer
  /** Shown everything that is said. */
  readonly trace?: Trace
}

export interface VisitTask<A extends Ask> {
  readonly mx: Mx
  readonly sourceIps: readonly string[]
  readonly pipelining: boolean
  readonly starttls: boolean
  /** Sessions at a time that a host tolerates from one source IP. */
  readonly sessionsPerHost: number
  readonly priority: Turn["priority"]
  readonly asks: readonly A[]
  /** When the caller's time is up, on the clock of `performance.now()`. */
  readonly wallAt: number
}

export interface VisitOwner<A extends Ask> {
  /** One call for every ask of the task, whatever happens. */
  recorded(ask: A, answer: { outcome: RecipientOutcome; session: SessionReport | null; attempts: MxAttempt[] }): void
  /** Whether an answer is worth another session. */
  wants(ask: A): boolean
  /** It waits at the door of an address, without a connection, or does so no more. */
  waits(isWaiting: boolean): void
  /** Every ask is recorded. */
  visited(): void
  /** The last connection is closed, which may be a moment later. */
  left(): void
}

const MAX_CONNECTIONS = 8
/** Of the patience with RCPT: 6 s, more than the 5 that Exchange takes over each refusal, the last as the first. */
const SLOW_SHARE = 0.4

/**
 * Gets an answer for every ask from the mail hosts of a domain or operator: by preference, on to the next host when one
 * does not talk to us (RFC 5321 §5.1), and in further sessions when a host cuts one short. A host that answered a RCPT
 * is the last one asked.
 */
export class Visit<A extends Ask> implements SessionOwner, Visitor, Deadlined {
  readonly #needs: VisitNeeds
  readonly #task: VisitTask<A>
  readonly #owner: VisitOwner<A>
  readonly #route: Route
  readonly #leases = new Map<Place, Lease>()
  #asks: readonly A[]
  #place: Place | null = null
  #session: SmtpSession | null = null
  #tlsProblem: string | null = null
  /** The last refusal of a host that did not get as far as RCPT: a reply says more than a failure that comes later. */
  #refusal: SessionResult | null = null
  /** How it ended at the last place, while the next one is looked for. */
  #searchAfter: SessionResult | null = null
  #recipientsPerTransaction = Number.POSITIVE_INFINITY
  /** A host has said something of somebody; for the rest another one may know nobody, or take everybody. */
  #isAnswered = false
  #connections = 0
  #open = 0
  #isCut = false
  #isDone = false

  constructor(needs: VisitNeeds, task: VisitTask<A>, owner: VisitOwner<A>) {
    this.#needs = needs
    this.#task = task
    this.#owner = owner
    this.#asks = task.asks
    this.#route = new Route(needs, task.mx, task.sourceIps)
    this.#goOn(NOBODY)
  }

  get dueAt(): number {
    return this.#task.wallAt
  }

  /** The time is up while the next place is looked for. */
  overdue(): void {
    const last = this.#endSearch()
    if (last) this.#giveUp(last === NOBODY ? failedSearch("deadline", "no address of a mail host in time") : last)
  }

  /** Nobody waits for the answers any more. */
  cut(): void {
    this.#isCut = true
    const why = "stopped: the caller went away, or the node is ending"
    if (this.#endSearch()) this.#giveUp(failedSearch("shutdown", why))
    else this.#session?.abort("shutdown", why)
  }

  answered(at: number, outcome: RecipientOutcome, session: SessionReport): void {
    this.#owner.recorded(this.#asks[at]!, { outcome, session, attempts: this.#route.attempts })
  }

  over(result: SessionResult): void {
    this.#asks = result.unanswered.map((at) => this.#asks[at]!)
    if (result.progress > 0) {
      this.#refusal = null
      this.#isAnswered = true
    }
    if (this.#asks.length === 0) this.#finish()
    else if (this.#isCut || this.#connections >= MAX_CONNECTIONS) this.#giveUp(result)
    else if (result.progress > 0) this.#afterProgress(result)
    else if (isTlsFailure(result.end) && this.#tlsProblem === null) {
      this.#tlsProblem = result.end.detail
      this.#connect(this.#place!)
    } else if (!this.#isAnswered && isWorthAnotherHost(result.end)) {
      this.#note(result)
      if (result.end.kind === "refused") this.#refusal = result
      this.#goOn(result)
    } else this.#giveUp(result)
  }

  closed(place: Place): void {
    this.#needs.doors.release(this.#leases.get(place)!)
    this.#open--
    if (this.#isDone && this.#open === 0) this.#owner.left()
  }

  /** The session got somewhere; when the server cut it short, the rest is worth a new one. */
  #afterProgress(result: SessionResult): void {
    const { end } = result
    if (end.kind === "limit") this.#recipientsPerTransaction = end.recipientsPerTransaction
    const isCutShort =
      end.kind === "limit" ||
      end.kind === "slowed" ||
      (end.kind === "refused" && end.reply.code === 421) ||
      (end.kind === "failed" && end.failure === "reset")
    if (isCutShort && this.#asks.some((ask) => this.#owner.wants(ask))) this.#connect(this.#place!)
    else this.#giveUp(result)
  }

  /** On to the next place; without one, what the hosts said so far is the answer. */
  #goOn(last: SessionResult): void {
    this.#tlsProblem = null
    this.#searchAfter = last
    watchDeadline(this)
    this.#route.next().then((place) => {
      if (place && performance.now() >= this.#task.wallAt) this.overdue()
      else if (this.#endSearch()) this.#arrive(place, last)
    })
  }

  #arrive(place: Place | null, last: SessionResult): void {
    this.#place = place
    if (place) this.#connect(place)
    else this.#giveUp(last)
  }

  /** @returns how it ended at the last place; null when no search was going on */
  #endSearch(): SessionResult | null {
    const last = this.#searchAfter
    this.#searchAfter = null
    if (last) unwatchDeadline(this)
    return last
  }

  /** Connects as soon as the address bears another session. */
  #connect(place: Place): void {
    this.#session = null
    const { sessionsPerHost, priority, wallAt } = this.#task
    new Knock({ place, sessionsPerHost, priority, wallAt }, this).at(this.#needs.doors)
  }

  get isCut(): boolean {
    return this.#isCut
  }

  waits(isWaiting: boolean): void {
    this.#owner.waits(isWaiting)
  }

  turnedAway(why: string): void {
    this.#giveUp(failedSearch(this.#isCut ? "shutdown" : "throttled", why))
  }

  entered(place: Place, lease: Lease): void {
    this.#leases.set(place, lease)
    const { heloName, envelopeSender, proxy, patienceMs, trace } = this.#needs
    const { pipelining, wallAt } = this.#task
    const recipientsPerTransaction = this.#recipientsPerTransaction
    const tlsProblem = this.#tlsProblem
    const starttls = this.#task.starttls && tlsProblem === null
    const slowMs = patienceMs.rcpt * SLOW_SHARE
    this.#connections++
    this.#open++
    this.#session = new SmtpSession(
      { place, proxy, patienceMs, wallAt, tlsProblem, trace },
      { heloName, envelopeSender, pipelining, starttls, recipientsPerTransaction, asks: this.#asks, slowMs },
      this,
    )
  }

  #note({ end, ms }: SessionResult): void {
    const { mxHost, address } = this.#place!
    this.#route.note({ mxHost, address, outcome: outcomeOf(end, ms) })
  }

  #giveUp(last: SessionResult): void {
    const { attempts } = this.#route
    const { end, ms, report } = last.end.kind === "failed" && !this.#isCut ? (this.#refusal ?? last) : last
    const skipped = last === NOBODY ? attempts.at(-1)?.outcome : undefined
    const outcome = skipped ?? outcomeOf(end, ms)
    for (const ask of this.#asks) this.#owner.recorded(ask, { outcome, session: report, attempts })
    this.#finish()
  }

  #finish(): void {
    this.#isDone = true
    this.#route.leave()
    this.#owner.visited()
    if (this.#open === 0) this.#owner.left()
  }
}

const NOBODY = failedSearch("unreachable", "no host left to try")

function failedSearch(failure: SmtpFailure, detail: string): SessionResult {
  const end: ConversationEnd = { kind: "failed", stage: "connect", failure, detail }
  return { end, report: null, progress: 0, unanswered: [], ms: 0 }
}

/** What an end of a conversation means for an ask that got no answer in it. */
function outcomeOf(end: ConversationEnd, ms: number): RecipientOutcome {
  if (end.kind === "refused") return { kind: "reply", stage: end.stage, reply: end.reply }
  if (end.kind === "limit") return { kind: "reply", stage: "rcpt", reply: end.reply }
  const { stage, failure, detail } = end.kind === "failed" ? end : end.kind === "slowed" ? SLOWED : NOT_ASKED
  return { kind: "failure", stage, failure, detail: detail.slice(0, 200), ms: Math.round(ms) }
}

const SLOWED = { stage: "rcpt", failure: "timeout", detail: "not waited for: refusals take longer and longer" } as const
const NOT_ASKED = { stage: "rcpt", failure: "protocol", detail: "not asked" } as const

function isTlsFailure(end: ConversationEnd): end is ConversationEnd & { kind: "failed" } {
  return end.kind === "failed" && end.failure === "tls"
}

/** Our own walls are not the host's fault, and a refusal at MAIL or RCPT is its answer. */
function isWorthAnotherHost(end: ConversationEnd): boolean {
  if (end.kind === "refused")
    return ["banner", "ehlo", "starttls"].includes(end.stage) || (end.stage === "mail" && end.reply.code === 421)
  return end.kind === "failed" && end.failure !== "deadline" && end.failure !== "shutdown"
}
