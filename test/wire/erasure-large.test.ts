import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { createIdempotencyStore } from "../../src/adapters/store/accounts/idempotency.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createAccountErasureStore, createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { createReceiverStore } from "../../src/adapters/store/suppression/receivers.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createPendingStore } from "../../src/adapters/store/verification/pending.ts"
import { createFlagCache } from "../../src/adapters/suppression/flag-cache.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { addressHash } from "../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { addressTerms, domainTerms } from "../../src/domain/compliance/data-subject.ts"
import { createKey } from "../../src/services/accounts/keys.ts"
import { eraseClosedAccounts, eraseCustomer } from "../../src/services/compliance/erase-account.ts"
import { eraseAddress, eraseDomain } from "../../src/services/compliance/erase-data.ts"
import { exportData } from "../../src/services/compliance/export-data.ts"
import { testContext } from "../support/deps/context.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"
import { DIGESTS, insertPersonRows } from "../support/stack/planted-person.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const valid = (text: string) => parseAddress(text) as ValidAddress
const count = async (table: string, where = sql`true`) =>
  (await server.open().all<{ n: number }>(sql`SELECT count(*) AS n FROM ${sql.identifier(table)} WHERE ${where}`))[0]?.n

describe("no statement scans a table that grows with verifications", () => {
  /** Small tables, with one row per list or customer. "results" is the statement's own subquery. */
  const SMALL = ["jobs", "j", "accounts", "identities", "results"]

  test.each([
    ["address", null],
    ["address", "acc_1"],
    ["domain", null],
    ["domain", "acc_1"],
  ] as const)("by %s, of %s", async (by, accountId) => {
    await insertPersonRows(server.open(), { email: "alice@one.test", account: "acc_1" })
    const terms = await (by === "address"
      ? addressTerms(DIGESTS, valid("alice@one.test"))
      : domainTerms(DIGESTS, "one.test"))
    const subject = { by, terms, accountId }
    const sent = await statementsOf(server, async (database) => {
      const store = createErasureStore(database)
      for await (const _ of store.collect(subject));
      await store.resultsOf(subject, 100)
      await store.eraseResults(subject, await store.resultsToErase(subject, 100))
      await store.flaggedAddresses(subject, 100)
      await store.erase(subject)
    })
    expect(sent.length).toBeGreaterThan(20)
    expect((await scanned(server, sent)).filter((table) => !SMALL.includes(table))).toEqual([])
  })
})

/** The dependencies of the services over the real database and an in-memory KV namespace. */
function ctx(before?: (operation: string) => Promise<void>) {
  const database = server.open()
  const { kv, entries } = memoryKv(before)
  const results = new Set<string>()
  const made = testContext({
    clock: systemClock,
    digests: DIGESTS,
    flags: createFlagCache(kv, createKvReader(kv), Date.now),
    cache: {
      get: async () => null,
      put: async (hash: string) => void results.add(hash),
      delete: async (hash: string) => {
        await before?.("delete result")
        results.delete(hash)
      },
    },
    keyLimiters: { ofKey: () => ({ invalidate: async () => undefined }) },
    store: {
      suppressions: createSuppressionStore(database),
      keys: createKeyStore(database),
      operator: createOperatorStore(database),
      erasure: createErasureStore(database),
      accountErasures: createAccountErasureStore(database),
    },
  })
  return { made, entries, results }
}

async function manyVerifications(account: string, domain: string, rows: number): Promise<void> {
  for (let at = 0; at < rows; at += 10_000) {
    const last = Math.min(rows, at + 10_000)
    await server
      .open()
      .run(sql`WITH RECURSIVE c(n) AS (SELECT ${at + 1} UNION ALL SELECT n + 1 FROM c WHERE n < ${last})
      INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
      SELECT ${account}, 'many@' || ${domain}, ${domain}, 'valid', 1, 0, '{"n":' || n || '}', n FROM c`)
  }
}

