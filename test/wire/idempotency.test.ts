import { sql } from "drizzle-orm"
import { Hono } from "hono"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { KeyLimiter } from "../../src/adapters/key-limiter/limiter-state.ts"
import { createUsageMeter } from "../../src/adapters/key-limiter/usage-meter.ts"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../src/adapters/memory-rate-limiter.ts"
import { createAccountErasureStore } from "../../src/adapters/store/accounts/account-erasures.ts"
import { createChargeStore } from "../../src/adapters/store/accounts/charges.ts"
import { createIdempotencyStore } from "../../src/adapters/store/accounts/idempotency.ts"
import type { Context } from "../../src/context.ts"
import type { Caller } from "../../src/domain/accounts/caller.ts"
import { createDigests, sha256 } from "../../src/domain/accounts/digest.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { addressHash, domainHashes } from "../../src/domain/feedback/address-hash.ts"
import { AppError } from "../../src/errors.ts"
import type { AppEnv } from "../../src/http/endpoint.ts"
import { onError } from "../../src/http/errors.ts"
import { idempotency } from "../../src/http/idempotency.ts"
import { tidyAccounts } from "../../src/services/accounts/tidy-accounts.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

/** The real middleware, meter, limiter and stores, in front of an endpoint that charges a given amount. */
const PERIOD = "2026-11"
const DAY_MS = 86_400_000
const LIMIT = 100
/** The address in every answer. */
const EMAIL = "alice@one.test"

let database: Awaited<ReturnType<typeof startDatabase>>
let now: number
let subject: string
let counter = 0
/** Work passed to `waitUntil`. */
let backgroundWork: Promise<unknown>[]
/** Number of the next writes about answers that the database does not answer. */
let lostWrites: number
/** The number of calls that reached the endpoint. */
let endpointCalls: number
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  await database.open().run(sql`DELETE FROM idempotency`)
  now = Date.UTC(2026, 10, 5)
  subject = `acc_${counter++}`
  backgroundWork = []
  lostWrites = 0
  endpointCalls = 0
})

type Ending = "well" | "failing" | "failing after its charge" | "in conflict" | "huge" | "free" | "refused"

interface Call {
  readonly key?: string
  readonly ending?: Ending
  /** Part of the answer. */
  readonly large?: string
}

