import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ACCOUNT_TABLES } from "../../schema/tables/account-tables.ts"
import type { Tier } from "../../schema/vocabulary.ts"
import { createKvReader } from "../../src/adapters/cache.ts"
import { randomBytes, systemClock } from "../../src/adapters/platform.ts"
import { createBillingStore } from "../../src/adapters/store/accounts/billing.ts"
import { type Charge, createChargeStore } from "../../src/adapters/store/accounts/charges.ts"
import { createHistoryStore } from "../../src/adapters/store/accounts/history.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createSessionStore } from "../../src/adapters/store/accounts/sessions.ts"
import { createUnconfirmedKeyStore } from "../../src/adapters/store/accounts/unclaimed-accounts.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createFlagCache } from "../../src/adapters/suppression/flag-cache.ts"
import type { Context } from "../../src/context.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { createKey } from "../../src/services/accounts/keys.ts"
import { beginSession } from "../../src/services/accounts/sign-in.ts"
import { suppress } from "../../src/services/suppression/suppression-list.ts"
import { testContext } from "../support/deps/context.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { startDatabase } from "../support/stack/database.ts"
import { failAtRoundTrip } from "../support/stack/failing-store.ts"
import { flagsAtEdge } from "../support/stack/flags-at-edge.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
/** Digests of the keys whose limiters were notified of a change. */
const notifiedKeys = new Set<string>()
/** Background work of the calls. */
const backgroundWork: Promise<unknown>[] = []
let [ctx, kvEntries] = [{} as Context, new Map<string, string>()]

beforeAll(async () => {
  server = await startDatabase()
  const database = server.open()
  const { kv, entries } = memoryKv()
  kvEntries = entries
  ctx = testContext({
    background: (work: Promise<unknown>) => void backgroundWork.push(work),
    flags: createFlagCache(kv, createKvReader(kv), Date.now),
    clock: systemClock,
    digests: await createDigests(["a pepper of at least 32 characters"]),
    keyLimiters: {
      ofKey: (digest: string) => ({ invalidate: async () => void notifiedKeys.add(digest) }),
      ofAction: () => ({ count: async () => ({ accepted: true, remaining: 1, resetMs: 0 }) }),
    },
    randomBytes,
    randomToken: () => crypto.randomUUID(),
    store: {
      suppressions: createSuppressionStore(database),
      billing: createBillingStore(database),
      charges: createChargeStore(database),
      keys: createKeyStore(database),
      operator: createOperatorStore(database),
      sessions: createSessionStore(database, systemClock),
      unconfirmedKeys: createUnconfirmedKeyStore(database),
    },
  })
})
afterAll(() => server.stop())

const [PERIOD, EARLIER] = ["2026-11", "2026-10"]
let counter = 0
const allowance = { perMonth: 100, perMinute: 10 }

/** A key of an account that is not claimed. */
const newUnclaimedKey = (tier: Tier = "free") =>
  createKey(ctx, { caller: { kind: "admin" }, name: "", ownerEmail: "stranger@inbox.test", tier })

/** An account with a verified address and its own key. */
async function newAccount() {
  const email = `owner${counter++}@inbox.test`
  const { accountId } = await beginSession(ctx, { email, apiKey: undefined })
  const caller = { kind: "member", accountId, keyId: null, email, tier: "free", subject: accountId, allowance } as const
  return { email, accountId, key: await createKey(ctx, { caller, name: "", ownerEmail: email, tier: "free" }) }
}

const signInWith = ({ secret }: { secret: string }, email: string) => beginSession(ctx, { email, apiKey: secret })

async function reserve(subject: string, more: Partial<Charge> = {}): Promise<string> {
  const chargeId = `charge_${counter++}`
  const charge = {
    chargeId,
    subject,
    limit: 100,
    keyId: null,
    period: PERIOD,
    credits: 1,
    kind: "job",
    ...more,
  } as const
  expect(await ctx.store.charges.reserve(charge, 1)).toMatchObject({ granted: true })
  return chargeId
}

const buy = (accountId: string, credits: number) =>
  server.open().run(sql`UPDATE accounts SET credits = ${credits} WHERE account_id = ${accountId}`)
