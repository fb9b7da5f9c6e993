import { sql } from "drizzle-orm"
import { Hono } from "hono"
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { Gate } from "../../src/adapters/keygate/gate.ts"
import { createMeter } from "../../src/adapters/keygate/meter.ts"
import { createMinuteBook, newMinuteMemory } from "../../src/adapters/minute-book.ts"
import { createChargeStore } from "../../src/adapters/store/charges.ts"
import { createIdempotencyStore } from "../../src/adapters/store/idempotency.ts"
import type { Deps } from "../../src/deps.ts"
import type { Caller } from "../../src/domain/accounts/caller.ts"
import { createDigests, sha256 } from "../../src/domain/keys/digest.ts"
import { AppError } from "../../src/errors.ts"
import type { AppEnv } from "../../src/http/endpoint.ts"
import { onError } from "../../src/http/errors.ts"
import { idempotency } from "../../src/http/idempotency.ts"
import { tidyAccounts } from "../../src/services/accounts/tidy-accounts.ts"
import { startDatabase } from "../support/database.ts"

/** The middleware, the meter, the gate and the stores as they are, before an endpoint that charges what it is told to. */
const PERIOD = "2026-11"
const DAY_MS = 86_400_000
const LIMIT = 100

let database: Awaited<ReturnType<typeof startDatabase>>
let now: number
let subject: string
let counter = 0
/** What the platform was asked to see through. */
let lasting: Promise<unknown>[]
/** Times the endpoint was reached. */
let worked: number
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  await database.open().run(sql`DELETE FROM idempotency`)
  now = Date.UTC(2026, 10, 5)
  subject = `acc_${counter++}`
  lasting = []
  worked = 0
})

type Ending = "well" | "failing" | "failing behind its charge" | "in conflict" | "huge" | "free" | "refused"

interface Call {
  readonly key?: string
  readonly ending?: Ending
  /** Part of the answer. */
  readonly large?: string
}

async function post(credits: number, { key, ending = "well", large = "" }: Call = {}) {
  const app = new Hono<AppEnv>()
  app.onError(onError)
  const deps = await makeDeps()
  app.use(async (c, next) => {
    c.set("deps", deps)
    c.set("caller", caller())
    await next()
  })
  app.post("/work", idempotency({ isStreamed: false }), async (c) => {
    worked++
    if (ending === "free") return c.json({ malformed: "x".repeat(2_000_000) })
    if (ending === "refused") throw new AppError("invalid", "x".repeat(500_000))
    const charge = await c.get("deps").meter.reserve(credits)
    await charge.settle(ending === "failing" || ending === "in conflict" ? 0 : credits)
    if (ending === "in conflict") throw new AppError("conflict", "not yet")
    if (ending.startsWith("failing")) throw new AppError("unavailable", "the store does not answer")
    return c.json({ served: credits, more: ending === "huge" ? "x".repeat(3_000_001) : large })
  })
  const headers = { ...(key ? { "idempotency-key": key } : {}) }
  const response = await app.request("/work", { method: "POST", headers, body: `${credits} addresses` })
  await response.text()
  return response.status
}

const caller = (): Caller => ({
  kind: "member",
  accountId: subject,
  subject,
  keyId: null,
  email: null,
  tier: "free",
  allowance: { perMonth: LIMIT, perMinute: null },
})

async function makeDeps(): Promise<Deps> {
  const charges = createChargeStore(database.open())
  const clock = { now: () => now } as Deps["clock"]
  const gate = new Gate(
    {
      now: clock.now,
      findKey: async () => null,
      reserve: (charge, at) => charges.reserve(charge, at),
      saveWindow: () => undefined,
      saveKey: () => undefined,
      wakeAt: () => undefined,
      clear: async () => undefined,
    },
    { window: [], key: null },
  )
  const meter = createMeter({ clock, charges, randomToken: () => crypto.randomUUID() })
  meter.countFor(caller(), async () => gate as never)
  const digests = await createDigests(["a pepper of at least 32 characters"])
  const idempotencyStore = createIdempotencyStore(database.open())
  const background = (work: Promise<unknown>) => void lasting.push(work)
  const minuteBook = createMinuteBook(newMinuteMemory(), clock)
  return { digests, clock, charges, meter, minuteBook, idempotency: idempotencyStore, background } as unknown as Deps
}

const used = () => createChargeStore(database.open()).usedBy(subject, PERIOD)

