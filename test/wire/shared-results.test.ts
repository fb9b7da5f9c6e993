import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { adoptAccount } from "../../src/adapters/store/accounts/unclaimed-accounts.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createAccountErasureStore, createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createResultLists, type ResultToStore } from "../../src/adapters/store/verification/results.ts"
import { createFlagCache } from "../../src/adapters/suppression/flag-cache.ts"
import type { Context } from "../../src/context.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { eraseCustomer } from "../../src/services/compliance/erase-account.ts"
import { eraseAddress, eraseDomain } from "../../src/services/compliance/erase-data.ts"
import { findStored } from "../../src/services/compliance/export-data.ts"
import { findAccountFlags } from "../../src/services/suppression/flags.ts"
import { testContext } from "../support/deps/context.ts"
import { verificationOf } from "../support/deps/evidence.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { startDatabase } from "../support/stack/database.ts"
import { flagsAtEdge } from "../support/stack/flags-at-edge.ts"

const DAY_MS = 86_400_000
const PEPPERS = ["p".repeat(32), "q".repeat(32)] as const

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const valid = (text: string) => parseAddress(text) as ValidAddress
const rows = (statement: ReturnType<typeof sql>) => server.open().all(statement)

/** The stores over the real database and an in-memory KV namespace. */
async function service(peppers: readonly string[] = [PEPPERS[0]]) {
  const database = server.open()
  const { kv, entries } = memoryKv()
  const ctx = testContext({
    clock: systemClock,
    digests: await createDigests(peppers),
    flags: createFlagCache(kv, createKvReader(kv), Date.now),
    cache: { get: async () => null, put: async () => undefined, delete: async () => undefined },
    store: {
      suppressions: createSuppressionStore(database),
      accountErasures: createAccountErasureStore(database),
      erasure: createErasureStore(database),
      operator: createOperatorStore(database),
      resultLists: createResultLists(database),
      keys: { digestsOf: async () => [] },
    },
  })
  const verify = (email: string, accountId: string | null) =>
    ctx.store.resultLists.saveAll([resultOf(email)], accountId)
  const isStored = async (email: string) => (await ctx.store.operator.result(email)) !== null
  const isShownTo = async (accountId: string, email: string) => {
    const asked = { accountId, address: valid(email) }
    const [truth, edge] = [await findAccountFlags(ctx, asked), await flagsAtEdge(ctx, asked)]
    expect(edge).toEqual(truth)
    return truth.hidesUntil === 0
  }
  return { ctx, entries, verify, isStored, isShownTo }
}

function resultOf(email: string): ResultToStore {
  const { evidence, verdict, score, canSend } = verificationOf(email)
  const [key, now] = [email.toLowerCase(), Date.now()]
  const times = { verifiedAt: now, expiresAt: now + DAY_MS }
  return { key, domain: key.slice(key.indexOf("@") + 1), evidence, verdict, score: score.total, canSend, ...times }
}

let count = 0
const fresh = () => ({ email: `user${count++}@shared.test`, one: `acc_one_${count}`, two: `acc_two_${count}` })

