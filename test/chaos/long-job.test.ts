import { afterAll, beforeAll, expect, test } from "vitest"
import { residentBytes, workerdOf } from "../../scripts/bench/process-stats.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"
import { until } from "../support/time/until.ts"

/** CHAOS_LONG_LIST=1000000 is the full case. */
const ADDRESSES = Number(process.env.CHAOS_LONG_LIST ?? 20_000)
const UNIQUE = ADDRESSES / 10
const DOMAINS = 200

let chaos: ChaosStack
beforeAll(async () => {
  chaos = await ChaosStack.start({ settings: { BULK_RETRY_SECONDS: "1,1,1" } })
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(() => chaos.stop())

interface Job {
  readonly status: string
  readonly progress: number
  readonly total: number
  readonly deduplicated: number
  readonly failed: number
}

/** Nine of ten addresses in the list are duplicates. Another run has other ones, because stored results are free. */
const addressOf = (run: string, n: number) =>
  `user${n % UNIQUE}${run}@d${String((n % UNIQUE) % DOMAINS).padStart(4, "0")}.test`

test("a long list of duplicates and greylisted addresses, polled all the time", {
  timeout: 600_000,
}, async () => {
  const key = await chaos.newKey()
  const run = crypto.randomUUID().slice(0, 8)
  const emails = Array.from({ length: ADDRESSES }, (_, n) => addressOf(run, n))
  emails.push(`grey1${run}@greylist.test`, `grey2${run}@greylist.test`)
  const before = residentBytes(workerdOf(process.pid))
  const { body, status } = await chaos.call<{ job_id: string }>("/validate/bulk/async", { key, body: { emails } })
  expect(status).toBe(200)

  let [most, progress] = [0, 0]
  const poll = async () => {
    const answer = await chaos.call<Job>(`/bulk/status/${body.job_id}`, { key })
    expect(answer.status).toBe(200)
    expect(answer.body.progress).toBeGreaterThanOrEqual(progress)
    expect(answer.body.progress).toBeLessThanOrEqual(answer.body.total)
    progress = answer.body.progress
    most = Math.max(most, residentBytes(workerdOf(process.pid)) - before)
    return answer.body
  }
  const isOver = ({ status }: Job) => status !== "queued" && status !== "running"
  const job = await until(poll, isOver, { withinMs: 500_000 })

  const unique = UNIQUE + 2
  expect(job).toMatchObject({ status: "complete", progress: unique, total: unique, deduplicated: ADDRESSES - UNIQUE })
  const { body: usage } = await chaos.call<{ credits_used: number }>("/usage", { key })
  expect(usage.credits_used).toBe(unique - job.failed)
  expect(most).toBeLessThan(400_000_000)
  expect(chaos.bugs).toEqual([])
})
