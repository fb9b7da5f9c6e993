import { systemClock } from "../../src/adapters/platform.ts"
import { FairLimiter } from "../../src/concurrency/fair-limiter.ts"

/** Shared by all requests of the isolate, as in src/adapters/store/database.ts. */
const limiter = new FairLimiter({ width: 1, leaseMs: 16_000 })

/** Answers each request after its turn, for fair-limiter.test.ts. */
export const limiterWorker = {
  async fetch(): Promise<Response> {
    const permit = await limiter.acquire(systemClock, { queue: "a", since: 0, deadlineAt: Date.now() + 15_000 })
    if (!permit) return new Response("late", { status: 503 })
    await systemClock.sleep(5)
    limiter.release(permit, Date.now())
    return new Response("ran")
  },
}
