import { afterAll, beforeAll, expect, test } from "vitest"
import { workerdOf } from "../../scripts/bench/process-stats.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"

/** Chunks of 150, more than a batch of the local queue, so that messages wait while chunks run. */
const ADDRESSES = 10 * 150
/** Calls that meet an outage. */
const CALLS = 5

let chaos: ChaosStack
beforeAll(async () => {
  // The leases and crons of a real installation.
  chaos = await ChaosStack.start({ settings: { CRON_MINUTE_MS: "60000", SANDBOX_LATENCY_MS: "100" } })
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(() => chaos.stop())

const OUTAGES: Readonly<Record<string, () => Promise<void>>> = {
  "the database": () => chaos.database.outage({ kind: "reset" }, CALLS),
  "the only probe node": () => chaos.nodes[0]!.proxy.outage({ kind: "reset" }, CALLS),
  async "a killed edge"() {
    process.kill(workerdOf(process.pid), "SIGKILL")
  },
}

/** The job's row, and the ends of the leases of its queued chunks. */
async function look(jobId: string) {
  const [job] = await chaos.rows(
    "SELECT status, done, valid, invalid, credits, completed_at FROM jobs WHERE job_id = ?",
    [jobId],
  )
  const leases = await chaos.rows("SELECT state, due_at FROM job_chunks WHERE job_id = ?", [jobId])
  const endsOf = (state: string) => leases.filter((row) => row.state === state).map(({ due_at }) => Number(due_at))
  return { job: job!, queued: endsOf("leased"), running: endsOf("running") }
}

test.each(Object.keys(OUTAGES))(
  "after an outage of %s a job is complete before the leases of that time would end",
  async (what) => {
    const key = await chaos.newKey()
    const emails = Array.from(
      { length: ADDRESSES },
      (_, n) => `${n % 3 ? "user" : "no-"}${n}-${what.replaceAll(" ", "")}@d${String(n % 300).padStart(4, "0")}.test`,
    )
    const { body } = await chaos.call<{ job_id: string }>("/validate/bulk/async", { key, body: { emails } })
    const jobId = body.job_id
    await expect.poll(async () => (await look(jobId)).running.length).toBeGreaterThan(0)
    const { queued } = await look(jobId)
    await OUTAGES[what]!()
    await expect.poll(async () => (await look(jobId)).job.status, { timeout: 200_000, interval: 250 }).toBe("complete")

    const { job } = await look(jobId)
    expect(job).toMatchObject({ done: ADDRESSES, valid: 1_000, invalid: 500, credits: ADDRESSES })
    expect(queued.length).toBeGreaterThan(0)
    expect(Number(job.completed_at)).toBeLessThan(Math.min(...queued))
  },
)

test("after a kill of the edge, leased credits are neither lost nor spent twice", async () => {
  const key = await chaos.newKey("starter")
  const verify = (n: number) => chaos.call(`/validate?email=user${n}-leased@d0299.test`, { key })
  const used = () => chaos.call<{ credits_used: number }>("/usage", { key }).then(({ body }) => body.credits_used)
  for (let n = 0; n < 4; n++) expect((await verify(n)).status).toBe(200)
  expect(await chaos.rows("SELECT reserved FROM ledger WHERE state = 'lease' AND reserved > 1")).toEqual([
    { reserved: 10 },
  ])
  process.kill(workerdOf(process.pid), "SIGKILL")
  await expect.poll(() => used().catch(() => null)).toBe(4)
  expect((await verify(4)).status).toBe(200)
  expect(await used()).toBe(5)
})

test("the service logged no unhandled error", () => {
  expect(chaos.bugs).toEqual([])
})
