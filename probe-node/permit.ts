import type { Bucket, SessionDemand } from "./ip-reputation.ts"

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
export interface QueuedDemand {
  readonly demand: PermitDemand
  readonly waiter: PermitWaiter
  /** Called once. The owner of a permit must record the session's outcome and release the permit. */
  decided(decision: Decision): void
}

/** The right to one session from `sourceIp`. `bucket` is internal to the pacer. */
export class Permit {
  readonly bucket: Bucket
  readonly #pacer: { release(permit: Permit): void }

  constructor(pacer: { release(permit: Permit): void }, bucket: Bucket) {
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

interface DecidesDemands {
  tryAcquire(demand: PermitDemand, waiter: PermitWaiter): Decision | null
  enqueue(queued: QueuedDemand): void
}

/** Waits in the pacer's queue until the session may start, or until it is known that it may not. */
export function acquirePermit(
  pacer: DecidesDemands,
  demand: PermitDemand,
  waiter: PermitWaiter,
): Decision | Promise<Decision> {
  return pacer.tryAcquire(demand, waiter) ?? waitForPermit(pacer, demand, waiter)
}

function waitForPermit(pacer: DecidesDemands, demand: PermitDemand, waiter: PermitWaiter): Promise<Decision> {
  return new Promise((resolve) => {
    const decided = (decision: Decision) => {
      waiter.setWaiting?.(false)
      resolve(decision)
    }
    pacer.enqueue({ demand, waiter, decided })
    waiter.setWaiting?.(true)
  })
}