describe("the shared result of an address", () => {
  /** Rows that connect another account with an address. */
  const traces = (email: string, account: string) => ({
    "a verification": sql`INSERT INTO verified_addresses VALUES (${account}, ${email}, 'shared.test', 1)`,
    "its history": sql`INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
      VALUES (${account}, ${email.toUpperCase().replace("SHARED.TEST", "shared.test")}, 'shared.test', 'valid', 1, 1, '{}', 1)`,
    "a list": sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate)
      VALUES (${`job_${account}`}, 0, ${email}, 'shared.test', ${email}, 0)`,
  })

  test.each(["a verification", "its history", "a list"] as const)(
    "stays when another account has %s",
    async (trace) => {
      const { ctx, verify, isStored, isShownTo } = await service()
      const { email, one, two } = fresh()
      await verify(email, one)
      await server
        .open()
        .run(sql`INSERT INTO jobs (job_id, account_id, lane, kind, status, smtp, deduplicate, created_at)
      VALUES (${`job_${two}`}, ${two}, ${two}, 'async', 'complete', 1, 1, 1)`)
      await server.open().run(traces(email, two)[trace])
      await eraseAddress(ctx, { address: valid(email), accountId: one })
      expect(await isStored(email)).toBe(true)
      expect([await isShownTo(one, email), await isShownTo(two, email)]).toEqual([false, true])
      expect(await findStored(ctx, { address: valid(email), accountId: one })).toBeNull()
      await eraseAddress(ctx, { address: valid(email), accountId: two })
      expect(await isStored(email)).toBe(false)
    },
  )

  test("is erased by the only account that verified it, and by no other account", async () => {
    const { ctx, verify, isStored } = await service()
    const { email, one, two } = fresh()
    await verify(email, null)
    await eraseAddress(ctx, { address: valid(email), accountId: two })
    expect(await isStored(email)).toBe(true)
    await verify(email, one)
    await eraseAddress(ctx, { address: valid(email), accountId: one })
    expect(await isStored(email)).toBe(false)
  })

  test("stays when another account verifies it during the erasure", async () => {
    const { ctx, verify, isStored } = await service()
    const { email, one, two } = fresh()
    await verify(email, one)
    const found = ctx.store.erasure.resultsToErase
    const meanwhile = {
      ...ctx.store.erasure,
      async resultsToErase(...asked: Parameters<typeof found>) {
        const addresses = await found(...asked)
        await verify(email, two)
        return addresses
      },
    }
    await eraseAddress(
      { ...ctx, store: { ...ctx.store, erasure: meanwhile } },
      { address: valid(email), accountId: one },
    )
    expect(await isStored(email)).toBe(true)
  })

  test("is also hidden under an old pepper", async () => {
    const { ctx } = await service([PEPPERS[0]])
    const { email, one } = fresh()
    await eraseAddress(ctx, { address: valid(email), accountId: one })
    const rotated = await service([PEPPERS[1], PEPPERS[0]])
    expect((await findAccountFlags(rotated.ctx, { accountId: one, address: valid(email) })).hidesUntil).toBe(
      Number.POSITIVE_INFINITY,
    )
  })

  test("is stored in the erasure as a keyed hash only, in the database and at the edge", async () => {
    const { ctx, entries } = await service()
    const { email, one } = fresh()
    await eraseAddress(ctx, { address: valid(email), accountId: one })
    expect(JSON.stringify(await rows(sql`SELECT * FROM account_erasures`))).not.toContain("user")
    expect(JSON.stringify([...entries])).not.toContain("user")
    expect([...entries].filter(([key]) => key.startsWith(`s:${one}:`)).map(([, value]) => value)).toEqual(['{"h":0}'])
  })
})

describe("a domain that an account erased", () => {
  test("hides all results stored until then, and none stored later", async () => {
    const { ctx, verify, isStored } = await service()
    const [mine, theirs] = ["user-mine@erased.test", "user-theirs@erased.test"]
    await verify(mine, "acc_domain")
    await verify(theirs, "acc_domain_other")
    expect((await eraseDomain(ctx, { domain: "erased.test", accountId: "acc_domain" })).isComplete).toBe(true)
    expect([await isStored(mine), await isStored(theirs)]).toEqual([false, true])
    const { hidesUntil } = await findAccountFlags(ctx, { accountId: "acc_domain", address: valid(theirs) })
    expect(hidesUntil).toBeGreaterThanOrEqual(resultTime(await ctx.store.operator.result(theirs)))
    expect(hidesUntil).toBeLessThanOrEqual(Date.now())
    const elsewhere = { accountId: "acc_domain", address: valid("user@sub.erased.test") }
    expect(await findAccountFlags(ctx, elsewhere)).toMatchObject({ hidesUntil: 0 })
  })

  const resultTime = (found: { verifiedAt: number } | null) => found?.verifiedAt ?? Number.POSITIVE_INFINITY

  test("with more entries than one call erases still hides its addresses afterwards", async () => {
    const { ctx, isShownTo } = await service()
    const account = "acc_many_marks"
    await eraseAddress(ctx, { address: valid("user1@marks.test"), accountId: account })
    const numbers = JSON.stringify(Array.from({ length: 250 }, (_, n) => n))
    await server.open().run(sql`INSERT INTO suppressions (account_id, address_hash, address, reason, created_at)
      SELECT ${account}, 'marks-' || value, 'user' || value || '@marks.test', 'manual', 1 FROM json_each(${numbers})`)
    const calls: boolean[] = []
    for (let go = 0; go < 5 && calls.at(-1) !== true; go++)
      calls.push((await eraseDomain(ctx, { domain: "marks.test", accountId: account })).isComplete)
    expect(calls).toEqual([false, true])
    expect(await isShownTo(account, "user1@marks.test")).toBe(false)
  })
})

describe("a marker that hides results", () => {
  const erasuresOf = (account: string) =>
    rows(sql`SELECT hides_until FROM account_erasures WHERE account_id = ${account}`)

  test.each([
    ["address", (ctx: Context, email: string) => eraseAddress(ctx, { address: valid(email), accountId: null })],
    ["domain", (ctx: Context) => eraseDomain(ctx, { domain: "shared.test", accountId: null })],
  ])("is removed by the operator's erasure of the %s, in the database and at the edge", async (_, erase) => {
    const { ctx, entries, isShownTo } = await service()
    const { email, one } = fresh()
    await eraseAddress(ctx, { address: valid(email), accountId: one })
    expect(await isShownTo(one, email)).toBe(false)
    await erase(ctx, email)
    expect(await erasuresOf(one)).toEqual([])
    expect(await isShownTo(one, email)).toBe(true)
    expect([...entries.keys()].filter((key) => key.startsWith(`s:${one}:`))).toEqual([])
  })

  test("is removed with the account, in the database and at the edge", async () => {
    const { ctx, entries, verify } = await service()
    const { email, one } = fresh()
    await server.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${one}, 1)`)
    await verify("user-kept@shared.test", one)
    await eraseAddress(ctx, { address: valid(email), accountId: one })
    await eraseCustomer(ctx, one)
    expect(await erasuresOf(one)).toEqual([])
    expect(await rows(sql`SELECT 1 FROM verified_addresses WHERE account_id = ${one}`)).toEqual([])
    expect([...entries.keys()].filter((key) => key.startsWith(`s:${one}:`))).toEqual([])
  })

  test("of a domain is removed after 90 days, with the hidden results; of an address it stays", async () => {
    const { ctx } = await service()
    const now = Date.now()
    const [account, old] = ["acc_retention", now - 91 * DAY_MS]
    for (const [hash, hidesUntil] of [
      ["address", null],
      ["old domain", old],
      ["new domain", now],
    ] as const)
      await ctx.store.accountErasures.add({
        accountId: account,
        subjectHash: hash,
        domainHash: "",
        hidesUntil,
        erasedAt: old,
      })
    await server.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${account}, 1)`)
    await server.open().run(sql`INSERT INTO verified_addresses
      VALUES (${account}, 'old@retention.test', 'retention.test', ${old}), (${account}, 'new@retention.test', 'retention.test', ${now})`)
    await ctx.store.erasure.purge(now, 10_000)
    const left = await rows(
      sql`SELECT subject_hash AS hash FROM account_erasures WHERE account_id = ${account} ORDER BY 1`,
    )
    expect(left).toEqual([{ hash: "address" }, { hash: "new domain" }])
    const verified = await rows(sql`SELECT address FROM verified_addresses WHERE account_id = ${account}`)
    expect(verified).toEqual([{ address: "new@retention.test" }])
  })
})

describe("an account that is adopted by another", () => {
  const claim = async (from: string, to: string) => {
    const database = server.open()
    await database.run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${from}, 1)`)
    await database.run(
      sql`INSERT INTO accounts (account_id, email, created_at) VALUES (${to}, ${`${to}@owner.test`}, 1)`,
    )
    await database.run(sql`INSERT INTO api_keys (key_id, digest, pepper_id, account_id, owner_email, name, tier, created_at)
      VALUES (${from}, ${from}, 'p', ${from}, '', 'x', 'free', 1)`)
    return adoptAccount(database, { from, to, now: Date.now() })
  }

  test("transfers its erasures and verified addresses; in both, the wider erasure and the later time win", async () => {
    const { ctx } = await service()
    const erased = (accountId: string, subjectHash: string, hidesUntil: number | null, erasedAt: number) =>
      ctx.store.accountErasures.add({ accountId, subjectHash, domainHash: "d", hidesUntil, erasedAt })
    await erased("acc_from", "only from", 5, 1)
    await erased("acc_from", "both, all", null, 1)
    await erased("acc_from", "both, later", 9, 9)
    await erased("acc_to", "both, all", 7, 7)
    await erased("acc_to", "both, later", 3, 3)
    for (const [account, address, at] of [
      ["acc_from", "from@claim.test", 1],
      ["acc_from", "both@claim.test", 5],
      ["acc_to", "both@claim.test", 3],
    ] as const)
      await server.open().run(sql`INSERT INTO verified_addresses VALUES (${account}, ${address}, 'claim.test', ${at})`)
    expect(await claim("acc_from", "acc_to")).toBe(1)
    const columns = sql`account_id AS account, subject_hash AS hash, hides_until AS "until", erased_at AS at`
    expect(await rows(sql`SELECT ${columns} FROM account_erasures WHERE domain_hash = 'd' ORDER BY 2`)).toEqual([
      { account: "acc_to", hash: "both, all", until: null, at: 7 },
      { account: "acc_to", hash: "both, later", until: 9, at: 9 },
      { account: "acc_to", hash: "only from", until: 5, at: 1 },
    ])
    const verified = sql`SELECT account_id AS account, address, verified_at AS at FROM verified_addresses`
    expect(await rows(sql`${verified} WHERE domain = 'claim.test' ORDER BY 2`)).toEqual([
      { account: "acc_to", address: "both@claim.test", at: 5 },
      { account: "acc_to", address: "from@claim.test", at: 1 },
    ])
  })
})