/** Characters of all answers that are kept. */
async function keptChars(): Promise<number> {
  const rows = await database
    .open()
    .all<{ n: number }>(sql`SELECT coalesce(sum(length(body)), 0) AS n FROM idempotency`)
  return rows[0]!.n
}

test("a key used once pays for nothing after its 24 hours", async () => {
  expect(await post(1, { key: "k" })).toBe(200)
  now += DAY_MS + 60_000
  await tidyAccounts(await makeDeps())
  expect(await post(LIMIT, { key: "k" })).toBe(429)
  expect(await post(5, { key: "k" })).toBe(200)
  expect(await used()).toBe(6)
})

test("the first answer stands for 24 hours", async () => {
  for (const passMs of [0, 1, 121_000, DAY_MS - 121_002]) {
    now += passMs
    await tidyAccounts(await makeDeps())
    expect(await post(1, { key: "k" })).toBe(200)
  }
  expect(worked).toBe(1)
})

test("what is tried again after a failure is charged when it succeeds", async () => {
  expect(await post(50, { key: "k", ending: "failing" })).toBe(503)
  expect(await used()).toBe(0)
  expect(await post(50, { key: "k" })).toBe(200)
  expect(await used()).toBe(50)
})

test("what was paid for before a failure is not paid for again", async () => {
  expect(await post(40, { key: "k", ending: "failing behind its charge" })).toBe(503)
  now += 1
  expect(await post(40, { key: "k" })).toBe(200)
  expect(await used()).toBe(40)
})

test("after a failure the key still stands for its own request, after a refusal it is free again", async () => {
  expect(await post(1, { key: "k", ending: "failing" })).toBe(503)
  expect(await post(2, { key: "k" })).toBe(422)
  expect(await post(LIMIT + 1, { key: "other" })).toBe(429)
  expect(await post(2, { key: "other" })).toBe(200)
  expect(await post(3, { key: "third", ending: "in conflict" })).toBe(409)
  expect(await post(4, { key: "third" })).toBe(200)
  expect(await used()).toBe(2 + 4)
})

test("an answer too large to be kept is made again, for one charge, and for the same request only", async () => {
  expect(await post(60, { key: "k", ending: "huge" })).toBe(200)
  now += 1
  expect(await post(60, { key: "k", ending: "huge" })).toBe(200)
  expect(await used()).toBe(60)
  expect(await post(61, { key: "k" })).toBe(422)
})

test("an answer that cost nothing is not kept: making it again costs nothing either", async () => {
  for (const ending of ["free", "refused"] as const) {
    expect(await post(0, { key: ending, ending })).toBe(ending === "free" ? 200 : 422)
    expect(await post(1, { key: ending })).toBe(200)
  }
  expect(await keptChars()).toBeLessThan(2_000)
})

test("what is kept grows with what was paid, so that a credit is no room for a book", async () => {
  const large = "x".repeat(300_000)
  expect(await post(1, { key: "little", large })).toBe(200)
  expect(await keptChars()).toBe(0)
  expect(await post(99, { key: "much", large })).toBe(200)
  expect(await keptChars()).toBeGreaterThan(300_000)
  expect(await used()).toBe(100)
})

test("a retry takes over from a request that died, with its charge", async () => {
  const deps = await makeDeps()
  const key = await deps.digests.of("idempotency", `${subject}\nk`)
  // As a request leaves it that ended between its charge and its answer.
  deps.meter.nameCharges(`${key}:${now}`)
  await deps.meter.reserve(70)
  const first = await deps.idempotency.claim({ key, hash: await hashOf(70), now, heldUntil: now + 120_000 })
  expect(first).toEqual({ kind: "ours", since: now })
  expect(await post(70, { key: "k" })).toBe(409)
  now += 121_000
  expect(await post(70, { key: "k" })).toBe(200)
  expect(await used()).toBe(70)
})

function hashOf(credits: number): Promise<string> {
  return sha256(`POST /work\n${credits} addresses`)
}

test.each([undefined, "k"])("what costs is seen through when its caller has gone: %s", async (key) => {
  const gone = post(5, key === undefined ? {} : { key })
  await vi.waitFor(() => expect(lasting).toHaveLength(1))
  await lasting[0]
  const settled = sql`SELECT settled FROM ledger WHERE subject = ${subject}`
  expect(await database.open().all(settled)).toEqual([{ settled: 5 }])
  const kept = sql`SELECT 1 AS kept FROM idempotency WHERE status IS NOT NULL`
  expect(await database.open().all(kept)).toHaveLength(key === undefined ? 0 : 1)
  await gone
})
