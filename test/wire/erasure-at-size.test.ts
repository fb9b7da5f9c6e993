import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache/kv-reader.ts"
import { createMarkCache } from "../../src/adapters/cache/mark-cache.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { createErasureStore } from "../../src/adapters/store/erasure.ts"
import { createIdempotencyStore } from "../../src/adapters/store/idempotency.ts"
import { createKeyStore } from "../../src/adapters/store/keys.ts"
import { createOperatorStore } from "../../src/adapters/store/operator.ts"
import { createPendingStore } from "../../src/adapters/store/pending.ts"
import { createReceiverStore } from "../../src/adapters/store/receivers.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression.ts"
import type { Deps } from "../../src/deps.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { addressTerms, domainTerms } from "../../src/domain/compliance/data-subject.ts"
import { addressHash } from "../../src/domain/suppression/address-hash.ts"
import { createKey } from "../../src/services/accounts/create-key.ts"
import { eraseCustomer } from "../../src/services/compliance/erase-customer.ts"
import { eraseAddress, eraseDomain } from "../../src/services/compliance/erase-data.ts"
import { exportData } from "../../src/services/compliance/export-data.ts"
import { startDatabase } from "../support/database.ts"
import { memoryKv } from "../support/memory-kv.ts"
import { DIGESTS, plant } from "../support/planted-person.ts"
import { scanned, statementsOf } from "../support/query-plan.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const valid = (text: string) => parseAddress(text) as ValidAddress
const count = async (table: string, where = sql`true`) =>
  (await server.open().all<{ n: number }>(sql`SELECT count(*) AS n FROM ${sql.identifier(table)} WHERE ${where}`))[0]?.n

describe("no statement reads through a table that grows with what is verified", () => {
  /** Of these there is one row a list or a customer; "results" are those that the same statement has found. */
  const SMALL = ["jobs", "j", "accounts", "identities", "results"]

  test.each([
    ["address", null],
    ["address", "acc_1"],
    ["domain", null],
    ["domain", "acc_1"],
  ] as const)("by %s, of %s", async (by, accountId) => {
    await plant(server.open(), { email: "alice@one.test", account: "acc_1" })
    const terms = by === "address" ? await addressTerms(DIGESTS, valid("alice@one.test")) : domainTerms("one.test")
    const subject = { by, terms, accountId }
    const sent = await statementsOf(server, async (database) => {
      const store = createErasureStore(database)
      for await (const _ of store.collect(subject));
      await store.resultsOf(subject, 100)
      await store.markedBy(subject, 100)
      await store.erase(subject)
    })
    expect(sent.length).toBeGreaterThan(20)
    expect(sent.filter((one) => scanned(server, one).some((table) => !SMALL.includes(table)))).toEqual([])
  })
})

/** The needs of the services over the real database and a KV namespace in memory. */
function needs(before?: (operation: string) => Promise<void>) {
  const database = server.open()
  const { kv, entries } = memoryKv(before)
  const results = new Set<string>()
  const made = {
    clock: systemClock,
    digests: DIGESTS,
    marks: createMarkCache(kv, createKvReader(kv), Date.now),
    cache: {
      get: async () => null,
      put: async (hash: string) => void results.add(hash),
      delete: async (hash: string) => {
        await before?.("delete result")
        results.delete(hash)
      },
    },
    suppressions: createSuppressionStore(database),
    keys: createKeyStore(database),
    operator: createOperatorStore(database),
    erasure: createErasureStore(database),
    gates: { ofKey: () => ({ forget: async () => undefined }) },
  } as unknown as Deps
  return { made, entries, results }
}

const manyVerifications = (account: string, domain: string, rows: number) =>
  server.open().run(sql`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${rows})
    INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
    SELECT ${account}, 'many@' || ${domain}, ${domain}, 'valid', 1, 0, '{"n":' || n || '}', n FROM c`)

