import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ACCOUNT_TABLES } from "../../schema/tables/account-tables.ts"
import type { Tier } from "../../schema/vocabulary.ts"
import { createKvReader } from "../../src/adapters/cache/kv-reader.ts"
import { createMarkCache } from "../../src/adapters/cache/mark-cache.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { createBillingStore } from "../../src/adapters/store/billing.ts"
import { type Charge, createChargeStore } from "../../src/adapters/store/charges.ts"
import { createErasureStore } from "../../src/adapters/store/erasure.ts"
import { createHistoryStore } from "../../src/adapters/store/history.ts"
import { createKeyStore } from "../../src/adapters/store/keys.ts"
import { createOperatorStore } from "../../src/adapters/store/operator.ts"
import { createSessionStore } from "../../src/adapters/store/sessions.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression.ts"
import type { Deps } from "../../src/deps.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { createDigests } from "../../src/domain/keys/digest.ts"
import { createKey } from "../../src/services/accounts/create-key.ts"
import { beginSession } from "../../src/services/accounts/sign-in.ts"
import { findStandingAtEdge } from "../../src/services/suppression/find-standing.ts"
import { suppress } from "../../src/services/suppression/suppress.ts"
import { startDatabase } from "../support/database.ts"
import { stopsAnsweringAt } from "../support/failing-store.ts"
import { memoryKv } from "../support/memory-kv.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
/** Digests of the keys whose gates were told of a change. */
const told = new Set<string>()
/** What goes on behind the calls. */
const behind: Promise<unknown>[] = []
let needs: Deps
let kvEntries: Map<string, string>

beforeAll(async () => {
  server = await startDatabase()
  const database = server.open()
  const { kv, entries } = memoryKv()
  kvEntries = entries
  needs = {
    background: (work: Promise<unknown>) => void behind.push(work),
    marks: createMarkCache(kv, createKvReader(kv), Date.now),
    suppressions: createSuppressionStore(database),
    billing: createBillingStore(database),
    charges: createChargeStore(database),
    clock: systemClock,
    digests: await createDigests(["a pepper of at least 32 characters"]),
    gates: {
      ofKey: (digest: string) => ({ forget: async () => void told.add(digest) }),
      ofAction: () => ({ count: async () => ({ admitted: true, remaining: 1, resetMs: 0 }) }),
    },
    keys: createKeyStore(database),
    operator: createOperatorStore(database),
    randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    randomToken: () => crypto.randomUUID(),
    sessions: createSessionStore(database, systemClock),
  } as unknown as Deps
})
afterAll(() => server.stop())

const [PERIOD, EARLIER] = ["2026-11", "2026-10"]
let counter = 0
const allowance = { perMonth: 100, perMinute: 10 }

/** A key of an account nobody has claimed. */
const newLineage = (tier: Tier = "free") =>
  createKey(needs, { caller: { kind: "admin" }, name: "", ownerEmail: "stranger@inbox.test", tier })

/** An account of a proven address with a key of its own. */
async function newAccount() {
  const email = `owner${counter++}@inbox.test`
  const { accountId } = await beginSession(needs, { email, apiKey: undefined })
  const caller = { kind: "member", accountId, keyId: null, email, tier: "free", subject: accountId, allowance } as const
  return { email, accountId, key: await createKey(needs, { caller, name: "", ownerEmail: email, tier: "free" }) }
}

const signInWith = ({ secret }: { secret: string }, email: string) => beginSession(needs, { email, apiKey: secret })

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
  expect(await needs.charges.reserve(charge, 1)).toMatchObject({ granted: true })
  return chargeId
}

const buy = (accountId: string, credits: number) =>
  server.open().run(sql`UPDATE accounts SET credits = ${credits} WHERE account_id = ${accountId}`)
const tierOf = async (accountId: string) => (await needs.operator.account(accountId))?.tier
const keyTiers = async (accountId: string) =>
  Object.fromEntries((await needs.keys.list(accountId, PERIOD)).map(({ keyId, tier }) => [keyId, tier]))

