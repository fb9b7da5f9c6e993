import { sql } from "drizzle-orm"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { KeyLimiter } from "../../src/adapters/accounts/limiter-state.ts"
import { createBillingStore } from "../../src/adapters/store/accounts/billing.ts"
import { type Charge, createChargeStore } from "../../src/adapters/store/accounts/charges.ts"
import { FairLimiter } from "../../src/concurrency/fair-limiter.ts"
import { startDatabase } from "../support/stack/database.ts"

const TURN = { queue: "x", since: 0, deadlineAt: 0 }

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const PERIOD = "2026-11"
let counter = 0
const charge = (subject: string, more: Partial<Charge> = {}): Charge => ({
  chargeId: `c${counter++}`,
  subject,
  limit: 100,
  keyId: `kid_${subject}`,
  period: PERIOD,
  credits: 1,
  kind: "call",
  ...more,
})

test("500 reservations at once with 100 left: exactly 100 are granted, and the ledger adds up", async () => {
  const charges = Array.from({ length: 500 }, () => charge("crowd"))
  // Fifty callers with ten each: more concurrent connections would measure the machine.
  const callers = Array.from({ length: 50 }, async (_, caller) => {
    const answers = []
    for (const one of charges.slice(caller * 10, caller * 10 + 10))
      answers.push(await createChargeStore(database.open()).reserve(one, 1))
    return answers
  })
  const granted = (await Promise.all(callers)).flat()
  expect(granted.filter((one) => one.granted)).toHaveLength(100)
  const store = createChargeStore(database.open())
  expect(await store.usedBy("crowd", PERIOD)).toBe(100)
  expect(await store.usedBy("kid_crowd", PERIOD)).toBe(100)
  const [row] = await database
    .open()
    .all<{ n: number }>(sql`SELECT sum(reserved) AS n FROM ledger WHERE subject = 'crowd'`)
  expect(row?.n).toBe(100)
})

