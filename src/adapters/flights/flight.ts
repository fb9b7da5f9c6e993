import { DurableObject } from "cloudflare:workers"

interface Leader {
  /** When its lease ends, Unix ms. */
  readonly until: number
  readonly landed: Promise<void>
  readonly land: () => void
}

/**
 * A place where all who want the same thing at the same time meet. Many things share it: an object made for one costs more
 * than what it would save.
 */
export class Flight extends DurableObject {
  readonly #leaders = new Map<string, Leader>()

  /** True for the one who is to do the work; the others hear false when it is done, or its lease has ended. */
  async enter(name: string, leaseMs: number): Promise<boolean> {
    const now = Date.now()
    this.#forgetTheDead(now)
    const leader = this.#leaders.get(name)
    if (leader) {
      await landing(leader, leader.until - now)
      return false
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#leaders.set(name, { until: now + leaseMs, landed: promise, land: resolve })
    return true
  }

  /** The work is done, well or badly. */
  land(name: string): void {
    this.#leaders.get(name)?.land()
    this.#leaders.delete(name)
  }

  /** Leaders whose lease is over have died with their isolate. */
  #forgetTheDead(now: number): void {
    for (const [name, { until }] of this.#leaders) if (until <= now) this.#leaders.delete(name)
  }
}

/** When it has landed, or after `ms`. The timer goes with the wait: one left behind would keep the object awake. */
function landing({ landed }: Leader, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    landed.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