describe("signing in with a key", () => {
  test("brings what its lineage has used, and what is open of it", async () => {
    const [lineage, { accountId, email }] = [await newLineage(), await newAccount()]
    await reserve(accountId, { credits: 7 })
    await reserve(lineage.accountId, { credits: 3, period: EARLIER })
    const job = await reserve(lineage.accountId, { credits: 80 })
    await signInWith(lineage, email)
    expect(await needs.charges.usedBy(accountId, PERIOD)).toBe(87)
    expect(await needs.charges.usedBy(accountId, EARLIER)).toBe(3)
    await needs.charges.settle(job, 10)
    expect(await needs.charges.usedBy(accountId, PERIOD)).toBe(17)
    const left = await server.open().all(sql`SELECT subject FROM usage WHERE subject = ${lineage.accountId}
        UNION ALL SELECT subject FROM ledger WHERE subject = ${lineage.accountId}`)
    expect(left).toEqual([])
  })

  test("brings its bought credits, those too that a running job holds", async () => {
    const [lineage, { accountId, email }] = [await newLineage(), await newAccount()]
    await buy(accountId, 40)
    await buy(lineage.accountId, 500)
    const job = await reserve(lineage.accountId, { credits: 80, limit: 0 })
    await signInWith(lineage, email)
    expect(await needs.charges.creditsOf(accountId)).toBe(460)
    await needs.charges.settle(job, 10)
    expect(await needs.charges.creditsOf(accountId)).toBe(530)
    expect(await needs.charges.usedBy(accountId, PERIOD)).toBe(0)
  })

  test("makes one record of what both have, and leaves nothing behind", async () => {
    const [lineage, { accountId, email }] = [await newLineage(), await newAccount()]
    const database = server.open()
    const suppress = (account: string, hash: string, reason: string, expiresAt: number | null) =>
      database.run(sql`INSERT INTO suppressions (account_id, address_hash, reason, created_at, expires_at)
        VALUES (${account}, ${hash}, ${reason}, 1, ${expiresAt})`)
    for (const [account, count] of [
      [lineage.accountId, 3],
      [accountId, 4],
    ] as const) {
      const answers = Array(count).fill({ status: "valid", cached: false })
      await createHistoryStore(database).count(account, answers, Date.now())
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
    expect(await createHistoryStore(database).countsSince(accountId, "")).toMatchObject([{ count: 7 }])
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

  test("brings what it suppresses to the edge: at once by asking the database, then on its own", async () => {
    const [lineage, { accountId, email }] = [await newLineage(), await newAccount()]
    const addresses = Array.from({ length: 1_200 }, (_, n) => parseAddress(`left${n}@inbox.test`) as ValidAddress)
    for (const slice of [addresses.slice(0, 1_000), addresses.slice(1_000)])
      await suppress(
        needs,
        lineage.accountId,
        slice.map((address) => ({ address, reason: "unsubscribe" as const, source: null, end: null })),
      )
    const first = { accountId, address: addresses[0]! }
    expect(await findStandingAtEdge(needs, first)).toMatchObject({ isSuppressed: false })
    await signInWith(lineage, email)
    expect((await findStandingAtEdge(needs, first))?.isSuppressed).not.toBe(false)
    await Promise.all(behind)
    for (const address of addresses)
      expect(await findStandingAtEdge(needs, { accountId, address })).toMatchObject({ isSuppressed: true })
  })

  test("that is long comes whole, each thing once, wherever it is cut off and gone on with", async () => {
    const LONG = 2_500
    const [lineage, { accountId, email }] = [await newLineage(), await newAccount()]
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
      const failing = server.open({ fetch: stopsAnsweringAt(n, { lost: n % 2 ? "request" : "answer", isBack: false }) })
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

  test("begins no transaction with a read, which might not become a write while others write", async () => {
    const [lineage, { accountId }] = [await newLineage(), await newAccount()]
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

  test("leaves no marks of the lineage at the edge", async () => {
    const [lineage, { email }] = [await newLineage(), await newAccount()]
    const gone = parseAddress("gone@inbox.test") as ValidAddress
    await suppress(needs, lineage.accountId, [{ address: gone, reason: "unsubscribe", source: null, end: null }])
    const marks = () => [...kvEntries.keys()].filter((key) => key.startsWith(`s:${lineage.accountId}:`))
    expect(marks()).toHaveLength(1)
    await signInWith(lineage, email)
    await Promise.all(behind)
    expect(marks()).toEqual([])
  })

  test("where nobody bought credits, still none were ever bought", async () => {
    const [lineage, { accountId, email }] = [await newLineage(), await newAccount()]
    await signInWith(lineage, email)
    const rows = await server.open().all(sql`SELECT credits FROM accounts WHERE account_id = ${accountId}`)
    expect(rows).toMatchObject([{ credits: null }])
  })

  test("brings the plan it pays for, and every key of the account has it at once", async () => {
    const [lineage, { accountId, email, key }] = [await newLineage(), await newAccount()]
    await needs.operator.setTier(lineage.accountId, "pro")
    told.clear()
    expect(await signInWith(lineage, email)).toMatchObject({ adoptedKeys: 1 })
    expect(await tierOf(accountId)).toBe("pro")
    expect(await keyTiers(accountId)).toEqual({ [key.keyId]: "pro", [lineage.keyId]: "pro" })
    expect([...told].sort()).toEqual([key.digest, lineage.digest].sort())
  })

  test("lowers nothing: not the account's better plan, not a key beyond it", async () => {
    const [lineage, special] = [await newLineage(), await newLineage("enterprise")]
    const { accountId, email } = await newAccount()
    await needs.operator.setTier(accountId, "starter")
    await signInWith(lineage, email)
    await signInWith(special, email)
    expect(await tierOf(accountId)).toBe("starter")
    expect(await keyTiers(accountId)).toMatchObject({ [lineage.keyId]: "starter", [special.keyId]: "enterprise" })
  })

  test("takes nothing of an account that is somebody's", async () => {
    const [victim, thief] = [await newAccount(), await newAccount()]
    await buy(victim.accountId, 500)
    await needs.operator.setTier(victim.accountId, "pro")
    await reserve(victim.accountId, { credits: 9 })
    expect(await signInWith(victim.key, thief.email)).toMatchObject({ adoptedKeys: 0 })
    expect(await needs.charges.creditsOf(thief.accountId)).toBeNull()
    expect(await tierOf(thief.accountId)).toBe("free")
    expect(await needs.charges.usedBy(thief.accountId, PERIOD)).toBe(0)
    expect(await needs.charges.creditsOf(victim.accountId)).toBe(500)
    expect(await needs.charges.usedBy(victim.accountId, PERIOD)).toBe(9)
  })
})
