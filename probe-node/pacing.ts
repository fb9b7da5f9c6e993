import type { SessionOutcome } from "./breaker.ts"
import type { BudgetPlan } from "./budget.ts"
import { type Bucket, IpReputation } from "./ip-reputation.ts"
import { Permit, type PermitRequest } from "./permit.ts"

export interface PacingLimits {
  /** Maximum concurrent sessions of the node. */
  readonly concurrency: number
  /** Maximum waiting sessions. Further ones are denied. */
  readonly queue: number
  /** New sessions per second, multiplied by the sessions that a host tolerates. Infinity: no limit. */
  readonly ratePerSlot: number
  readonly budget: BudgetPlan
}

type Decision = { kind: "start"; bucket: Bucket } | { kind: "deny"; why: string } | { kind: "wait" }

/** Waiting requests for one mail operator. Interactive ones precede bulk ones. */
interface OperatorQueue {
  readonly interactive: PermitRequest[]
  readonly bulk: PermitRequest[]
}

const WAIT: Decision = { kind: "wait" }
const TICK_MS = 25
/** Requests checked per queue, because the first may wait for its own source IP. */
const LOOK_AHEAD = 16
/** Share of the concurrency open to bulk work, so that interactive requests always find room. */
const BULK_SHARE = 0.9

/** Rate limiter for SMTP sessions: a bounded fair queue, with one queue per mail operator. */
export class Pacer {
  readonly reputation: IpReputation
  /** Running sessions. */
  active = 0
  /** Requests denied since the start. */
  throttled = 0
  waiting = 0
  readonly #limits: PacingLimits
  readonly #now: () => number
  readonly #queues = new Map<string, OperatorQueue>()
  #timer: NodeJS.Timeout | null = null

  /** @param now Unix ms */
  constructor(limits: PacingLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    this.reputation = new IpReputation(limits, now)
  }

  /** Grants or denies the request, now or after a wait in the queue. */
  acquire(request: PermitRequest): void {
    const queue = this.#queues.get(request.operator)
    const decision = queue && request.priority === "bulk" ? WAIT : this.#decide(request)
    if (decision.kind !== "wait") this.#execute(request, decision)
    // A continuation releases its own permit right after this call, so it may exceed the queue limit.
    else if (this.waiting >= this.#limits.queue && !request.isContinuation)
      this.#execute(request, { kind: "deny", why: "the node's queue is full" })
    else this.#enqueue(request, queue)
  }

  /** Records the outcome of a session. */
  record({ bucket }: Permit, outcome: SessionOutcome): void {
    this.reputation.record(bucket, outcome)
  }

  /** Returns a permit after its connection has closed. */
  release({ bucket }: Permit): void {
    this.active--
    this.reputation.end(bucket)
    if (this.waiting > 0) this.#pump(bucket.operator)
  }

  /** Frees the concurrency slot of a session that waits without a connection, such as for an endpoint permit. */
  pause({ bucket }: Permit): void {
    this.active--
    if (this.waiting > 0) this.#pump(bucket.operator)
  }

  /** Takes the concurrency slot back. The session that blocked this one has just released its slot. */
  resume(): void {
    this.active++
  }

  /** Drops canceled and expired requests, and grants those that may start. */
  sweep(): void {
    for (const [operator, queue] of this.#queues) {
      this.#dropExpired(queue.interactive)
      this.#dropExpired(queue.bulk)
      this.#serveQueue(operator, queue)
    }
    if (this.waiting > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #enqueue(request: PermitRequest, queue: OperatorQueue = { interactive: [], bulk: [] }): void {
    const requests = queue[request.priority]
    if (request.isContinuation) requests.unshift(request)
    else requests.push(request)
    this.#queues.set(request.operator, queue)
    this.waiting++
    this.#timer ??= setInterval(() => this.sweep(), TICK_MS).unref()
  }

  /** Serves the operator that got a slot back, then the requests that wait for the node's concurrency. */
  #pump(first: string): void {
    const queue = this.#queues.get(first)
    if (queue) this.#serveQueue(first, queue)
    for (const [operator, other] of this.#queues) {
      if (this.active >= this.#limits.concurrency) return
      if (other !== queue) this.#serveQueue(operator, other)
    }
  }

  #serveQueue(operator: string, { interactive, bulk }: OperatorQueue): void {
    this.#serve(interactive)
    this.#serve(bulk)
    if (interactive.length + bulk.length === 0) this.#queues.delete(operator)
  }

  #serve(requests: PermitRequest[]): void {
    for (let at = 0; at < Math.min(requests.length, LOOK_AHEAD); ) {
      const request = requests[at]!
      const decision = this.#decide(request)
      if (decision.kind === "wait") at++
      else this.#remove(requests, at, decision)
    }
  }

  /** Denies expired requests anywhere in the queue, at once. */
  #dropExpired(requests: PermitRequest[]): void {
    for (let at = 0; at < requests.length; ) {
      const why = this.#expiry(requests[at]!)
      if (why === null) at++
      else this.#remove(requests, at, { kind: "deny", why })
    }
  }

  #remove(requests: PermitRequest[], at: number, decision: Decision & { kind: "start" | "deny" }): void {
    const [request] = requests.splice(at, 1)
    this.waiting--
    this.#execute(request!, decision)
  }

  /** Why the request can no longer be granted, or null. */
  #expiry({ waiter }: PermitRequest): string | null {
    if (waiter.isCanceled) return "canceled"
    return this.#now() >= waiter.deadlineAtMs ? "no permit before the deadline" : null
  }

  #decide(request: PermitRequest): Decision {
    const expiry = this.#expiry(request)
    if (expiry !== null) return { kind: "deny", why: expiry }
    let why: string | null = "no other source IP"
    let best: Bucket | null = null
    for (const sourceIp of request.sourceIps) {
      const bucket = this.reputation.bucket(sourceIp, request)
      const obstacle = this.reputation.obstacle(bucket, request)
      if (!obstacle && (!best || bucket.active < best.active)) best = bucket
      if (obstacle && !obstacle.mayWait) why &&= obstacle.why
      else why = null
    }
    if (why !== null) return { kind: "deny", why }
    return best && !this.#isFull(request) ? { kind: "start", bucket: best } : WAIT
  }

  #execute(request: PermitRequest, decision: Decision & { kind: "start" | "deny" }): void {
    if (decision.kind === "deny") {
      this.throttled++
      request.denied(decision.why)
    } else {
      const { bucket } = decision
      this.active++
      this.reputation.start(bucket, request)
      request.granted(new Permit(this, bucket))
    }
  }

  #isFull({ priority }: PermitRequest): boolean {
    const { concurrency } = this.#limits
    return this.active >= (priority === "bulk" ? Math.max(1, Math.floor(concurrency * BULK_SHARE)) : concurrency)
  }
}

/**
 * The endpoint limiter: a second pacer, keyed by the address of the mail host. One address gets no more sessions than
 * one host, however many names resolve to it.
 */
export function createEndpointLimiter(
  { queue, ratePerSlot }: Pick<PacingLimits, "queue" | "ratePerSlot">,
  now: () => number,
): Pacer {
  const budget = { perDay: null, warmUpFromMs: null }
  return new Pacer({ queue, ratePerSlot, budget, concurrency: Number.POSITIVE_INFINITY }, now)
}
