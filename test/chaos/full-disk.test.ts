import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { checkMachine } from "../../scripts/doctor/machine/examine.ts"
import { type SmallDiskService, startOnSmallDisk } from "../support/stack/small-disk.ts"
import { until } from "../support/time/until.ts"

const ADMIN_SECRET = "full disk".repeat(5)
const WAIT = { interval: 250 }

interface Answer<T = Record<string, unknown>> {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: T
}

interface Job {
  readonly status: string
  readonly results: readonly { readonly checks: { readonly email: string } }[]
  readonly failed: number
  readonly credits_used: number
}

let service: SmallDiskService
let key = ""
/** An address whose result the edge has stored. */
const STORED = "alice@mailbox.test"

beforeAll(async () => {
  // The stores take 1.6 MB of it when they are empty.
  service = await startOnSmallDisk("8m", {
    ...{ ADMIN_SECRET, CLIENT_IP_HEADER: "x-real-ip", CRON_MINUTE_MS: "1000" },
    ...{ ANONYMOUS_PER_MINUTE: "100000", ANONYMOUS_PER_MONTH: "1000000" },
    ...{ BULK_LEASE_SECONDS: "5", BULK_RETRY_SECONDS: "1,1,1", SANDBOX_LATENCY_MS: "200" },
  })
  await until(
    () => call("/health"),
    ({ status }) => status === 200,
  )
  key = await newKey()
  await call(`/validate?email=${STORED}`, { key })
  await until(
    () => call(`/validate/fast?email=${STORED}`, { key }),
    ({ status }) => status === 200,
  )
})
afterEach(() => service.free())
afterAll(() => service?.stop(), 30_000)

async function call<T = Record<string, unknown>>(
  at: string,
  {
    key,
    body,
    ip = "192.0.2.1",
    isAdmin = false,
  }: { key?: string; body?: unknown; ip?: string; isAdmin?: boolean } = {},
): Promise<Answer<T>> {
  const headers = {
    ...{ "content-type": "application/json", "x-real-ip": ip },
    ...(key ? { "x-api-key": key } : {}),
    ...(isAdmin ? { "x-admin-secret": ADMIN_SECRET } : {}),
  }
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const response = await fetch(`${service.url}${at}`, { ...sent, headers })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json")
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: isJson ? JSON.parse(text) : text,
  }
}

async function newKey(): Promise<string> {
  const body = { name: "full disk", owner_email: "owner@mailbox.test", tier: "enterprise" }
  return (await call<{ api_key: string }>("/keys", { body, isAdmin: true })).body.api_key
}