describe("more than one call takes away", () => {
  test("of a person is gone after some calls, and each says whether there is more", async () => {
    await manyVerifications("acc_many", "many.test", 250_000)
    const { made } = needs()
    const calls: boolean[] = []
    for (let go = 0; go < 5 && calls.at(-1) !== true; go++)
      calls.push((await eraseAddress(made, { address: valid("many@many.test"), accountId: null })).isComplete)
    expect(calls).toEqual([false, false, true])
    expect(await count("verifications", sql`domain = 'many.test'`)).toBe(0)
  })

  test("of a customer: nobody comes in by its keys from the first call on, the account itself goes last", async () => {
    await plant(server.open(), { email: "big@customer.test", account: "acc_big" })
    await server
      .open()
      .run(sql`INSERT INTO receivers (receiver_id, account_id, provider, token_hash, sealed_secret, created_at)
      VALUES ('rcv_big', 'acc_big', 'sendgrid', 't', 's', 1)`)
    await manyVerifications("acc_big", "big.test", 120_000)
    const { made } = needs()
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

test("a call of a customer's that was under way when the account was closed makes no key and no account", async () => {
  await plant(server.open(), { email: "slow@customer.test", account: "acc_slow" })
  const { made } = needs()
  const caller = {
    kind: "member",
    accountId: "acc_slow",
    keyId: "kid",
    email: "slow@customer.test",
    tier: "pro",
  } as const
  const make = () =>
    createKey(
      {
        ...made,
        clock: systemClock,
        randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
        gates: { ...made.gates, ofAction: () => ({ count: async () => ({ admitted: true }) }) },
      } as unknown as Deps,
      { caller: caller as unknown as Member, name: "n", ownerEmail: caller.email, tier: "pro" },
    )
  await make()
  await made.erasure.closeAccount("acc_slow")
  await expect(make()).rejects.toThrow("invalid or revoked")
  expect((await eraseCustomer(made, "acc_slow")).isComplete).toBe(true)
  await expect(make()).rejects.toThrow("invalid or revoked")
  expect([
    await count("api_keys", sql`account_id = 'acc_slow'`),
    await count("accounts", sql`account_id = 'acc_slow'`),
  ]).toEqual([0, 0])
})

test("of a customer with 1,200 suppressions none is left at the edge after two calls", async () => {
  await plant(server.open(), { email: "long@customer.test", account: "acc_long" })
  const { made, entries } = needs()
  const hashes = Array.from({ length: 1_200 }, (_, n) => `hash-${n}`)
  await server.open().run(sql`INSERT INTO suppressions (account_id, address_hash, reason, created_at)
    SELECT 'acc_long', value, 'unsubscribe', 1 FROM json_each(${JSON.stringify(hashes)})`)
  for (const hash of hashes) entries.set(`s:acc_long:${hash}`, "{}")
  expect((await eraseCustomer(made, "acc_long")).isComplete).toBe(false)
  expect((await eraseCustomer(made, "acc_long")).isComplete).toBe(true)
  expect([...entries.keys()].filter((key) => key.startsWith("s:acc_long:"))).toEqual([])
  expect(await count("suppressions", sql`account_id = 'acc_long'`)).toBe(0)
})

test("of a domain with more suppressions than one call takes away none is left on any list, nor at the edge", async () => {
  const { made, entries } = needs()
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
  const kept = [...entries.keys()].filter((key) => key.includes(":listed-"))
  expect(kept.toSorted()).toEqual(lists.map((list) => `s:${list}:listed-7`).toSorted())
})

test("of a customer neither what its nodes showed stays nor how its webhooks were tried", async () => {
  await plant(server.open(), { email: "gone@customer.test", account: "acc_gone" })
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
  const { made } = needs()
  expect((await eraseCustomer(made, "acc_gone")).isComplete).toBe(true)
  await made.erasure.purge(Date.now(), 100_000)
  const left = await server
    .open()
    .all(sql`SELECT node_id AS id FROM fleet_health UNION ALL SELECT node_id FROM fleet_pairs
    UNION ALL SELECT event_id FROM webhook_attempts WHERE event_id IN ('theirs', 'others')`)
  expect(left).toEqual([{ id: "others" }, { id: "others" }, { id: "others" }])
})

test("a domain whose results the edge will not give up stays findable until it does", async () => {
  for (const name of ["one", "two"])
    await plant(server.open(), { email: `${name}@edge.test`, account: `acc_${name}_edge` })
  let isDown = true
  const { made, results } = needs(async (operation) => {
    if (isDown && operation === "delete result") throw new Error("KV is down")
  })
  for (const name of ["one", "two"]) results.add(await addressHash(DIGESTS, valid(`${name}@edge.test`)))
  const erase = () => eraseDomain(made, { domain: "edge.test", accountId: null })
  await expect(erase()).rejects.toThrow("KV is down")
  isDown = false
  expect((await erase()).isComplete).toBe(true)
  expect([...results]).toEqual([])
})

test("what is kept for a day or two goes in pieces the database answers in time", async () => {
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
  await createPendingStore(server.open({ around })).forgetBefore(1)
  await createReceiverStore(server.open({ around })).forgetTokens(1)
  expect(trips).toBe(9)
  expect(await count("pending_verifications", sql`email = 'x@kept.test'`)).toBe(0)
  expect(await count("used_tokens")).toBe(0)
})

test("an export of 3,000 rows is whole, and page by page", async () => {
  await manyVerifications("acc_export", "export.test", 3_000)
  const { made } = needs()
  const { tables } = await exportData(made, { address: valid("many@export.test"), accountId: "acc_export" })
  const told: unknown[] = []
  let pages = 0
  for await (const { table, rows } of tables) {
    expect(table).toBe("verifications")
    told.push(...rows.map((row) => (row.checks as { n: number }).n))
    pages++
  }
  expect(told).toEqual(Array.from({ length: 3_000 }, (_, n) => n + 1))
  expect(pages).toBeGreaterThan(1)
})
