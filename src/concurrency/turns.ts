import { Recent } from "../domain/recent.ts"
import { FairLimiter } from "./fair-limiter.ts"
import type { StopSignal } from "./stop-signal.ts"

interface Timer {
  now(): number
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

interface TurnOptions {
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
export class Turns {
  readonly #options: TurnOptions
  readonly #limiters = new Recent<FairLimiter>(KEYS)

  constructor(options: TurnOptions) {
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
