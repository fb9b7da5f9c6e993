import { Recent } from "../domain/recent.ts"
import { type StopSignal, withDeadline } from "./deadlines.ts"

interface Timer {
  now(): number
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

/** A wait for a permit. */
interface PermitRequest {
  /** Queues share the permits equally: one queue for each caller. */
  readonly queue: string
  /** When the caller's request began, Unix ms. In a queue the oldest request is first, so that begun work ends. */
  readonly since: number
  /** Unix ms. */
  readonly deadlineAt: number
}

/** The right to run. It expires, in case its holder is gone. */
interface Permit {
  expiresAt: number
}

interface Waiter {
  readonly since: number
  readonly grant: (permit: Permit) => void
}

interface LimiterOptions {
  readonly width: number
  /** A permit expires after this time, in ms: the platform may end its holder's request at any moment. */
  readonly leaseMs: number
}

/** A granted permit expires when the waiter does not take it in this time: its request has ended. */
const HANDOVER_MS = 1_000

/**
 * Limits the work of all requests of an isolate, in fair turns. Each waiter waits with its own timer and gets a plain
 * value from another request: a request that waits without a timer would count as hung.
 */
export class FairLimiter {
  /** Permits at a time. */
  width: number
  readonly #leaseMs: number
  readonly #queues = new Map<string, Waiter[]>()
  readonly #permits = new Set<Permit>()

  constructor({ width, leaseMs }: LimiterOptions) {
    this.width = width
    this.#leaseMs = leaseMs
  }

  /** Permits in use. */
  get inUse(): number {
    return this.#permits.size
  }

  /** Requests that wait. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Extends a permit whose holder still works. */
  renew(permit: Permit, now: number): void {
    if (this.#permits.has(permit)) permit.expiresAt = now + this.#leaseMs
  }

  /** Waits for a permit. @param timer of the waiting request @returns null when the deadline passed first */
  async acquire(timer: Timer, request: PermitRequest): Promise<Permit | null> {
    this.#grantFree(timer.now())
    const permit = this.#permits.size < this.width ? this.#newPermit(0) : await this.#wait(timer, request)
    if (!permit) return null
    permit.expiresAt = timer.now() + this.#leaseMs
    // It may have expired on the way, on a busy machine.
    this.#permits.add(permit)
    return permit
  }

  /** Gives the permit to the next waiter. */
  release(permit: Permit, now: number): void {
    this.#permits.delete(permit)
    this.#grantFree(now)
  }

  async #wait(timer: Timer, { queue, since, deadlineAt }: PermitRequest): Promise<Permit | null> {
    const { promise: granted, resolve: grant } = Promise.withResolvers<Permit>()
    const waiter = { since, grant }
    this.#enqueue(queue, waiter)
    for (;;) {
      const permit = await withDeadline(timer, granted, Math.min(deadlineAt, timer.now() + HANDOVER_MS))
      if (permit) return permit
      this.#grantFree(timer.now())
      if (timer.now() >= deadlineAt && this.#dequeue(queue, waiter)) return null
    }
  }

  /** Removes expired permits, and grants the free ones to the queues in turn. */
  #grantFree(now: number): void {
    for (const permit of this.#permits) if (permit.expiresAt <= now) this.#permits.delete(permit)
    while (this.#permits.size < this.width) {
      const waiter = this.#next()
      if (!waiter) return
      waiter.grant(this.#newPermit(now + HANDOVER_MS))
    }
  }

  #newPermit(expiresAt: number): Permit {
    const permit = { expiresAt }
    this.#permits.add(permit)
    return permit
  }

  /** The oldest request of the next queue. The queue then is the last in turn. */
  #next(): Waiter | null {
    for (const [name, waiters] of this.#queues) {
      this.#queues.delete(name)
      if (waiters.length > 1) this.#queues.set(name, waiters)
      return waiters.shift()!
    }
    return null
  }

  #enqueue(name: string, waiter: Waiter): void {
    const waiters = this.#queues.get(name)
    if (!waiters) {
      this.#queues.set(name, [waiter])
      return
    }
    const at = waiters.findLastIndex(({ since }) => since <= waiter.since)
    waiters.splice(at + 1, 0, waiter)
  }

  /** @returns false when a permit was already granted */
  #dequeue(name: string, waiter: Waiter): boolean {
    const waiters = this.#queues.get(name) ?? []
    const at = waiters.indexOf(waiter)
    if (at < 0) return false
    waiters.splice(at, 1)
    if (waiters.length === 0) this.#queues.delete(name)
    return true
  }
}

interface SlotOptions {
  /** How long a caller waits, in ms. */
  readonly waitMs: number
  /** Callers of one key that may wait. Each of them holds its input in memory. */
  readonly waiting: number
  /** A turn without a renewal ends after this time, in ms: the platform may end its request at any moment. */
  readonly leaseMs: number
}

/** Keys remembered. A forgotten key may work twice at a time. */
const KEYS = 1_000

/** Lets the callers of each key work one after the other. Plain values, which may outlive a request. */
export class FairSlots {
  readonly #options: SlotOptions
  readonly #limiters = new Recent<FairLimiter>(KEYS)

  constructor(options: SlotOptions) {
    this.#options = options
  }

  /**
   * Runs the work when no other work of this key runs.
   * @param timer of the waiting request
   * @param work gets a function that renews its turn, to be called more often than `leaseMs`
   * @returns null when too many callers wait, or the time to wait is over
   */
  async run<T>(timer: Timer, key: string, work: (renew: () => void) => Promise<T>): Promise<{ value: T } | null> {
    const { waiting, waitMs } = this.#options
    const limiter = this.#limiterOf(key)
    if (limiter.waiting >= waiting) return null
    const since = timer.now()
    const permit = await limiter.acquire(timer, { queue: key, since, deadlineAt: since + waitMs })
    if (!permit) return null
    try {
      return { value: await work(() => limiter.renew(permit, timer.now())) }
    } finally {
      limiter.release(permit, timer.now())
    }
  }

  #limiterOf(key: string): FairLimiter {
    const limiter = this.#limiters.get(key) ?? new FairLimiter({ width: 1, leaseMs: this.#options.leaseMs })
    this.#limiters.set(key, limiter)
    return limiter
  }
}
