import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { OPERATOR_ERASURE } from "../../schema/tables/compliance.ts"
import { createHistoryStore } from "../../src/adapters/store/accounts/history.ts"
import { JOINED } from "../../src/adapters/store/accounts/unclaimed-accounts.ts"
import { createAccountErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { type AnswerWrite, createAnswerWriteStore } from "../../src/adapters/store/verification/answer-writes.ts"
import {
  createResultLists,
  createResultStore,
  type ResultToStore,
} from "../../src/adapters/store/verification/results.ts"
import type { StoredFacts } from "../../src/domain/verification/evidence.ts"
import { NOW, verificationOf } from "../support/deps/evidence.ts"
import { scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const DAY = "2026-11-22"
let count = 0
/** An address and an account that no other test uses. */
async function fresh() {
  const [key, domain, accountId] = [`user@d${++count}.test`, `d${count}.test`, `acc_${count}`]
  await server.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${accountId}, ${NOW})`)
  return { key, domain, accountId }
}

const resultOf = (key: string, domain: string, verifiedAt = NOW): ResultToStore => {
  const { evidence, verdict, score, canSend } = verificationOf(key)
  return { key, domain, evidence, verdict, score: score.total, canSend, verifiedAt, expiresAt: verifiedAt + 60_000 }
}
const listedOf = (address: string) => ({
  ...{ address, domain: "d.test", status: "valid" as const, score: 90, canSend: true, cached: false },
  checks: { note: 'a "quoted" é', n: null },
})
const factsAt = (checkedAt: number, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { value: null, checkedAt, expiresAt: checkedAt + 1 }])) as StoredFacts

async function write(writes: readonly AnswerWrite[], isRepeated = false): Promise<boolean[]> {
  return createAnswerWriteStore(server.open()).writeAll(writes.map((entry) => ({ entry, isRepeated })))
}
const rows = <T>(statement: ReturnType<typeof sql>) => server.open().all<T>(statement)
const historyOf = (accountId: string) =>
  createHistoryStore(server.open()).recent(accountId, { limit: 10, offset: 0, before: Number.MAX_SAFE_INTEGER })
const countsOf = async (accountId: string) =>
  (await createHistoryStore(server.open()).countsSince(accountId, "2000-01-01")).map(({ count: n }) => n)

const WRITERS: Readonly<Record<string, (result: ResultToStore, accountId: string) => Promise<unknown>>> = {
  "a list": (result, accountId) => createResultLists(server.open()).saveAll([result], accountId),
  "an answer": (result, accountId) => write([{ accountId, at: result.verifiedAt, subjects: [], result }]),
  "an adopted account": async ({ key, domain, verifiedAt }, to) => {
    const { accountId: from } = await fresh()
    await server.open().run(sql`INSERT INTO verified_addresses VALUES (${from}, ${key}, ${domain}, ${verifiedAt})`)
    const adopted = sql`account_id = ${from}`
    await server.open().run(JOINED.verified_addresses!({ from, to, now: NOW }, adopted))
    await server.open().run(sql`DELETE FROM verified_addresses WHERE ${adopted}`)
  },
}
const WRITERS_AND_TIMES = Object.entries(WRITERS).flatMap(([name, writer]) => [
  [name, NOW - 60_000, NOW, writer] as const,
  [name, NOW + 60_000, NOW + 60_000, writer] as const,
])
test.each(WRITERS_AND_TIMES)("%s that verified an address at %i leaves the later time", async (...row) => {
  const [, at, expected, writer] = row
  const { key, domain, accountId } = await fresh()
  await createResultLists(server.open()).saveAll([resultOf(key, domain)], accountId)
  await writer(resultOf(key, domain, at), accountId)
  const verified = await rows(sql`SELECT verified_at AS at FROM verified_addresses WHERE address = ${key}`)
  expect(verified).toEqual([{ at: expected }])
})

test("facts of a domain are merged by name, each with the latest check", async () => {
  const { domain } = await fresh()
  const lists = createResultLists(server.open())
  for (const found of [factsAt(NOW, "spf", "dmarc"), factsAt(NOW - 5, "spf", "bimi"), factsAt(NOW + 5, "dmarc")])
    await lists.saveFactsOf(new Map([[domain, found]]))
  expect((await lists.factsOf([domain])).get(domain)).toEqual({
    ...factsAt(NOW, "spf"),
    ...factsAt(NOW + 5, "dmarc"),
    ...factsAt(NOW - 5, "bimi"),
  })
})

test("one transaction stores all parts of many answers", async () => {
  const [one, other] = [await fresh(), await fresh()]
  const at = Date.parse(`${DAY}T12:00:00Z`)
  const base = { accountId: one.accountId, keyId: `kid_${one.accountId}`, at, subjects: ["hash"] }
  const refused = await write([
    {
      ...base,
      result: resultOf(one.key, one.domain),
      facts: { domain: one.domain, found: factsAt(NOW, "spf", "dmarc") },
      recheck: { address: one.key, dueAt: NOW + 5 },
    },
    { ...base, listed: listedOf(one.key) },
    { ...base, counted: { status: "valid", cached: false, score: 90, canSend: true } },
    { ...base, accountId: null, result: resultOf(other.key, other.domain) },
  ])
  expect(refused).toEqual([false, false, false, false])
  const results = createResultStore(server.open())
  expect(await results.latest(one.key, one.domain)).toMatchObject({
    result: { verifiedAt: NOW, evidence: { domain: null, mailbox: null } },
    facts: factsAt(NOW, "spf", "dmarc"),
  })
  expect(await results.latest(other.key, other.domain)).toMatchObject({ result: { verifiedAt: NOW } })
  expect(await rows(sql`SELECT due_at FROM rechecks WHERE address = ${one.key}`)).toEqual([{ due_at: NOW + 5 }])
  expect(
    await rows(sql`SELECT account_id FROM verified_addresses WHERE address IN (${one.key}, ${other.key})`),
  ).toEqual([{ account_id: one.accountId }])
  const { canSend: _, ...listed } = listedOf(one.key)
  expect(await historyOf(one.accountId)).toMatchObject([{ ...listed, createdAt: at }])
  expect(await createHistoryStore(server.open()).countsSince(one.accountId, DAY)).toEqual([
    { day: DAY, status: "valid", cached: false, count: 2, scores: 180, sendable: 2 },
  ])
  expect(await createHistoryStore(server.open()).ofKey(`kid_${one.accountId}`, DAY)).toEqual([{ day: DAY, count: 2 }])
})

test.each([
  ["a newer", 1, NOW + 1],
  ["an older", -1, NOW],
] as const)("%s result meets a stored one: the newer one stays", async (_, apart, latest) => {
  const { key, domain, accountId } = await fresh()
  const base = { accountId, at: NOW, subjects: [] }
  await write([{ ...base, result: resultOf(key, domain) }])
  expect(await write([{ ...base, result: resultOf(key, domain, NOW + apart) }])).toEqual([apart < 0])
  expect((await createResultStore(server.open()).latest(key, domain)).result?.verifiedAt).toBe(latest)
  await createResultLists(server.open()).saveAll([resultOf(key, domain, NOW - 2)], null)
  expect((await createResultStore(server.open()).latest(key, domain)).result?.verifiedAt).toBe(latest)
})

test("facts are added to the stored ones by name, and an existing recheck stays", async () => {
  const { key, domain } = await fresh()
  const base = { accountId: null, at: NOW, subjects: [] }
  const recheck = (dueAt: number) => ({ address: key, dueAt })
  await write([{ ...base, facts: { domain, found: factsAt(NOW, "spf", "dmarc") }, recheck: recheck(1) }])
  await write([{ ...base, facts: { domain, found: factsAt(NOW + 1, "spf", "bimi") }, recheck: recheck(2) }])
  expect((await createResultStore(server.open()).latest(key, domain)).facts).toEqual({
    ...factsAt(NOW, "dmarc"),
    ...factsAt(NOW + 1, "spf", "bimi"),
  })
  expect(await rows(sql`SELECT due_at FROM rechecks WHERE address = ${key}`)).toEqual([{ due_at: 1 }])
})

describe("a write after an erasure", () => {
  const erase = (accountId: string, subjectHash: string, erasedAt: number) =>
    createAccountErasureStore(server.open()).add({
      ...{ accountId, subjectHash, domainHash: "d", hidesUntil: null, erasedAt },
    })

  test.each([
    ["its own account erased the address since", "own", 0, true],
    ["its own account erased the address before", "own", -1, false],
    ["another account erased the address since", "other", 0, false],
    ["the operator erased the address since", OPERATOR_ERASURE, 1, true],
  ] as const)("%s", async (_, eraser, apart, isRefused) => {
    const { key, domain, accountId } = await fresh()
    await erase(eraser === "own" ? accountId : eraser, `hash ${key}`, NOW + apart)
    const entry: AnswerWrite = {
      ...{ accountId, at: NOW, subjects: ["unknown", `hash ${key}`] },
      result: resultOf(key, domain),
      facts: { domain, found: factsAt(NOW, "spf") },
      recheck: { address: key, dueAt: NOW },
      listed: listedOf(key),
    }
    expect(await write([entry])).toEqual([isRefused])
    const { result, facts } = await createResultStore(server.open()).latest(key, domain)
    const stored = [
      ...[result, facts].filter((part) => part !== null),
      ...(await rows(sql`SELECT address FROM rechecks WHERE address = ${key}`)),
      ...(await rows(sql`SELECT address FROM verified_addresses WHERE address = ${key}`)),
      ...(await historyOf(accountId)),
    ]
    expect(stored).toHaveLength(isRefused ? 0 : 5)
    // An answer that was given is counted.
    expect(await countsOf(accountId)).toEqual([1])
  })
})

test("nothing is stored for an account that was deleted since, but the shared result is", async () => {
  const { key, domain, accountId } = await fresh()
  await server.open().run(sql`DELETE FROM accounts WHERE account_id = ${accountId}`)
  const entry = { accountId, at: NOW, subjects: [], listed: listedOf(key), result: resultOf(key, domain) }
  expect(await write([entry])).toEqual([false])
  expect([...(await historyOf(accountId)), ...(await countsOf(accountId))]).toEqual([])
  expect(await rows(sql`SELECT 1 FROM verified_addresses WHERE address = ${key}`)).toEqual([])
})

test("a repeated write adds nothing to a history that has the answer, and adds an answer that is missing", async () => {
  const { key, accountId } = await fresh()
  const entry = { accountId, at: NOW, subjects: [], listed: listedOf(key) }
  await write([entry, entry])
  await write([entry, { ...entry, at: NOW + 1 }], true)
  expect(await historyOf(accountId)).toHaveLength(3)
  expect(await countsOf(accountId)).toEqual([3])
})

test("no part scans a long table", async () => {
  const { key, domain, accountId } = await fresh()
  const entry: AnswerWrite = {
    ...{ accountId, at: NOW, subjects: ["hash"], listed: listedOf(key) },
    result: resultOf(key, domain),
    facts: { domain, found: factsAt(NOW, "spf") },
    recheck: { address: key, dueAt: NOW },
  }
  const sent = await statementsOf(server, async (database) => {
    await createAnswerWriteStore(database).writeAll([{ entry, isRepeated: true }])
    await createResultStore(database).knownAbout({ key, domain, lists: [accountId, "*"], hashes: ["hash"], now: NOW })
  })
  expect(sent.length).toBeGreaterThan(0)
  expect(await scanned(server, sent)).toEqual([])
})
