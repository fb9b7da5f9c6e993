import { afterAll, beforeAll, expect, test } from "vitest"
import { ChaosStack } from "../support/stack/chaos-stack.ts"

const SEEDS = Number(process.env.CHAOS_SEEDS ?? 1)

let chaos: ChaosStack
beforeAll(async () => {
  chaos = await ChaosStack.start({
    // As `npm start` without a proxy, which could state the client's address.
    settings: { CLIENT_IP_HEADER: "", ANONYMOUS_PER_MINUTE: "10", ANONYMOUS_PER_MONTH: "1000" },
  })
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(() => chaos.stop())

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  "seed %i: 500 addresses at once with 100 credits left: exactly 100 are served",
  async (seed) => {
    const key = await chaos.newKey("free")
    const lists = Array.from({ length: 10 }, (_, list) =>
      Array.from({ length: 50 }, (_, n) => `user${list * 50 + n}-spent${seed}@d0820.test`),
    )
    const answers = await Promise.all(lists.map((emails) => chaos.call("/validate/bulk", { key, body: { emails } })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBe(2)
    expect(statuses.filter((status) => status === 402 || status === 429).length).toBe(8)
    const { body } = await chaos.call<{ credits_used: number }>("/usage", { key })
    expect(body.credits_used).toBe(100)
  },
)

test("forged client addresses of callers without a key count as one caller", async () => {
  const statuses = []
  for (let n = 0; n < 14; n++) {
    const forged = Object.fromEntries(
      ["x-forwarded-for", "cf-connecting-ip", "x-real-ip", "forwarded", "true-client-ip"].map((name) => [
        name,
        `192.0.2.${n}`,
      ]),
    )
    statuses.push((await chaos.call(`/validate?email=user${n}@d0821.test`, { headers: forged })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), ...Array.from({ length: 4 }, () => 429)])
})

/** Requests without a price: DNS queries, webhooks to hosts of the caller's choice, long texts, watched jobs. */
const FREE_WORK: readonly [path: string, body?: unknown][] = [
  ["/validate/quick?email=a@d0822.test"],
  ["/verify/typo?email=a@gmial.com"],
  ["/verify/quick?email=malformed"],
  ["/verify/quick?email=malformed&webhook_url=https://hooks.example.com/x"],
  ["/utils/dedup", { emails: ["a@d0822.test"] }],
  ["/check/mine-emails", { text: "a@d0822.test" }],
  ["/domain-formats"],
  ["/jobs/job_000000000000000000000000/events"],
  ["/bulk/job_000000000000000000000000/report"],
  ["/bulk/download/job_000000000000000000000000"],
  ["/suppression/export"],
  ["/webhooks/deliveries/evt_none/redrive", {}],
  ["/regions/route?domain=d0822.test"],
  ["/gdpr/export?email=a@d0822.test"],
  ["/validate/bulk", { emails: ["malformed"] }],
  ["/received/batch", { emails: ["a@d0822.test"] }],
]

test.each(FREE_WORK)("%s counts against the requests per minute, though it costs no credit", async (path, body) => {
  const key = await chaos.newKey("free")
  const call = () => chaos.call(path, { key, ...(body ? { body } : {}) })
  const statuses = (await Promise.all(Array.from({ length: 11 }, call))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})

const SLOW_MACHINE = { timeout: 120_000 }

test("free writes do not count as requests, but have a limit per minute of their own", SLOW_MACHINE, async () => {
  const post = (path: string, body: unknown = {}, headers = {}) => [path, { body, headers }] as const
  const retry = { "idempotency-key": "k" }
  const calls = [
    post("/suppression/add", { email: "malformed", reason: "manual" }),
    ["/suppression/malformed", { method: "DELETE" }] as const,
    post("/bounce", { email: "malformed", bounce_type: "hard" }),
    post("/feedback/report", { email: "malformed", correct: true }),
    ...["/delivered", "/received", "/feedback/opened", "/feedback/clicked"].map((path) => post(`${path}?email=x`)),
    post("/validate", { email: "malformed" }, retry),
  ]
  for (const [path, init] of calls)
    expect((await chaos.call(path, { key: await chaos.newKey("free"), ...init })).status).toBeLessThan(401)
  const key = await chaos.newKey("free")
  const statuses: number[] = []
  const useUp = async () => {
    const [path, init] = calls[0]!
    for (let last = 0; last !== 429; last = statuses.at(-1)!) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => chaos.call(path, { key, ...init })))
      statuses.push(...answers.map(({ status }) => status).toSorted((a, b) => a - b))
    }
  }
  const refused = async () => {
    await useUp()
    const answers = await Promise.all(calls.map(([path, init]) => chaos.call(path, { key, ...init })))
    return answers.map(({ status, headers }) => [status, headers.get("retry-after")])
  }
  // The poll repeats it, because the minute may end during the calls.
  await expect.poll(refused, { timeout: 100_000 }).toEqual(calls.map(() => [429, "60"]))
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(1_000)
})

test("a suppression import counts against the requests per minute: each row is a write at the edge", async () => {
  const headers = { "x-api-key": await chaos.newKey("free"), "content-type": "text/csv" }
  const statuses = []
  for (let n = 0; n < 11; n++) {
    const sent = { method: "POST", headers, body: `email\nuser${n}@d0822.test\n` }
    statuses.push((await fetch(`${chaos.stack.url}/suppression/import`, sent)).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
})

test("all keys of a free account share one limit per minute", async () => {
  const first = await chaos.newKey("free")
  const made = async (path: string) => {
    const body = { name: "one more", owner_email: "owner@mailbox.test" }
    return (await chaos.call<{ api_key: string }>(path, { key: first, body })).body.api_key
  }
  const keys = [first, await made("/keys"), await made("/keys")]
  const [newest] = (await chaos.call<{ keys: { key_id: string }[] }>("/keys", { key: first })).body.keys
  keys.push(await made(`/keys/${newest!.key_id}/rotate`))
  const used = (key: string) => chaos.call("/utils/dedup", { key, body: { emails: ["a@d0822.test"] } })
  const statuses = []
  for (let n = 0; n < 6; n++) for (const key of [first, keys[1]!]) statuses.push((await used(key)).status)
  statuses.push((await used(keys[3]!)).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429, 429])
})

test("results from the edge's cache do not count", async () => {
  const key = await chaos.newKey("free")
  const email = "user1@d0823.test"
  expect((await chaos.call(`/validate?email=${email}`, { key })).status).toBe(200)
  for (const path of ["/validate/fast", "/validate/syntax", "/validate", "/verify/quick"]) {
    const call = () => chaos.call(`${path}?email=${email}`, { key })
    for (const { status } of await Promise.all(Array.from({ length: 11 }, call))) expect(status).toBe(200)
  }
})

test("the history stores a limited number of free results per minute, and the statistics count all", async () => {
  const key = await chaos.newKey("free")
  for (let n = 0; n < 200; n += 20)
    await Promise.all(Array.from({ length: 20 }, (_, m) => chaos.call(`/validate?email=malformed${n + m}`, { key })))
  const counted = async () => (await chaos.call<{ total: number }>("/me/stats", { key })).body.total
  await expect.poll(counted).toBe(200)
  const { body } = await chaos.call<{ verifications: unknown[] }>("/me/recent-verifications?limit=500", { key })
  // Sixty, or more when the minute ended during the calls.
  expect(body.verifications.length).toBeGreaterThanOrEqual(60)
  expect(body.verifications.length).toBeLessThanOrEqual(120)
})

test("the service logged no unhandled error", () => {
  expect(chaos.bugs).toEqual([])
})
