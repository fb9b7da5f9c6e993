import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { webhookSecrets } from "../../schema/tables/webhooks.ts"
import { createWebhookSecretStore } from "../../src/adapters/store/webhook-secrets.ts"
import { createSealer } from "../../src/domain/keys/seal.ts"
import {
  listSecrets,
  rotateSecret,
  type SecretNeeds,
  showSecret,
  signingSecrets,
} from "../../src/services/webhooks/secrets.ts"
import { startDatabase } from "../support/database.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PEPPER = "a pepper of at least thirty-two letters"

let database: Awaited<ReturnType<typeof startDatabase>>
let number = 0
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** An account without a secret, on a clock of its own. */
async function world() {
  const accountId = `account-${++number}`
  let now = Date.UTC(2026, 10, 21)
  const db = database.open()
  const needs: SecretNeeds = {
    clock: { now: () => now, sleep: async () => undefined },
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    randomToken: () => randomBytes(16).toString("hex"),
    sealer: await createSealer([PEPPER], randomBytes),
    webhookSecrets: createWebhookSecretStore(db),
  }
  return {
    needs,
    pass: (ms: number) => {
      now += ms
    },
    sign: () => signingSecrets(needs, accountId),
    show: () => showSecret(needs, accountId),
    rotate: () => rotateSecret(needs, accountId),
    /** For each secret in use, the newest first, when it ends. */
    ends: async () => (await listSecrets(needs, accountId)).map(({ expiresAt }) => expiresAt),
    /** Leaves the account with secrets of the same moment, as first webhooks at once once did. */
    crowd: async (count: number) => {
      for (let n = 0; n < count; n++) {
        const secretId = `whk_${needs.randomToken()}`
        const sealed = await needs.sealer.seal(`webhook-secret ${secretId}`, `whsec_${n}`)
        await db.insert(webhookSecrets).values({ secretId, accountId, sealed, createdAt: now })
      }
    },
  }
}

const twelve = <T>(act: () => Promise<T>) => Promise.allSettled(Array.from({ length: 12 }, act))
const valuesOf = <T>(settled: PromiseSettledResult<T>[]) =>
  settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
const reasonsOf = (settled: PromiseSettledResult<unknown>[]) =>
  settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))

describe("an account without a secret", () => {
  test("gets one, however many webhooks go out first", async () => {
    const { sign, ends } = await world()
    const signed = valuesOf(await twelve(sign))
    expect(signed).toHaveLength(12)
    expect(new Set(signed.map((secrets) => secrets.join(" "))).size).toBe(1)
    expect(signed[0]).toEqual([expect.stringMatching(/^whsec_/)])
    expect(await ends()).toEqual([null])
  })

  test("is shown the one that signs, and once, however many ask", async () => {
    const { sign, show, ends } = await world()
    const [shown, signed] = await Promise.all([twelve(show), twelve(sign)])
    expect(valuesOf(shown)).toHaveLength(1)
    expect(reasonsOf(shown)).toEqual(Array.from({ length: 11 }, () => expect.objectContaining({ code: "conflict" })))
    for (const secrets of valuesOf(signed)) expect(secrets).toEqual([valuesOf(shown)[0]!.secret])
    expect(await ends()).toEqual([null])
  })

  test("that can be read gets one more, and only one", async () => {
    const { needs, sign, ends } = await world()
    await sign()
    Object.assign(needs, { sealer: await createSealer([PEPPER.toUpperCase()], randomBytes) })
    const signed = valuesOf(await twelve(sign))
    expect(signed).toHaveLength(12)
    expect(new Set(signed.map((secrets) => secrets.join(" "))).size).toBe(1)
    expect(signed[0]).toEqual([expect.stringMatching(/^whsec_/)])
    expect(await ends()).toEqual([null, null])
  })
})

describe("a rotation", () => {
  test("ends all that had no end, also of an account that has gathered twelve", async () => {
    const { needs, crowd, rotate, sign, ends, pass } = await world()
    await crowd(12)
    pass(HOUR)
    const overlapEnd = needs.clock.now() + DAY
    const { secret } = await rotate()
    expect(await ends()).toEqual([null, ...Array.from({ length: 12 }, () => overlapEnd)])
    expect((await sign())[0]).toBe(secret)
    pass(DAY)
    expect(await sign()).toEqual([secret])
    expect((await rotate()).secret).not.toBe(secret)
  })

  test("does not put off the end that another has set", async () => {
    const { needs, sign, rotate, ends, pass } = await world()
    await sign()
    pass(HOUR)
    const first = needs.clock.now() + DAY
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

  test("is refused while seven secrets sign along", async () => {
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