describe("an erasure beyond the limit of one call", () => {
  test("of a person completes after several calls, and each reports whether there is more", async () => {
    await manyVerifications("acc_many", "many.test", 250_000)
    const { made } = ctx()
    const calls: boolean[] = []
    for (let go = 0; go < 5 && calls.at(-1) !== true; go++)
      calls.push((await eraseAddress(made, { address: valid("many@many.test"), accountId: null })).isComplete)
    expect(calls).toEqual([false, false, true])
    expect(await count("verifications", sql`domain = 'many.test'`)).toBe(0)
  })

  test("of a customer disables its keys in the first call, and deletes the account last", async () => {
    await insertPersonRows(server.open(), { email: "big@customer.test", account: "acc_big" })
    await server
      .open()
      .run(sql`INSERT INTO receivers (receiver_id, account_id, provider, token_hash, sealed_secret, created_at)
      VALUES ('rcv_big', 'acc_big', 'sendgrid', 't', 's', 1)`)
    await manyVerifications("acc_big", "big.test", 120_000)
    const { made } = ctx()
    const own = sql`account_id = 'acc_big'`
    expect((await eraseCustomer(made, "acc_big")).isComplete).toBe(false)
    expect(await count("api_keys", sql`${own} AND is_active = 1`)).toBe(0)
    expect([await count("sessions", own), await count("receivers", own)]).toEqual([0, 0])
    expect(await count("accounts", own)).toBe(1)
    expect((await eraseCustomer(made, "acc_big")).isComplete).toBe(true)
    expect([await count("accounts", own), await count("verifications", own)]).toEqual([0, 0])
    expect(await count("sign_in_links", sql`email = 'big@customer.test'`)).toBe(0)
  })
})

test("a schedule erases what the first call left of a closed account, and its mailbox is free at once", async () => {
  await insertPersonRows(server.open(), { email: "left@customer.test", account: "acc_left" })
  const { made } = ctx()
  const own = sql`account_id = 'acc_left'`
  await made.store.erasure.closeAccount("acc_left", 1)
  expect([await made.store.operator.accountOf("left@customer.test"), await count("accounts", own)]).toEqual([null, 1])
  expect(await made.store.erasure.closedAccounts(9)).toEqual(["acc_left"])
  await eraseClosedAccounts(made)
  expect([await count("accounts", own), await count("verifications", own)]).toEqual([0, 0])
  expect(await made.store.erasure.closedAccounts(9)).toEqual([])
})

test("a customer's call that runs while the account is closed creates no key and no account", async () => {
  await insertPersonRows(server.open(), { email: "slow@customer.test", account: "acc_slow" })
  const { made } = ctx()
  const caller = {
    kind: "member",
    accountId: "acc_slow",
    keyId: "kid",
    email: "slow@customer.test",
    tier: "pro",
  } as const
  const make = () =>
    createKey(
      testContext({
        ...made,
        clock: systemClock,
        randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
        keyLimiters: { ...made.keyLimiters, ofAction: () => ({ count: async () => ({ accepted: true }) }) },
      }),
      { caller: caller as unknown as Member, name: "n", ownerEmail: caller.email, tier: "pro" },
    )
  await make()
  await made.store.erasure.closeAccount("acc_slow", 1)
  await expect(make()).rejects.toThrow("invalid or revoked")
  expect((await eraseCustomer(made, "acc_slow")).isComplete).toBe(true)
  await expect(make()).rejects.toThrow("invalid or revoked")
  expect([
    await count("api_keys", sql`account_id = 'acc_slow'`),
    await count("accounts", sql`account_id = 'acc_slow'`),
  ]).toEqual([0, 0])
})

test("erasing a customer with 1,200 suppressions leaves none at the edge after two calls", async () => {
  await insertPersonRows(server.open(), { email: "long@customer.test", account: "acc_long" })
  const { made, entries } = ctx()
  const hashes = Array.from({ length: 1_200 }, (_, n) => `hash-${n}`)
  await server.open().run(sql`INSERT INTO suppressions (account_id, address_hash, reason, created_at)
    SELECT 'acc_long', value, 'unsubscribe', 1 FROM json_each(${JSON.stringify(hashes)})`)
  for (const hash of hashes) entries.set(`s:acc_long:${hash}`, "{}")
  expect((await eraseCustomer(made, "acc_long")).isComplete).toBe(false)
  expect((await eraseCustomer(made, "acc_long")).isComplete).toBe(true)
  expect([...entries.keys()].filter((key) => key.startsWith("s:acc_long:"))).toEqual([])
  expect(await count("suppressions", sql`account_id = 'acc_long'`)).toBe(0)
})

test("erasing a domain with more suppressions than one call erases leaves none on any list or at the edge", async () => {
  const { made, entries } = ctx()
  const numbers = JSON.stringify(Array.from({ length: 150 }, (_, n) => n))
  const lists = ["acc_list_1", "acc_list_2", "*"]
  for (const list of lists) {
    await server.open().run(sql`INSERT INTO suppressions (account_id, address_hash, address, reason, created_at)
      SELECT ${list}, 'listed-' || value, 'user' || value || '@listed.test', iif(value = 7, 'hard_bounce', 'manual'), 1
      FROM json_each(${numbers})`)
    for (let n = 0; n < 150; n++) entries.set(`s:${list}:listed-${n}`, "{}")
  }
  const calls: boolean[] = []
  for (let go = 0; go < 5 && calls.at(-1) !== true; go++)
    calls.push((await eraseDomain(made, { domain: "listed.test", accountId: null })).isComplete)
  expect(calls).toEqual([false, false, true])
  expect(await count("suppressions", sql`address LIKE '%@listed.test'`)).toBe(0)
  const remaining = [...entries.keys()].filter((key) => key.includes(":listed-"))
  expect(remaining.toSorted()).toEqual(lists.map((list) => `s:${list}:listed-7`).toSorted())
})