describe("while the disk is full", () => {
  /** Calls that write, the n-th with its own address. Some still find room in a file that SQLite has. */
  const WRITES: Readonly<Record<string, (n: number) => Promise<Answer>>> = {
    "a verification": (n) => call(`/validate?email=new${n}@full.test`, { key }),
    "a verification from a new network": (n) => call(`/validate?email=other${n}@full.test`, { ip: `198.51.100.${n}` }),
    "a list": (n) => call("/validate/bulk", { key, body: { emails: [`list${n}@full.test`] } }),
    "a job": (n) => call("/validate/bulk/async", { key, body: { emails: [`job${n}@full.test`] } }),
    "a suppression": (n) => call("/suppression/add", { key, body: { email: `s${n}@full.test`, reason: "manual" } }),
    "a key": (n) => call("/keys", { isAdmin: true, body: { name: "n", owner_email: `k${n}@mailbox.test` } }),
  }

  test.each(Object.entries(WRITES))("%s that cannot be stored is 503 with a code and Retry-After", async (_, write) => {
    service.fill()
    let refused: Answer | null = null
    for (let n = 1; n < 250 && !refused; n++) {
      const answer = await write(n)
      if (answer.status !== 200) refused = answer
    }
    expect(refused).toMatchObject({
      status: 503,
      body: { detail: "the result store accepts no writes; try again shortly", code: "storage_unavailable" },
    })
    expect(Number(refused?.retryAfter)).toBeGreaterThanOrEqual(1)
    service.free()
    await expect.poll(async () => (await write(251)).status, WAIT).toBe(200)
  })

  test("stored results, checks of syntax, the reference and the metrics are answered", async () => {
    service.fill()
    await call("/validate?email=one-more@full.test", { ip: "203.0.113.1" })
    const statuses = await Promise.all(
      [
        call(`/validate?email=${STORED}`, { key }),
        call(`/validate/fast?email=${STORED}`, { key }),
        call("/validate/syntax?email=a@b.test"),
        call("/usage", { key }),
        call("/openapi.json"),
        call("/admin/metrics", { isAdmin: true }),
      ].map(async (answering) => (await answering).status),
    )
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200])
  })

  test("/health, the metrics and the doctor say so at once, and that it is over", async () => {
    const health = async () => (await call("/health")).body
    const doctor = () => {
      const findings = checkMachine({ dataDir: service.dataDir, settings: {}, now: Date.now() })
      return findings.find(({ about }) => about === "disk")?.result
    }
    await expect.poll(health, WAIT).toMatchObject({ status: "ok", storage: "ok" })
    expect(doctor()).toBe("ok")
    service.fill()
    expect(doctor()).toBe("fail")
    const { status, body } = await call("/health")
    expect([status, body.storage, body.detail]).toEqual([503, "full", "storage full: no space is left for data"])
    const metrics = (await call<string>("/admin/metrics", { isAdmin: true })).body
    expect(metrics).toMatch(/^mailverdict_disk_free_bytes 0$/m)
    expect(metrics).toMatch(/^mailverdict_disk_total_bytes 8388608$/m)
    for (const store of ["database", "kv", "durable_objects", "queue"])
      expect(metrics).toMatch(new RegExp(`^mailverdict_disk_used_bytes\\{store="${store}"\\} [1-9]\\d*$`, "m"))
    service.free()
    await expect.poll(health, WAIT).toMatchObject({ status: "ok", storage: "ok" })
  })
})

test("a job that meets a full disk waits and then ends with all rows, each charged once", async () => {
  const own = await newKey()
  const emails = Array.from({ length: 600 }, (_, n) => `user${n}@full${n % 60}.test`)
  const { body } = await call("/validate/bulk/async", { key: own, body: { emails } })
  const job = async () => (await call<Job>(`/jobs/${body.job_id}`, { key: own })).body
  service.fill()
  // The rows of the job need more room than the database finds in its own files.
  const suppress = () => call("/suppression/add", { key, body: { email: "a@full.test", reason: "manual" } })
  await expect.poll(async () => (await suppress()).status, WAIT).toBe(503)
  expect(["queued", "running"]).toContain((await job()).status)
  service.free()
  await expect.poll(async () => (await job()).status, WAIT).toBe("complete")
  const { results, failed, credits_used } = await job()
  const found = results.map(({ checks }) => checks.email)
  expect([found.toSorted(), failed]).toEqual([emails.toSorted(), 0])
  expect(credits_used).toBe(emails.length)
  await expect.poll(async () => (await call("/usage", { key: own })).body.credits_used, WAIT).toBe(emails.length)
})

test("a refused call costs nothing, and an answered one is charged", async () => {
  const own = await newKey()
  const answered: number[] = []
  for (const [phase, act] of [["before"], ["full", service.fill], ["after", service.free]] as const) {
    act?.()
    for (let n = 0; n < 5; n++)
      answered.push((await call(`/validate?email=${phase}${n}@charged.test`, { key: own })).status)
  }
  expect(answered).toContain(503)
  const paid = answered.filter((status) => status === 200).length
  expect(answered.length - paid).toBe(answered.filter((status) => status === 503).length)
  await expect.poll(async () => (await call("/usage", { key: own })).body.credits_used, WAIT).toBe(paid)
})

test("the service logged no bug and never restarted a part", () => {
  expect(service.log.filter((line) => /unhandled_error|restarting it|ended unexpectedly/.test(line))).toEqual([])
})
