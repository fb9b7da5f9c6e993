import { expect, test } from "vitest"
import { FairLimiter } from "../../../src/concurrency/fair-limiter.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const LEASE_MS = 16_000
const LATE = 1_000_000

/** Requests that run one after the other through a limiter of one permit, each for 10 ms. */
function oneAtATime(width = 1) {
  const clock = virtualClock(0)
  const limiter = new FairLimiter({ width, leaseMs: LEASE_MS })
  const ran: string[] = []
  let [running, most] = [0, 0]
  async function run(queue: string, since = 0, deadlineAt = LATE): Promise<"ran" | "late"> {
    const permit = await limiter.acquire(clock, { queue, since, deadlineAt })
    if (!permit) return "late"
    ran.push(`${queue}${since}`)
    most = Math.max(most, ++running)
    await clock.sleep(10)
    running--
    limiter.release(permit, clock.now())
    return "ran"
  }
  return { clock, limiter, run, ran, most: () => most }
}

test("at most as many run as there are permits, and all run", async () => {
  const { clock, limiter, run, ran, most } = oneAtATime(16)
  await clock.run(Promise.all(Array.from({ length: 400 }, (_, n) => run("a", n))))
  expect([ran.length, most(), limiter.inUse]).toEqual([400, 16, 0])
})

test("a queue with many requests does not delay another one, and its oldest request is first", async () => {
  const { clock, run, ran } = oneAtATime()
  await clock.run(Promise.all([...[1, 5, 4, 3, 2].map((since) => run("a", since)), run("b", 9), run("b", 8)]))
  expect(ran).toEqual(["a1", "a2", "b8", "a3", "b9", "a4", "a5"])
})

test("a request whose turn does not come before its deadline gives up, and its place is free", async () => {
  const { clock, limiter, run, ran } = oneAtATime()
  const outcomes = await clock.run(Promise.all([run("a"), run("b", 0, 5), run("b", 1), run("c", 0, 0)]))
  expect(outcomes).toEqual(["ran", "late", "ran", "late"])
  expect([ran, limiter.inUse]).toEqual([["a0", "b1"], 0])
})

test("a permit of a request that the platform ended is free after its lease", async () => {
  const { clock, limiter, run } = oneAtATime()
  await limiter.acquire(clock, { queue: "gone", since: 0, deadlineAt: LATE })
  expect(await clock.run(run("a"))).toBe("ran")
  expect(clock.now()).toBe(LEASE_MS + 10)
})