test("erasing a customer removes the health of its nodes and the attempts of its webhooks", async () => {
  await insertPersonRows(server.open(), { email: "gone@customer.test", account: "acc_gone" })
  for (const [id, account] of [
    ["theirs", "acc_gone"],
    ["others", "acc_other"],
  ] as const) {
    const database = server.open()
    await database.run(
      sql`INSERT INTO fleet_nodes VALUES (${id}, 'eu', 'https://n', '[]', '[]', 1, '1', ${account}, 1, 1)`,
    )
    await database.run(
      sql`INSERT INTO fleet_health (node_id, state, since, good, bad, checked_at) VALUES (${id}, 'fit', 1, 1, 0, 1)`,
    )
    await database.run(
      sql`INSERT INTO fleet_pairs (node_id, source_ip, operator, canary) VALUES (${id}, '::1', 'o', 'fine')`,
    )
    await database.run(sql`INSERT INTO outbound_events (event_id, account_id, type, url, payload, created_at, due_at)
      VALUES (${id}, ${account}, 't', 'https://h', '{}', ${Date.now()}, 1)`)
    await database.run(sql`INSERT INTO webhook_attempts VALUES (${id}, 1, 'delivered', 200, ${Date.now()}, 1)`)
  }
  const { made } = ctx()
  expect((await eraseCustomer(made, "acc_gone")).isComplete).toBe(true)
  await made.store.erasure.purge(Date.now(), 100_000)
  const left = await server
    .open()
    .all(sql`SELECT node_id AS id FROM fleet_health UNION ALL SELECT node_id FROM fleet_pairs
    UNION ALL SELECT event_id FROM webhook_attempts WHERE event_id IN ('theirs', 'others')`)
  expect(left).toEqual([{ id: "others" }, { id: "others" }, { id: "others" }])
})

test("a domain whose results cannot be deleted at the edge can be erased again", async () => {
  for (const name of ["one", "two"])
    await insertPersonRows(server.open(), { email: `${name}@edge.test`, account: `acc_${name}_edge` })
  let isDown = true
  const { made, results } = ctx(async (operation) => {
    if (isDown && operation === "delete result") throw new Error("KV is down")
  })
  for (const name of ["one", "two"]) results.add(await addressHash(DIGESTS, valid(`${name}@edge.test`)))
  const erase = () => eraseDomain(made, { domain: "edge.test", accountId: null })
  await expect(erase()).rejects.toThrow("KV is down")
  isDown = false
  expect((await erase()).isComplete).toBe(true)
  expect([...results]).toEqual([])
})

test("rows with a retention of days are deleted in small statements", async () => {
  const numbers = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => n))
  await server.open().run(sql`INSERT INTO idempotency (request_key, request_hash, created_at, held_until)
    SELECT 'kept-' || value, 'h', 0, 0 FROM json_each(${numbers})`)
  await server.open().run(sql`INSERT INTO pending_verifications (verification_id, email, state, created_at)
    SELECT 'kept-' || value, 'x@kept.test', 'complete', 0 FROM json_each(${numbers})`)
  await server.open().run(sql`INSERT INTO used_tokens (receiver_id, token_hash, expires_at)
    SELECT 'kept', value, 0 FROM json_each(${numbers})`)
  let trips = 0
  const around = <T>(trip: () => Promise<T>) => {
    trips++
    return trip()
  }
  expect(await createIdempotencyStore(server.open({ around })).deleteBefore(1)).toBe(5_000)
  await createPendingStore(server.open({ around })).deleteBefore(1)
  await createReceiverStore(server.open({ around })).deleteExpiredTokens(1)
  expect(trips).toBe(9)
  expect(await count("pending_verifications", sql`email = 'x@kept.test'`)).toBe(0)
  expect(await count("used_tokens")).toBe(0)
})

test("an export of 3,000 rows is complete, in several pages", async () => {
  await manyVerifications("acc_export", "export.test", 3_000)
  const { made } = ctx()
  const { tables } = await exportData(made, { address: valid("many@export.test"), accountId: "acc_export" })
  const exported: unknown[] = []
  let pages = 0
  for await (const { table, rows } of tables) {
    expect(table).toBe("verifications")
    exported.push(...rows.map((row) => (row.checks as { n: number }).n))
    pages++
  }
  expect(exported).toEqual(Array.from({ length: 3_000 }, (_, n) => n + 1))
  expect(pages).toBeGreaterThan(1)
})
