import { sql } from "drizzle-orm"
import { Hono, type Context as HonoContext } from "hono"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import { KeyLimiter } from "../../../src/adapters/accounts/limiter-state.ts"
import { createUsageMeter } from "../../../src/adapters/accounts/usage-meter.ts"
import { createChargeStore } from "../../../src/adapters/store/accounts/charges.ts"
import { createIdempotencyStore } from "../../../src/adapters/store/accounts/idempotency.ts"
import { createAccountErasureStore } from "../../../src/adapters/store/compliance/erasure.ts"
import type { Context } from "../../../src/context.ts"
import type { Caller } from "../../../src/domain/accounts/caller.ts"
import { createDigests, sha256 } from "../../../src/domain/accounts/crypto.ts"
import { addressHash, domainHashes } from "../../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { AppError } from "../../../src/errors.ts"
import type { AppEnv } from "../../../src/http/endpoint.ts"
import { onError } from "../../../src/http/errors.ts"
import { idempotency } from "../../../src/http/idempotency.ts"
import { testContext } from "../deps/context.ts"
import { startDatabase } from "./database.ts"

/** The real middleware, meter, limiter and stores, in front of an endpoint that charges a given amount. */
const PERIOD = "2026-11"
/** Credits of an account. */
export const LIMIT = 100
/** The address in every answer. */
export const EMAIL = "alice@one.test"

let counter = 0

/** The state of the test that runs. */
export const world = {
  database: null as unknown as Awaited<ReturnType<typeof startDatabase>>,
  now: 0,
  /** The account of the test. */
  subject: "",
  /** Work passed to `waitUntil`. */
  backgroundWork: [] as Promise<unknown>[],
  /** Number of the next writes about answers that the database does not answer. */
  lostWrites: 0,
  /** The number of calls that reached the endpoint. */
  endpointCalls: 0,
}

/** Starts the database for a file of tests, and the state anew for each of them. */
export function useChargingEndpoint(): void {
  beforeAll(async () => {
    world.database = await startDatabase()
  })
  afterAll(() => world.database.stop())
  beforeEach(async () => {
    await world.database.open().run(sql`DELETE FROM idempotency`)
    const subject = `acc_${counter++}`
    Object.assign(world, { now: Date.UTC(2026, 10, 5), subject, backgroundWork: [], lostWrites: 0, endpointCalls: 0 })
  })
}

type Ending = "well" | Failure | "in conflict" | "huge" | "free" | "refused" | "refused after its charge"
type Failure = "failing" | "failing after its charge"

/** A call of the endpoint. */
export interface Call {
  readonly key?: string
  /** The body is read by the endpoint, which claims its content. */
  readonly isStreamed?: boolean
  /** Runs after the endpoint has read a streamed body, before it claims the content. */
  readonly onRead?: () => Promise<unknown>
  readonly ending?: Ending
  /** Part of the answer. */
  readonly large?: string
}

/** Calls the endpoint, which charges the credits. @returns the status of its answer */
export async function post(credits: number, call?: Call): Promise<number> {
  return (await answerTo(credits, call)).status
}

/** As `post`. @returns the answer */
export async function answerTo(
  credits: number,
  { key, ending = "well", large = "", isStreamed = false, onRead = async () => undefined }: Call = {},
) {
  const app = new Hono<AppEnv>()
  app.onError(onError)
  const { ctx, meter } = await request()
  app.use(async (c, next) => {
    c.set("ctx", ctx)
    c.set("meter", meter)
    c.set("caller", caller())
    await next()
  })
  const contentOf = async (c: Pick<HonoContext<AppEnv>, "req">) => new Response(c.req.raw.body).text()
  app.post("/work", idempotency(isStreamed ? contentOf : undefined), async (c) => {
    if (isStreamed) {
      const content = await contentOf(c)
      await onRead()
      const first = await c.var.claimContent?.(content)
      if (first) return first
    }
    world.endpointCalls++
    if (ending === "free") return c.json({ malformed: "x".repeat(2_000_000) })
    if (ending === "refused") throw new AppError("invalid_request", "x".repeat(500_000))
    const charge = await c.get("meter").reserve(credits)
    await charge.settle(ending === "failing" || ending === "in conflict" ? 0 : credits)
    if (ending === "refused after its charge") throw new AppError("not_found", "no such thing")
    if (ending === "in conflict") throw new AppError("conflict", "not yet")
    if (ending.startsWith("failing")) throw new AppError("unavailable", "the store does not answer")
    return c.json({ served: credits, email: EMAIL, more: ending === "huge" ? "x".repeat(3_000_001) : large })
  })
  const headers = { ...(key ? { "idempotency-key": key } : {}) }
  const response = await app.request("/work", { method: "POST", headers, body: `${credits} addresses` })
  await response.clone().text()
  return response
}

const caller = (): Caller => ({
  kind: "member",
  accountId: world.subject,
  subject: world.subject,
  keyId: null,
  email: null,
  tier: "free",
  allowance: { perMonth: LIMIT, perMinute: null },
})

/** The context and the meter of one request. */
export async function request() {
  const charges = createChargeStore(world.database.open())
  const clock: Context["clock"] = {
    now: () => world.now,
    async sleep(ms) {
      world.now += ms
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
  const written = createIdempotencyStore(world.database.open())
  const noAnswer = () => Promise.reject(new AppError("unavailable", "no answer"))
  const idempotencyStore: typeof written = {
    ...written,
    storeResponse: (...given) => (world.lostWrites-- > 0 ? noAnswer() : written.storeResponse(...given)),
    reopen: (key) => (world.lostWrites-- > 0 ? noAnswer() : written.reopen(key)),
  }
  const accountErasures = createAccountErasureStore(world.database.open())
  const background = (work: Promise<unknown>) => void world.backgroundWork.push(work)
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

/** Credits that the account has used. */
export const used = () => createChargeStore(world.database.open()).usedBy(world.subject, PERIOD)

/** Characters of all stored answers. */
export async function storedChars(): Promise<number> {
  const rows = await world.database
    .open()
    .all<{ n: number }>(sql`SELECT coalesce(sum(length(body)), 0) AS n FROM idempotency`)
  return rows[0]!.n
}

/** Erases an address or a domain for an account. */
export const erase = async (kind: "address" | "domain", what: string, accountId = world.subject) => {
  const { ctx } = await request()
  const address = parseAddress(kind === "address" ? what : `x@${what}`) as ValidAddress
  const [hash, domainHash] = [
    await addressHash(ctx.digests, address),
    (await domainHashes(ctx.digests, address.domain))[0]!,
  ]
  const subjectHash = kind === "address" ? hash : domainHash
  await ctx.store.accountErasures.add({ accountId, subjectHash, domainHash, hidesUntil: null, erasedAt: world.now })
}

/** The hash of a request for so many credits. */
export function hashOf(credits: number): Promise<string> {
  return sha256(`POST /work\n${credits} addresses`)
}
