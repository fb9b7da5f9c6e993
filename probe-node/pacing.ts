import { type Bucket, type BudgetPlan, IpReputation, type SessionDemand, type SessionOutcome } from "./ip-reputation.ts"

export interface PacingLimits {
  /** Maximum concurrent sessions of the node. */
  readonly concurrency: number
  /** Maximum waiting sessions. Further ones are denied. */
  readonly queue: number
  /** New sessions per second, multiplied by the sessions that a host tolerates. Infinity: no limit. */
  readonly ratePerSlot: number
  readonly budget: BudgetPlan
}

/** Waiting demands for one mail operator. Interactive ones precede bulk ones. */
type OperatorQueue = Readonly<Record<PermitDemand["priority"], QueuedDemand[]>>

const TICK_MS = 25
/** Demands checked per queue, because the first may wait for its own source IP. */
const LOOK_AHEAD = 16
/** Share of the concurrency open to bulk work, so that interactive requests always find capacity. */
const BULK_SHARE = 0.9

/** Rate limiter for SMTP sessions: a bounded fair queue, with one queue per mail operator. */
export class Pacer {
  readonly reputation: IpReputation
  /** Running sessions. */
  active = 0
  /** Demands denied since the start. */
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

  /** Grants or denies the demand. Null: it must wait, see `enqueue`. */
  tryAcquire(demand: PermitDemand, waiter: PermitWaiter): Decision | null {
    const mustQueue = demand.priority === "bulk" && this.#queues.has(demand.operator)
    const decision = mustQueue ? null : this.#decide(demand, waiter)
    // A continuation releases its own permit right after this call, so it may exceed the queue limit.
    const isRefused = !decision && this.waiting >= this.#limits.queue && !demand.isContinuation
    return isRefused ? this.#deny("the node's queue is full") : decision
  }

  /** Queues a demand that must wait. It is granted or denied later. */
  enqueue(queued: QueuedDemand): void {
    const { operator, priority, isContinuation } = queued.demand
    const queue = this.#queues.get(operator) ?? { interactive: [], bulk: [] }
    if (isContinuation) queue[priority].unshift(queued)
    else queue[priority].push(queued)
    this.#queues.set(operator, queue)
    this.waiting++
    this.#timer ??= setInterval(() => this.sweep(), TICK_MS).unref()
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

  /** Reserves the concurrency slot again. The session that blocked this one has just released its slot. */
  resume(): void {
    this.active++
  }

  /** Drops canceled and expired demands, and grants those that may start. */
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

  /** Serves the operator that got a slot back, then the demands that wait for the node's concurrency. */
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

  #serve(queue: QueuedDemand[]): void {
    for (let at = 0; at < Math.min(queue.length, LOOK_AHEAD); ) {
      const { demand, waiter } = queue[at]!
      const decision = this.#decide(demand, waiter)
      if (decision) this.#remove(queue, at, decision)
      else at++
    }
  }

  /** Denies expired demands anywhere in the queue, at once. */
  #dropExpired(queue: QueuedDemand[]): void {
    for (let at = 0; at < queue.length; ) {
      const why = this.#expiry(queue[at]!.waiter)
      if (why === null) at++
      else this.#remove(queue, at, this.#deny(why))
    }
  }

  #remove(queue: QueuedDemand[], at: number, decision: Decision): void {
    const [queued] = queue.splice(at, 1)
    this.waiting--
    queued!.decided(decision)
  }

  /** Why the demand can no longer be granted, or null. */
  #expiry(waiter: PermitWaiter): string | null {
    if (waiter.isCanceled) return "canceled"
    return this.#now() >= waiter.deadlineAtMs ? "no permit before the deadline" : null
  }

  /** Null: the demand must wait. */
  #decide(demand: PermitDemand, waiter: PermitWaiter): Decision | null {
    const expiry = this.#expiry(waiter)
    if (expiry !== null) return this.#deny(expiry)
    let why: string | null = "no other source IP"
    let best: Bucket | null = null
    for (const sourceIp of demand.sourceIps) {
      const bucket = this.reputation.bucket(sourceIp, demand)
      const obstacle = this.reputation.obstacle(bucket, demand)
      if (!obstacle && (!best || bucket.active < best.active)) best = bucket
      if (obstacle && !obstacle.mayWait) why &&= obstacle.why
      else why = null
    }
    if (why !== null) return this.#deny(why)
    return best && !this.#isFull(demand) ? this.#grant(best, demand) : null
  }

  #grant(bucket: Bucket, demand: PermitDemand): Permit {
    this.active++
    this.reputation.start(bucket, demand)
    return new Permit(this, bucket)
  }

  #deny(why: string): Denial {
    this.throttled++
    return new Denial(why)
  }

  #isFull({ priority }: PermitDemand): boolean {
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

/** What a session demands of a pacer. */
export interface PermitDemand extends SessionDemand {
  /** Source IPs that may be used, in order of preference. */
  readonly sourceIps: readonly string[]
  readonly priority: "interactive" | "bulk"
  /** It continues started work, so it precedes other requests of its priority. */
  readonly isContinuation: boolean
}

/** The session that waits for a permit. */
export interface PermitWaiter {
  readonly isCanceled: boolean
  /** When the demand expires, on the pacer's clock. */
  readonly deadlineAtMs: number
  /** Called when the session starts to wait, because it did not get the permit at once, and when the wait ends. */
  setWaiting?(isWaiting: boolean): void
}

/** A demand in a pacer's queue. */
interface QueuedDemand {
  readonly demand: PermitDemand
  readonly waiter: PermitWaiter
  /** Called once. The owner of a permit must record the session's outcome and release the permit. */
  decided(decision: Decision): void
}

/** The right to one session from `sourceIp`. `bucket` is internal to the pacer. */
export class Permit {
  readonly bucket: Bucket
  readonly #pacer: Pick<Pacer, "release">

  constructor(pacer: Pick<Pacer, "release">, bucket: Bucket) {
    this.#pacer = pacer
    this.bucket = bucket
  }

  get sourceIp(): string {
    return this.bucket.sourceIp
  }

  [Symbol.dispose](): void {
    this.#pacer.release(this)
  }
}

/** The session may not start, for this reason. */
export class Denial {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

export type Decision = Permit | Denial

/** Waits in the pacer's queue until the session may start, or until it is known that it may not. */
export function acquirePermit(
  pacer: Pick<Pacer, "tryAcquire" | "enqueue">,
  demand: PermitDemand,
  waiter: PermitWaiter,
): Decision | Promise<Decision> {
  const decision = pacer.tryAcquire(demand, waiter)
  if (decision) return decision
  return new Promise((resolve) => {
    const decided = (later: Decision) => {
      waiter.setWaiting?.(false)
      resolve(later)
    }
    pacer.enqueue({ demand, waiter, decided })
    waiter.setWaiting?.(true)
  })
}