async function post(credits: number, { key, ending = "well", large = "" }: Call = {}) {
  const app = new Hono<AppEnv>()
  app.onError(onError)
  const { ctx, meter } = await request()
  app.use(async (c, next) => {
    c.set("ctx", ctx)
    c.set("meter", meter)
    c.set("caller", caller())
    await next()
  })
  app.post("/work", idempotency({ isStreamed: false }), async (c) => {
    endpointCalls++
    if (ending === "free") return c.json({ malformed: "x".repeat(2_000_000) })
    if (ending === "refused") throw new AppError("invalid", "x".repeat(500_000))
    const charge = await c.get("meter").reserve(credits)
    await charge.settle(ending === "failing" || ending === "in conflict" ? 0 : credits)
    if (ending === "in conflict") throw new AppError("conflict", "not yet")
    if (ending.startsWith("failing")) throw new AppError("unavailable", "the store does not answer")
    return c.json({ served: credits, email: EMAIL, more: ending === "huge" ? "x".repeat(3_000_001) : large })
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

async function request() {
  const charges = createChargeStore(database.open())
  const clock: Context["clock"] = {
    now: () => now,
    async sleep(ms) {
      now += ms
    },
  }
  const gate = new KeyLimiter(
    {
      now: clock.now,
      findKey: async () => null,
      reserve: (charge, at) => charges.reserve(charge, at),
      ...{ saveWindow: () => undefined, saveDay: () => undefined },
      saveKey: () => undefined,
      wakeAt: () => undefined,
      clear: async () => undefined,
    },
    { window: [], key: null, day: null },
  )
  const digests = await createDigests(["a pepper of at least 32 characters"])
  const written = createIdempotencyStore(database.open())
  const noAnswer = () => Promise.reject(new AppError("unavailable", "no answer"))
  const idempotencyStore: typeof written = {
    ...written,
    storeResponse: (...given) => (lostWrites-- > 0 ? noAnswer() : written.storeResponse(...given)),
    reopen: (key) => (lostWrites-- > 0 ? noAnswer() : written.reopen(key)),
  }
  const accountErasures = createAccountErasureStore(database.open())
  const background = (work: Promise<unknown>) => void backgroundWork.push(work)
  const memoryRateLimiter = createMemoryRateLimiter(newRateLimiterMemory(), clock)
  const ctx = testContext({
    digests,
    clock,
    memoryRateLimiter,
    background,
    randomToken: () => crypto.randomUUID(),
    store: { charges, idempotency: idempotencyStore, accountErasures, usageAlerts: { reach: async () => undefined } },
  })
  return { ctx, meter: createUsageMeter(ctx, { caller: caller(), limiter: async () => gate as never }) }
}

const used = () => createChargeStore(database.open()).usedBy(subject, PERIOD)

/** Characters of all stored answers. */
async function storedChars(): Promise<number> {
  const rows = await database
    .open()
    .all<{ n: number }>(sql`SELECT coalesce(sum(length(body)), 0) AS n FROM idempotency`)
  return rows[0]!.n
}

test("a key used once gives no free requests after its 24 hours", async () => {
  expect(await post(1, { key: "k" })).toBe(200)
  now += DAY_MS + 60_000
  await tidyAccounts((await request()).ctx)
  expect(await post(LIMIT, { key: "k" })).toBe(429)
  expect(await post(5, { key: "k" })).toBe(200)
  expect(await used()).toBe(6)
})

test("a key whose answer could not be stored is free again once the database is back, and is charged once", async () => {
  lostWrites = 4
  const before = now
  expect(await post(3, { key: "k" })).toBe(503)
  await Promise.all(backgroundWork)
  expect(now - before).toBeLessThan(10_000)
  expect(await post(3, { key: "k" })).toBe(200)
  expect(await used()).toBe(3)
})

test("the first answer is replayed for 24 hours", async () => {
  for (const passMs of [0, 1, 121_000, DAY_MS - 121_002]) {
    now += passMs
    await tidyAccounts((await request()).ctx)
    expect(await post(1, { key: "k" })).toBe(200)
  }
  expect(endpointCalls).toBe(1)
})

test("a retry after a failure is charged when it succeeds", async () => {
  expect(await post(50, { key: "k", ending: "failing" })).toBe(503)
  expect(await used()).toBe(0)
  expect(await post(50, { key: "k" })).toBe(200)
  expect(await used()).toBe(50)
})

test("a charge made before a failure is not repeated", async () => {
  expect(await post(40, { key: "k", ending: "failing after its charge" })).toBe(503)
  now += 1
  expect(await post(40, { key: "k" })).toBe(200)
  expect(await used()).toBe(40)
})

test("after a failure the key is bound to its request, after a refusal it is free again", async () => {
  expect(await post(1, { key: "k", ending: "failing" })).toBe(503)
  expect(await post(2, { key: "k" })).toBe(422)
  expect(await post(LIMIT + 1, { key: "other" })).toBe(402)
  expect(await post(2, { key: "other" })).toBe(200)
  expect(await post(3, { key: "third", ending: "in conflict" })).toBe(409)
  expect(await post(4, { key: "third" })).toBe(200)
  expect(await used()).toBe(2 + 4)
})

test("an answer too large to store is computed again for the same charge, and for the same request only", async () => {
  expect(await post(60, { key: "k", ending: "huge" })).toBe(200)
  now += 1
  expect(await post(60, { key: "k", ending: "huge" })).toBe(200)
  expect(await used()).toBe(60)
  expect(await post(61, { key: "k" })).toBe(422)
})

test("a free answer is not stored, because computing it again is free too", async () => {
  for (const ending of ["free", "refused"] as const) {
    expect(await post(0, { key: ending, ending })).toBe(ending === "free" ? 200 : 422)
    expect(await post(1, { key: ending })).toBe(200)
  }
  expect(await storedChars()).toBeLessThan(2_000)
})

test("the size of stored answers is limited by the charge", async () => {
  const large = "x".repeat(300_000)
  expect(await post(1, { key: "little", large })).toBe(200)
  expect(await storedChars()).toBe(0)
  expect(await post(99, { key: "much", large })).toBe(200)
  expect(await storedChars()).toBeGreaterThan(300_000)
  expect(await used()).toBe(100)
})

test("a retry takes over a dead request and its charge", async () => {
  const { ctx, meter } = await request()
  const key = await ctx.digests.of("idempotency", `${subject}\nk`)
  // The state of a request that ended between its charge and its answer.
  await meter.named(`${key}:${now}`).reserve(70)
  const first = await ctx.store.idempotency.claim({ key, hash: await hashOf(70), now, heldUntil: now + 120_000 })
  expect(first).toEqual({ kind: "ours", since: now })
  expect(await post(70, { key: "k" })).toBe(409)
  now += 121_000
  expect(await post(70, { key: "k" })).toBe(200)
  expect(await used()).toBe(70)
})

describe("a retry after the account's erasure of", () => {
  const erase = async (kind: "address" | "domain", what: string, accountId = subject) => {
    const { ctx } = await request()
    const address = parseAddress(kind === "address" ? what : `x@${what}`) as ValidAddress
    const [hash, domainHash] = [
      await addressHash(ctx.digests, address),
      (await domainHashes(ctx.digests, address.domain))[0]!,
    ]
    const subjectHash = kind === "address" ? hash : domainHash
    await ctx.store.accountErasures.add({ accountId, subjectHash, domainHash, hidesUntil: null, erasedAt: now })
  }

  test.each([
    ["the address in the answer", "address", EMAIL, 2],
    ["its domain", "domain", "one.test", 2],
    ["another address", "address", "bob@one.test", 1],
    ["another domain", "domain", "two.test", 1],
  ] as const)("%s", async (_, kind, what, times) => {
    expect(await post(5, { key: "k" })).toBe(200)
    now += 1
    await erase(kind, what)
    now += 1
    expect(await post(5, { key: "k" })).toBe(200)
    expect([endpointCalls, await used()]).toEqual([times, 5 * times])
    // Retries of the new answer get it from the store.
    expect(await post(5, { key: "k" })).toBe(200)
    expect(endpointCalls).toBe(times)
  })

  test("an address before the first answer, or by another account, gets the first answer", async () => {
    await erase("address", EMAIL)
    now += 1
    expect(await post(5, { key: "k" })).toBe(200)
    await erase("address", EMAIL, "acc_another")
    expect(await post(5, { key: "k" })).toBe(200)
    expect(endpointCalls).toBe(1)
  })

  test("the address at the same time as another retry: one runs, the other gets 409", async () => {
    await post(5, { key: "k" })
    await erase("address", EMAIL)
    const statuses = await Promise.all([post(5, { key: "k" }), post(5, { key: "k" })])
    expect(endpointCalls).toBe(2)
    expect(statuses).toContain(200)
  })
})

function hashOf(credits: number): Promise<string> {
  return sha256(`POST /work\n${credits} addresses`)
}

test.each([undefined, "k"])("a charged request is completed after its caller has disconnected: %s", async (key) => {
  const gone = post(5, key === undefined ? {} : { key })
  await vi.waitFor(() => expect(backgroundWork).toHaveLength(1))
  await backgroundWork[0]
  const settled = sql`SELECT settled FROM ledger WHERE subject = ${subject}`
  expect(await database.open().all(settled)).toEqual([{ settled: 5 }])
  const kept = sql`SELECT 1 AS kept FROM idempotency WHERE status IS NOT NULL`
  expect(await database.open().all(kept)).toHaveLength(key === undefined ? 0 : 1)
  await gone
})