test("keys below their account's plan share the month of their tier, without the usage of better keys", async () => {
  const keys = { kid_pro: "pro", kid_free: "free", kid_free_2: "free" }
  await database.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES ('mixed', 1)`)
  for (const [keyId, tier] of Object.entries(keys))
    await database
      .open()
      .run(sql`INSERT INTO api_keys (key_id, digest, pepper_id, account_id, owner_email, name, tier, created_at)
      VALUES (${keyId}, ${keyId}, '', 'mixed', '', '', ${tier}, 1)`)
  const store = createChargeStore(database.open())
  const take = async (keyId: string, credits: number, limit: number | null = 100) => {
    const { granted, used } = await store.reserve(charge("mixed", { keyId, credits, limit }), 1)
    return [granted, used]
  }
  expect(await take("kid_pro", 50, 10_000)).toEqual([true, 50])
  // The limit applies to the reported usage. Otherwise the key's month would look shorter than it is.
  expect(await take("kid_free", 10)).toEqual([true, 10])
  expect(await take("kid_pro", 100, 10_000)).toEqual([true, 160])
  expect(await take("kid_free", 50)).toEqual([true, 60])
  expect(await take("kid_free_2", 41)).toEqual([false, 60])
  expect(await take("kid_free_2", 40)).toEqual([true, 100])
  expect(await take("kid_free", 1)).toEqual([false, 100])
  expect(await take("kid_pro", 1, 250)).toEqual([false, 250])
  expect(await take("kid_pro", 1, null)).toEqual([true, 251])
  expect(await store.usedBy("mixed", PERIOD)).toBe(251)
  const counted = (keyId: string | null) => store.countedFor({ subject: "mixed", keyId, period: PERIOD })
  expect(await Promise.all(["kid_free", "kid_pro", null].map(counted))).toEqual([100, 251, 251])
  await database.open().run(sql`UPDATE accounts SET credits = 500 WHERE account_id = 'mixed'`)
  expect(await take("kid_pro", 300, 250)).toEqual([true, 251]) // Bought credits do not count against the month.
  await database.open().run(sql`UPDATE accounts SET credits = 0 WHERE account_id = 'mixed'`)
  expect(await counted("kid_free")).toBe(100)
  expect(await take("kid_free", 1)).toEqual([false, 100])
})

test("a free account has one monthly limit for all its keys and sessions", async () => {
  await database.open().run(sql`INSERT INTO accounts (account_id, tier, created_at) VALUES ('plain', 'free', 1),
    ('large', 'enterprise', 1)`)
  const keys = { kid_plain: ["plain", "free"], kid_plain_2: ["plain", "free"], kid_large: ["large", "enterprise"] }
  for (const [keyId, [accountId, tier]] of Object.entries(keys))
    await database
      .open()
      .run(sql`INSERT INTO api_keys (key_id, digest, pepper_id, account_id, owner_email, name, tier, created_at)
      VALUES (${keyId}, ${keyId}, '', ${accountId}, '', '', ${tier}, 1)`)
  const store = createChargeStore(database.open())
  const take = async (keyId: string | null, credits: number) =>
    (await store.reserve(charge("plain", { keyId, credits }), 1)).granted
  expect([await take(null, 70), await take("kid_plain", 30), await take("kid_plain_2", 1)]).toEqual([true, true, false])
})

test("each month is counted separately", async () => {
  const store = createChargeStore(database.open())
  const take = (period: string, credits: number) => store.reserve(charge("monthly", { period, credits }), 1)
  for (const period of [PERIOD, "2026-12"]) expect(await take(period, 90)).toMatchObject({ granted: true, used: 90 })
  expect(await take("2026-12", 11)).toMatchObject({ granted: false, used: 90 })
  expect(await take(PERIOD, 10)).toMatchObject({ granted: true, used: 100 })
  expect(await take(PERIOD, 5)).toMatchObject({ granted: false, used: 100 })
  expect(await take("2026-12", 1)).toMatchObject({ granted: true, used: 91 })
  const of = { subject: "monthly", keyId: null }
  expect([await store.usedBy("monthly", "2026-12"), await store.usedBy("kid_monthly", PERIOD)]).toEqual([91, 100])
  expect(await store.countedFor({ ...of, period: "2026-12" })).toBe(91)
})

test("a charge is never reserved twice, and settling it twice refunds once", async () => {
  const store = createChargeStore(database.open())
  const one = charge("careful", { credits: 6 })
  const answers = await Promise.all(Array.from({ length: 5 }, () => store.reserve(one, 1)))
  expect(answers.every(({ granted }) => granted)).toBe(true)
  expect(await store.usedBy("careful", PERIOD)).toBe(6)
  await Promise.all([store.settle(one.chargeId, 1), store.settle(one.chargeId, 1), store.settle(one.chargeId, 0)])
  expect([0, 1]).toContain(await store.usedBy("careful", PERIOD))
  expect(await store.usedBy("kid_careful", PERIOD)).toBe(await store.usedBy("careful", PERIOD))
})

test("for any reservations and settlements, usage equals the ledger and never exceeds the limit", async () => {
  const step = fc.record({
    credits: fc.integer({ min: 1, max: 40 }),
    settle: fc.option(fc.integer({ min: 0, max: 40 })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const subject = `s${counter++}`
      await Promise.all(
        steps.map(async ({ credits, settle }) => {
          const store = createChargeStore(database.open())
          const one = charge(subject, { credits })
          const { granted } = await store.reserve(one, 1)
          if (granted && settle !== null) await store.settle(one.chargeId, Math.min(settle, credits))
        }),
      )
      const [row] = await database
        .open()
        .all<{ n: number }>(sql`SELECT sum(coalesce(settled, reserved)) AS n FROM ledger WHERE subject = ${subject}`)
      const used = await createChargeStore(database.open()).usedBy(subject, PERIOD)
      expect(used).toBe(row?.n ?? 0)
      expect(used).toBeLessThanOrEqual(100)
    }),
    { numRuns: 25 },
  )
})

test("charges that are never settled are refunded: dead calls, and charges without a job", async () => {
  const store = createChargeStore(database.open())
  const jobId = "job_there"
  await database.open().run(sql`INSERT INTO jobs (job_id, account_id, lane, kind, created_at, status, smtp, deduplicate)
    VALUES (${jobId}, 'sweep', 'sweep', 'async', 1000, 'queued', 1, 1)`)
  await store.reserve(charge("sweep", { credits: 3 }), 1_000)
  await store.reserve(charge("sweep", { credits: 5, kind: "job", chargeId: jobId }), 1_000)
  await store.reserve(charge("sweep", { credits: 7 }), 9_000)
  await store.reserve(charge("sweep", { credits: 11, kind: "job", chargeId: "job_gone" }), 1_000)
  await store.reserve(charge("sweep", { credits: 13, kind: "job", chargeId: "ver_gone" }), 1_000)
  await database
    .open()
    .run(sql`INSERT INTO pending_verifications (verification_id, email, state, webhook_url, created_at, lease_until)
    VALUES ('ver_there', 'a@x.test', 'queued', '', 1000, 1)`)
  await store.reserve(charge("sweep", { credits: 23, kind: "job", chargeId: "ver_there" }), 1_000)
  await store.reserve(charge("sweep", { credits: 17, kind: "job", chargeId: "job_young" }), 9_000)
  await store.reserve(charge("sweep", { credits: 19, kind: "job", chargeId: "sync_1.0.0" }), 1_000)
  expect(await store.refundAbandoned({ call: 5_000, job: 5_000, lease: 5_000 })).toBeGreaterThanOrEqual(3)
  expect(await store.usedBy("sweep", PERIOD)).toBe(5 + 7 + 17 + 19 + 23)
})

test("any number of dead calls is refunded in small statements", async () => {
  const dead = JSON.stringify(Array.from({ length: 1_200 }, (_, n) => n))
  await database.open().run(sql`INSERT INTO usage (subject, period, used)
    SELECT 'dead-' || (value % 40), ${PERIOD}, 50 FROM json_each(${dead}) WHERE value < 40`)
  await database.open().run(sql`INSERT INTO ledger (charge_id, subject, period, reserved, state, created_at)
    SELECT 'dead-' || value, 'dead-' || (value % 40), ${PERIOD}, 1, 'call', 1 FROM json_each(${dead})`)
  let trips = 0
  const around = <T>(trip: () => Promise<T>) => {
    trips++
    return trip()
  }
  expect(await createChargeStore(database.open({ around })).refundAbandoned({ call: 100, job: 100, lease: 100 })).toBe(
    1_200,
  )
  expect(trips).toBe(6)
  const [sums] = await database.open().all(sql`SELECT sum(used) AS used, (SELECT count(*) FROM ledger
    WHERE charge_id GLOB 'dead-*' AND state = 'settled') AS settled FROM usage WHERE subject GLOB 'dead-*'`)
  expect(sums).toEqual({ used: 40 * 50 - 1_200, settled: 1_200 })
})

test("a call repeated during the refund of dead calls is not refunded", async () => {
  const store = createChargeStore(database.open())
  const one = charge("revived", { credits: 6 })
  await store.reserve(one, 1_000)
  let trips = 0
  const around = async <T>(trip: () => Promise<T>) => {
    if (trips++ === 1) {
      await store.settle(one.chargeId, 0)
      await store.reserve(one, 9_000)
    }
    return trip()
  }
  // The sweep runs in another isolate than the call.
  const writes = new FairLimiter({ width: 1, leaseMs: 1_000 })
  await createChargeStore(database.open({ around, writes })).refundAbandoned({ call: 5_000, job: 5_000, lease: 5_000 })
  expect(await store.usedBy("revived", PERIOD)).toBe(6)
})

test("a charge refunded in full can be made again; a settled one is not charged again", async () => {
  const store = createChargeStore(database.open())
  const again = charge("again", { credits: 4 })
  for (const [settled, used] of [
    [0, 0],
    [3, 3],
    [4, 3],
    [0, 3],
  ] as const) {
    expect((await store.reserve(again, 1)).granted).toBe(true)
    await store.settle(again.chargeId, settled)
    expect(await store.usedBy("again", PERIOD)).toBe(used)
  }
  const beyond = charge("again", { credits: 100 })
  expect((await store.reserve(beyond, 1)).granted).toBe(false)
})

test("a refund of bought credits reduces only the account's open reservations of bought credits", async () => {
  const [charges, billing] = [createChargeStore(database.open()), createBillingStore(database.open())]
  for (const accountId of ["refunded", "beside"]) {
    await database.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${accountId}, 1)`)
    await billing.addCredits({ checkoutId: `cs_${accountId}`, accountId, credits: 50, at: 1 })
  }
  const openCharges = [
    ["a", charge("refunded", { limit: 0, credits: 20 })],
    ["settled", charge("refunded", { limit: 0, credits: 20 })],
    ["month", charge("refunded", { credits: 20 })],
    ["beside", charge("beside", { limit: 0, credits: 20 })],
    ["y", charge("refunded", { limit: 0, credits: 20 })],
    ["z", charge("refunded", { limit: 0, credits: 10 })],
  ] as const
  for (const [name, one] of openCharges) {
    expect((await charges.reserve({ ...one, chargeId: `held-${name}` }, 1)).granted, name).toBe(true)
    if (name === "settled") await charges.settle("held-settled", 0)
  }
  for (const _ of ["once", "again"])
    await billing.revokeCredits({ checkoutId: "cs_refunded", accountId: "refunded", credits: 30, at: 2 })
  const left = await database.open().all<{ id: string; reserved: number }>(sql`SELECT charge_id AS id, reserved
    FROM ledger WHERE charge_id GLOB 'held-*'`)
  const reserved = Object.fromEntries(left.map(({ id, reserved }) => [id.slice(5), reserved]))
  expect(reserved).toEqual({ a: 0, settled: 20, month: 20, beside: 20, y: 10, z: 10 })
  expect(await Promise.all(["refunded", "beside"].map(charges.creditsOf))).toEqual([0, 30])
})