const tierOf = async (accountId: string) => (await ctx.store.operator.account(accountId))?.tier
const keyTiers = async (accountId: string) =>
  Object.fromEntries((await ctx.store.keys.list(accountId, PERIOD)).map(({ keyId, tier }) => [keyId, tier]))

describe("adopting the account of a key at sign-in", () => {
  test("transfers its usage and its open reservations", async () => {
    const [lineage, { accountId, email }] = [await newUnclaimedKey(), await newAccount()]
    await reserve(accountId, { credits: 7 })
    await reserve(lineage.accountId, { credits: 3, period: EARLIER })
    const job = await reserve(lineage.accountId, { credits: 80 })
    await signInWith(lineage, email)
    expect(await ctx.store.charges.usedBy(accountId, PERIOD)).toBe(87)
    expect(await ctx.store.charges.usedBy(accountId, EARLIER)).toBe(3)
    await ctx.store.charges.settle(job, 10)
    expect(await ctx.store.charges.usedBy(accountId, PERIOD)).toBe(17)
    const left = await server.open().all(sql`SELECT subject FROM usage WHERE subject = ${lineage.accountId}
        UNION ALL SELECT subject FROM ledger WHERE subject = ${lineage.accountId}`)
    expect(left).toEqual([])
  })

  test("transfers its bought credits, including those reserved by a running job", async () => {
    const [lineage, { accountId, email }] = [await newUnclaimedKey(), await newAccount()]
    await buy(accountId, 40)
    await buy(lineage.accountId, 500)
    const job = await reserve(lineage.accountId, { credits: 80, limit: 0 })
    await signInWith(lineage, email)
    expect(await ctx.store.charges.creditsOf(accountId)).toBe(460)
    await ctx.store.charges.settle(job, 10)
    expect(await ctx.store.charges.creditsOf(accountId)).toBe(530)
    expect(await ctx.store.charges.usedBy(accountId, PERIOD)).toBe(0)
  })

  test("merges the records of both accounts, and leaves none behind", async () => {
    const [lineage, { accountId, email }] = [await newUnclaimedKey(), await newAccount()]
    const database = server.open()
    const suppress = (account: string, hash: string, reason: string, expiresAt: number | null) =>
      database.run(sql`INSERT INTO suppressions (account_id, address_hash, reason, created_at, expires_at)
        VALUES (${account}, ${hash}, ${reason}, 1, ${expiresAt})`)
    for (const [account, count] of [
      [lineage.accountId, 3],
      [accountId, 4],
    ] as const) {
      const answers = Array(count).fill({ status: "valid", cached: false, score: 90, canSend: true })
      await createHistoryStore(database).count({ accountId: account, keyId: null }, answers, Date.now())
      await database.run(sql`INSERT INTO feedback_domains (account_id, domain, kind, count)
        VALUES (${account}, 'inbox.test', 'delivered', ${count})`)
      await database.run(sql`INSERT INTO address_feedback (account_id, address_hash, delivered_at, soft_bounces)
        VALUES (${account}, 'hash', ${count}, ${count})`)
    }
    await database.run(sql`UPDATE address_feedback SET hard_bounced_at = 9 WHERE account_id = ${lineage.accountId}`)
    await suppress(lineage.accountId, "left", "unsubscribe", null)
    await suppress(accountId, "left", "soft_bounce", 2)
    await suppress(lineage.accountId, "over", "manual", 2)
    await suppress(accountId, "over", "complaint", null)

    await signInWith(lineage, email)
    expect(await createHistoryStore(database).countsSince(accountId, "")).toMatchObject([
      { count: 7, scores: 7 * 90, sendable: 7 },
    ])
    const rows = (text: string) => database.all(sql.raw(text))
    expect(await rows("SELECT address_hash AS hash, reason FROM suppressions ORDER BY 1")).toEqual([
      { hash: "left", reason: "unsubscribe" },
      { hash: "over", reason: "complaint" },
    ])
    expect(await rows("SELECT count FROM feedback_domains")).toEqual([{ count: 7 }])
    expect(await rows("SELECT delivered_at, hard_bounced_at, soft_bounces FROM address_feedback")).toEqual([
      { delivered_at: 4, hard_bounced_at: 9, soft_bounces: 7 },
    ])
  })

  test("makes its suppressions apply at once by a database read, and copies them to the edge afterwards", async () => {
    const [lineage, { accountId, email }] = [await newUnclaimedKey(), await newAccount()]
    const addresses = Array.from({ length: 1_200 }, (_, n) => parseAddress(`left${n}@inbox.test`) as ValidAddress)
    const rows = addresses.map((address) => ({ address, reason: "unsubscribe" as const, source: null, end: null }))
    for (const slice of [rows.slice(0, 1_000), rows.slice(1_000)]) await suppress(ctx, lineage.accountId, slice)
    const first = { accountId, address: addresses[0]! }
    expect(await flagsAtEdge(ctx, first)).toMatchObject({ isSuppressed: false })
    await signInWith(lineage, email)
    expect((await flagsAtEdge(ctx, first))?.isSuppressed).not.toBe(false)
    await Promise.all(backgroundWork)
    for (const address of addresses)
      expect(await flagsAtEdge(ctx, { accountId, address })).toMatchObject({ isSuppressed: true })
  })

  test("transfers a long history completely and once, with interruptions at any step", async () => {
    const LONG = 2_500
    const [lineage, { accountId, email }] = [await newUnclaimedKey(), await newAccount()]
    const database = server.open()
    const numbers = JSON.stringify(Array.from({ length: LONG }, (_, n) => n))
    const old = lineage.accountId
    await database.run(sql`INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
      SELECT ${old}, 'a' || value || '@long.test', 'long.test', 'valid', 1, 0, '{}', 1 FROM json_each(${numbers})`)
    await database.run(sql`INSERT INTO pending_verifications (verification_id, account_id, email, state, created_at)
      SELECT 'long-' || value, ${old}, 'a@long.test', 'complete', 1 FROM json_each(${numbers})`)
    await database.run(sql`INSERT INTO ledger (charge_id, subject, period, reserved, settled, state, created_at)
      SELECT 'long-' || value, ${old}, ${PERIOD}, 1, 1, 'settled', 1 FROM json_each(${numbers})`)
    for (const table of ["suppressions", "address_feedback", "feedback_domains"]) {
      const columns = {
        suppressions: sql`account_id, address_hash, reason, created_at) SELECT ${old}, 'long-' || value, 'unsubscribe', 1`,
        address_feedback: sql`account_id, address_hash, soft_bounces) SELECT ${old}, 'long-' || value, 3`,
        feedback_domains: sql`account_id, domain, kind, count) SELECT ${old}, 'd' || value || '.long.test', 'delivered', 3`,
      }[table]
      await database.run(sql`INSERT INTO ${sql.identifier(table)} (${columns} FROM json_each(${numbers})`)
    }
    let isThrough = false
    let cuts = 0
    for (let n = 1; !isThrough; n += 1 + Math.floor(n / 4)) {
      const failing = server.open({ fetch: failAtRoundTrip(n, { lost: n % 2 ? "request" : "answer", isBack: false }) })
      const adoption = { from: old, to: accountId, now: Date.now() }
      isThrough = await createKeyStore(failing)
        .adopt(adoption)
        .then(
          () => true,
          () => false,
        )
      cuts++
    }
    expect(cuts).toBeGreaterThan(5)
    await signInWith(lineage, email)
    const sums = await database.all(sql`SELECT
      (SELECT count(*) FROM verifications WHERE account_id = ${accountId}) AS verifications,
      (SELECT count(*) FROM pending_verifications WHERE account_id = ${accountId}) AS pending,
      (SELECT count(*) FROM ledger WHERE subject = ${accountId}) AS ledger,
      (SELECT count(*) FROM suppressions WHERE account_id = ${accountId}) AS suppressions,
      (SELECT sum(soft_bounces) FROM address_feedback WHERE account_id = ${accountId}) AS bounces,
      (SELECT sum(count) FROM feedback_domains WHERE account_id = ${accountId}) AS domains`)
    expect(sums).toEqual([
      { verifications: LONG, pending: LONG, ledger: LONG, suppressions: LONG, bounces: 3 * LONG, domains: 3 * LONG },
    ])
    await createErasureStore(database).purge(Date.now(), 100_000)
    const named = ACCOUNT_TABLES.map((name) => sql`SELECT 1 FROM ${sql.identifier(name)} WHERE account_id = ${old}`)
    expect(await database.all(sql.join(named, sql` UNION ALL `))).toEqual([])
  })

  test("starts no transaction with a read, because its write would fail while others write", async () => {
    const [lineage, { accountId }] = [await newUnclaimedKey(), await newAccount()]
    const batches: string[][] = []
    const fetching: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      const body = await request.clone().text()
      batches.push([...body.matchAll(/"sql":"(\w+)/g)].map(([, verb]) => verb!).filter((verb) => verb !== "BEGIN"))
      return fetch(request)
    }
    const keys = createKeyStore(server.open({ fetch: fetching }))
    expect(await keys.adopt({ from: lineage.accountId, to: accountId, now: Date.now() })).toBe(1)
    const writing = batches.filter((verbs) => verbs.some((verb) => verb !== "SELECT" && verb !== "COMMIT"))
    expect(writing.length).toBeGreaterThan(0)
    expect(writing.filter(([first]) => first === "SELECT")).toEqual([])
  })

  test("removes the suppression flags of the old account from the edge", async () => {
    const [lineage, { email }] = [await newUnclaimedKey(), await newAccount()]
    const gone = parseAddress("gone@inbox.test") as ValidAddress
    await suppress(ctx, lineage.accountId, [{ address: gone, reason: "unsubscribe", source: null, end: null }])
    const flags = () => [...kvEntries.keys()].filter((key) => key.startsWith(`s:${lineage.accountId}:`))
    expect(flags()).toHaveLength(1)
    await signInWith(lineage, email)
    await Promise.all(backgroundWork)
    expect(flags()).toEqual([])
  })

  test("leaves bought credits as null when neither account bought any", async () => {
    const [lineage, { accountId, email }] = [await newUnclaimedKey(), await newAccount()]
    await signInWith(lineage, email)
    const rows = await server.open().all(sql`SELECT credits FROM accounts WHERE account_id = ${accountId}`)
    expect(rows).toMatchObject([{ credits: null }])
  })

  test("transfers the paid plan, which every key of the account gets at once", async () => {
    const [lineage, { accountId, email, key }] = [await newUnclaimedKey(), await newAccount()]
    await ctx.store.operator.setTier(lineage.accountId, "pro")
    notifiedKeys.clear()
    expect(await signInWith(lineage, email)).toMatchObject({ adoptedKeys: 1 })
    expect(await tierOf(accountId)).toBe("pro")
    expect(await keyTiers(accountId)).toEqual({ [key.keyId]: "pro", [lineage.keyId]: "pro" })
    expect([...notifiedKeys].sort()).toEqual([key.digest, lineage.digest].sort())
  })

  test("lowers neither a better plan of the account nor a better key", async () => {
    const [lineage, special] = [await newUnclaimedKey(), await newUnclaimedKey("enterprise")]
    const { accountId, email } = await newAccount()
    await ctx.store.operator.setTier(accountId, "starter")
    await signInWith(lineage, email)
    await signInWith(special, email)
    expect(await tierOf(accountId)).toBe("starter")
    expect(await keyTiers(accountId)).toMatchObject({ [lineage.keyId]: "starter", [special.keyId]: "enterprise" })
  })

  test("transfers nothing from an account with an owner", async () => {
    const [victim, thief] = [await newAccount(), await newAccount()]
    await buy(victim.accountId, 500)
    await ctx.store.operator.setTier(victim.accountId, "pro")
    await reserve(victim.accountId, { credits: 9 })
    expect(await signInWith(victim.key, thief.email)).toMatchObject({ adoptedKeys: 0 })
    const { creditsOf, usedBy } = ctx.store.charges
    const state = (id: string) => Promise.all([creditsOf(id), usedBy(id, PERIOD), tierOf(id)])
    expect(await state(thief.accountId)).toEqual([null, 0, "free"])
    expect(await state(victim.accountId)).toEqual([500, 9, "pro"])
  })
})
