import { DurableObject } from "cloudflare:workers"

interface Leader {
  /** When its lease ends, Unix ms. */
  readonly leaseUntil: number
  readonly released: Promise<void>
  readonly release: () => void
}

/** Groups concurrent requests for the same work. One object serves many names: one for each would cost too much. */
export class SingleFlightObject extends DurableObject {
  readonly #leaders = new Map<string, Leader>()

  /** True for the leader, which does the work. Others wait and get false when it is done or the lease expires. */
  async acquire(name: string, leaseMs: number): Promise<boolean> {
    const now = Date.now()
    this.#removeExpired(now)
    const leader = this.#leaders.get(name)
    if (leader) {
      await waitForRelease(leader, leader.leaseUntil - now)
      return false
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#leaders.set(name, { leaseUntil: now + leaseMs, released: promise, release: resolve })
    return true
  }

  /** Releases the lease, after success or failure. */
  release(name: string): void {
    this.#leaders.get(name)?.release()
    this.#leaders.delete(name)
  }

  /** Removes leaders with an expired lease: their isolate is gone. */
  #removeExpired(now: number): void {
    for (const [name, { leaseUntil }] of this.#leaders) if (leaseUntil <= now) this.#leaders.delete(name)
  }
}

/** Waits for the release, at most `ms`. Clears the timer, because a pending timer would keep the object awake. */
function waitForRelease({ released }: Leader, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    released.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