test("a limiter allows exactly its rate under load, returns what the month refuses, and reads a changed key again", async () => {
  let now = 1_000_000
  let reads = 0
  const limiter = new KeyLimiter(
    {
      now: () => now,
      findKey: async () => {
        reads++
        return null
      },
      reserve: (one, at) => createChargeStore(database.open()).reserve(one, at),
      saveWindow: () => undefined,
      saveDay: () => undefined,
      saveKey: () => undefined,
      wakeAt: () => undefined,
      clear: async () => undefined,
    },
    { window: [], key: null, day: null },
  )
  const take = (limit: number) =>
    limiter.reserve({ charge: charge("gated", { limit }), perMinute: 10, queueEntry: TURN })
  const first = await Promise.all(Array.from({ length: 30 }, () => take(4)))
  expect(first.filter(({ kind }) => kind === "taken")).toHaveLength(4)
  expect(first.filter(({ kind }) => kind === "exhausted" || kind === "too_fast")).toHaveLength(26)
  const second = await Promise.all(Array.from({ length: 30 }, () => take(100)))
  expect(second.filter(({ kind }) => kind === "taken")).toHaveLength(6)
  now += 60_000
  expect((await take(100)).kind).toBe("taken")

  await Promise.all([limiter.check("d"), limiter.check("d"), limiter.check("d")])
  expect(reads).toBe(1)
  limiter.invalidate()
  await limiter.check("d")
  expect(reads).toBe(2)
})
