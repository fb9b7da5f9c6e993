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

/** A demand that a pacer decides. */
export interface PermitRequest extends PermitDemand {
  readonly waiter: PermitWaiter
  /** The session may start. The caller must record its outcome and release the permit. */
  granted(permit: Permit): void
  /** The session may not start, for this reason. */
  denied(why: string): void
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

/** Waits in the pacer's queue until the session may start, or until it is known that it may not. */
export function acquirePermit(
  pacer: { acquire(request: PermitRequest): void },
  demand: PermitDemand,
  waiter: PermitWaiter,
): Decision | Promise<Decision> {
  let decision: Decision | null = null
  let resolve: ((decision: Decision) => void) | null = null
  const decide = (made: Decision) => {
    decision = made
    if (!resolve) return
    waiter.setWaiting?.(false)
    resolve(made)
  }
  pacer.acquire({ ...demand, waiter, granted: decide, denied: (why) => decide(new Denial(why)) })
  if (decision) return decision
  const decided = new Promise<Decision>((resolveDecided) => {
    resolve = resolveDecided
  })
  waiter.setWaiting?.(true)
  return decided
}
