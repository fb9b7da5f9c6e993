import { DurableObject } from "cloudflare:workers"

/** The place where all who want the same thing at the same time meet; one for each thing, only while it is wanted. */
export class Flight extends DurableObject {
  #leader: { readonly until: number; readonly landed: Promise<void>; readonly land: () => void } | null = null

  /** True for the one who is to do the work; the others hear false when it is done, or its lease has ended. */
  async enter(leaseMs: number): Promise<boolean> {
    const leader = this.#leader
    if (leader && leader.until > Date.now()) {
      await Promise.race([leader.landed, sleep(leader.until - Date.now())])
      return false
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#leader = { until: Date.now() + leaseMs, landed: promise, land: resolve }
    return true
  }

  /** The work is done, well or badly. */
  land(): void {
    this.#leader?.land()
    this.#leader = null
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
