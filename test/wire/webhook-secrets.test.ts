import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { webhookSecrets } from "../../schema/tables/webhooks.ts"
import { createWebhookSecretStore } from "../../src/adapters/store/webhooks/webhook-endpoints.ts"
import type { Context } from "../../src/context.ts"
import { createSealer } from "../../src/domain/accounts/crypto.ts"
import { listSecrets, rotateSecret, showSecret, signingSecrets } from "../../src/services/webhooks/secrets.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PEPPER = "a pepper of at least thirty-two letters"

let database: Awaited<ReturnType<typeof startDatabase>>
let number = 0
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** An account without a secret, with a manual clock. */
async function world() {
  const accountId = `account-${++number}`
  let now = Date.UTC(2026, 10, 21)
  const db = database.open()
  const ctx: Context = testContext({
    clock: { now: () => now, sleep: async () => undefined },
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    randomToken: () => randomBytes(16).toString("hex"),
    sealer: await createSealer([PEPPER], randomBytes),
    store: { webhookSecrets: createWebhookSecretStore(db) },
  })
  return {
    ctx,
    pass: (ms: number) => {
      now += ms
    },
    sign: () => signingSecrets(ctx, accountId),
    show: () => showSecret(ctx, accountId),
    rotate: () => rotateSecret(ctx, accountId),
    /** The end of each secret in use, newest first. */
    ends: async () => (await listSecrets(ctx, accountId)).map(({ expiresAt }) => expiresAt),
    /** Gives the account this many secrets of the same time, as older versions did for concurrent first webhooks. */
    addSecrets: async (count: number) => {
      for (let n = 0; n < count; n++) {
        const secretId = `whk_${ctx.randomToken()}`
        const sealed = await ctx.sealer.seal(`webhook-secret ${secretId}`, `whsec_${n}`)
        await db.insert(webhookSecrets).values({ secretId, accountId, sealed, createdAt: now })
      }
    },
  }
}

const twelveTimes = <T>(act: () => Promise<T>) => Promise.allSettled(Array.from({ length: 12 }, act))
const valuesOf = <T>(settled: PromiseSettledResult<T>[]) =>
  settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
const reasonsOf = (settled: PromiseSettledResult<unknown>[]) =>
  settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))

describe("an account without a secret", () => {
  test("gets one, for any number of concurrent first webhooks", async () => {
    const { sign, ends } = await world()
    const signed = valuesOf(await twelveTimes(sign))
    expect(signed).toHaveLength(12)
    expect(new Set(signed.map((secrets) => secrets.join(" "))).size).toBe(1)
    expect(signed[0]).toEqual([expect.stringMatching(/^whsec_/)])
    expect(await ends()).toEqual([null])
  })

  test("gets the signing secret once, for any number of concurrent requests", async () => {
    const { sign, show, ends } = await world()
    const [shown, signed] = await Promise.all([twelveTimes(show), twelveTimes(sign)])
    expect(valuesOf(shown)).toHaveLength(1)
    expect(reasonsOf(shown)).toEqual(Array.from({ length: 11 }, () => expect.objectContaining({ code: "conflict" })))
    for (const secrets of valuesOf(signed)) expect(secrets).toEqual([valuesOf(shown)[0]!.secret])
    expect(await ends()).toEqual([null])
  })

  test("that can be read gets one more, and only one", async () => {
    const { ctx, sign, ends } = await world()
    await sign()
    Object.assign(ctx, { sealer: await createSealer([PEPPER.toUpperCase()], randomBytes) })
    const signed = valuesOf(await twelveTimes(sign))
    expect(signed).toHaveLength(12)
    expect(new Set(signed.map((secrets) => secrets.join(" "))).size).toBe(1)
    expect(signed[0]).toEqual([expect.stringMatching(/^whsec_/)])
    expect(await ends()).toEqual([null, null])
  })
})

describe("a rotation", () => {
  test("sets an end for all secrets without one, also for twelve", async () => {
    const { ctx, addSecrets, rotate, sign, ends, pass } = await world()
    await addSecrets(12)
    pass(HOUR)
    const overlapEnd = ctx.clock.now() + DAY
    const { secret } = await rotate()
    expect(await ends()).toEqual([null, ...Array.from({ length: 12 }, () => overlapEnd)])
    expect((await sign())[0]).toBe(secret)
    pass(DAY)
    expect(await sign()).toEqual([secret])
    expect((await rotate()).secret).not.toBe(secret)
  })

  test("does not change an end that is already set", async () => {
    const { ctx, sign, rotate, ends, pass } = await world()
    await sign()
    pass(HOUR)
    const first = ctx.clock.now() + DAY
    await rotate()
    pass(HOUR)
    await rotate()
    expect(await ends()).toEqual([null, first + HOUR, first])
  })

  test("at the same time as others leaves one secret without an end", async () => {
    const { sign, rotate, ends } = await world()
    await sign()
    await Promise.all([rotate(), rotate(), rotate()])
    expect((await ends()).filter((end) => end === null)).toHaveLength(1)
  })

  test("is refused while seven older secrets are valid", async () => {
    const { sign, rotate, ends, pass } = await world()
    await sign()
    for (let n = 0; n < 7; n++) {
      await rotate()
      pass(HOUR)
    }
    await expect(rotate()).rejects.toMatchObject({ code: "conflict" })
    expect(await ends()).toHaveLength(8)
    pass(DAY - 7 * HOUR)
    await rotate()
    expect(await ends()).toHaveLength(8)
  })
})
