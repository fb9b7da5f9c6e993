import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { ChaosStack } from "../support/stack/chaos-stack.ts"
import type { Fault } from "../support/stack/fault-proxy.ts"

const SEEDS = Number(process.env.CHAOS_SEEDS ?? 1)

let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  chaos = await ChaosStack.start({ settings: { BULK_LEASE_SECONDS: "5", BULK_RETRY_SECONDS: "1,1,1" } })
  key = await chaos.newKey()
  await chaos.nodeIs("node-0", "healthy")
  await chaos.call("/validate?email=alice@mailbox.test", { key })
})
afterEach(() => {
  chaos.database.fault = { kind: "none" }
  chaos.database.cutAll()
})
afterAll(() => chaos.stop())

const FAULTS: readonly Fault[] = [
  { kind: "reset" },
  { kind: "half-open" },
  { kind: "cut", afterBytes: 40 },
  { kind: "drip", everyMs: 50 },
  { kind: "answer", status: 502 },
  { kind: "answer", status: 429 },
]
const fast = (email: string) => chaos.call(`/validate/fast?email=${email}`, { key })

describe.each(Array.from({ length: SEEDS }, (_, seed) => seed))("seed %i", (seed) => {
  test.each(FAULTS)("database fault %j: 503 with Retry-After in time, and no false result", async (fault) => {
    const bob = `bob-${FAULTS.indexOf(fault)}-${seed}@d0800.test`
    chaos.database.cutAll()
    chaos.database.fault = fault
    const answers = await Promise.all([
      fast(bob),
      chaos.call(`/validate?email=${bob}`, { key }),
      chaos.call("/keys", { key }),
    ])
    for (const { status, headers } of answers) {
      expect(status).toBe(503)
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    }
    // The edge still serves its cached results.
    expect(await fast("alice@mailbox.test")).toMatchObject({ status: 200, body: { checks: { status: "valid" } } })

    chaos.database.fault = { kind: "none" }
    chaos.database.cutAll()
    await expect.poll(async () => (await fast(bob)).status).toBe(404)
    const verified = async () => (await chaos.call(`/validate?email=${bob}`, { key })).status
    await expect.poll(verified).toBe(200)
  })

  test("a delay of two seconds: every call is answered in time, and no connections accumulate", async () => {
    chaos.database.fault = { kind: "delay", ms: 2_000 }
    const calls = Array.from({ length: 30 }, (_, n) => fast(`slow${n}-${seed}@d0801.test`))
    const answers = await Promise.all(calls)
    for (const { status } of answers) expect([404, 503]).toContain(status)
    chaos.database.fault = { kind: "none" }
    await expect.poll(async () => (await fast("slow0@d0801.test")).status).toBe(404)
    await expect.poll(() => chaos.database.open).toBeLessThan(200)
  })

  test("60 calls at once in one isolate get 60 answers", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => chaos.call(`/validate/fast?email=crowd${n}-${seed}@d0802.test`, { key })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 404))
  })

  test("an outage in the middle of a job: nothing is lost, nothing is billed twice", async () => {
    const own = await chaos.newKey()
    const emails = Array.from(
      { length: 400 },
      (_, n) => `user${n}-gone${seed}@d08${String(n % 40).padStart(2, "0")}.test`,
    )
    const { body } = await chaos.call<{ job_id: string }>("/validate/bulk/async", { key: own, body: { emails } })
    const works = async () => (await fast("again@d0800.test")).status
    for (const fault of FAULTS.slice(0, 3)) {
      await chaos.database.outage(fault, 3)
      await expect.poll(works).toBe(404)
    }
    interface Job {
      readonly status: string
      readonly progress: number
      readonly failed: number
      readonly results: readonly { readonly checks: { readonly email: string } }[] | null
    }
    let job: Job | null = null
    await expect
      .poll(
        async () => {
          const answer = await chaos.call<Job>(`/jobs/${body.job_id}`, { key: own })
          job = answer.status === 200 ? answer.body : null
          return job?.status
        },
        { timeout: 90_000, interval: 250 },
      )
      .toBe("complete")
    expect(job!.results!.map(({ checks }) => checks.email)).toEqual(emails)
    const [row] = await chaos.rows("SELECT credits, cached FROM jobs WHERE job_id = ?", [body.job_id])
    expect(Number(row!.credits) + Number(row!.cached) + job!.failed).toBe(emails.length)
    await expect
      .poll(async () => (await chaos.call<{ credits_used: number }>("/usage", { key: own })).body.credits_used)
      .toBe(Number(row!.credits))
  })
})

test("the service logged no unhandled error and no address", () => {
  expect(chaos.bugs).toEqual([])
  expect(chaos.log.filter((line) => /^worker .*@[\w-]+\.test/.test(line))).toEqual([])
})
