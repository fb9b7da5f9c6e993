import { afterAll, beforeAll, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache.ts"
import { createAccountErasureStore, createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createResultStore } from "../../src/adapters/store/verification/results.ts"
import { createFlagCache } from "../../src/adapters/suppression/flag-cache.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { copyFlags, findManyAccountFlags, rehashSuppressions } from "../../src/services/suppression/flags.ts"
import { checkSuppression, suppress } from "../../src/services/suppression/suppression-list.ts"
import { findKnown } from "../../src/services/verification/known.ts"
import { testContext } from "../support/deps/context.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { ownNumber } from "../support/deps/own-number.ts"
import { scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"
import { flagsAtEdge } from "../support/stack/flags-at-edge.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)]
const address = (email: string) => parseAddress(email) as ValidAddress
const ONE = { reason: "manual", source: null, end: null } as const

async function contextOf(database: Database, peppers = [OLD]) {
  let now = 1_000_000
  const clock = { now: () => now, sleep: async () => undefined }
  const { kv, operations, entries } = memoryKv()
  const ctx = testContext({
    clock,
    digests: await createDigests(peppers),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    store: {
      suppressions: createSuppressionStore(database),
      results: createResultStore(database),
      accountErasures: createAccountErasureStore(database),
    },
  })
  const turn = (ms: number) => {
    now += ms
  }
  return { ctx, operations, entries, turn }
}

/** The requests to the database that a piece of work sends. */
async function requestsOf(work: (database: Database) => Promise<unknown>): Promise<number> {
  let sent = 0
  const counting: typeof fetch = (input, init) => {
    sent++
    return fetch(input, init)
  }
  await work(server.open({ fetch: counting }))
  return sent
}

test("an entry for a domain is read with the requests that an entry of the address needs", async () => {
  const { ctx } = await contextOf(server.open())
  await suppress(ctx, "acc_address", [{ address: address("a@speed.test"), ...ONE }])
  await suppress(ctx, "acc_domain", [{ wholeDomain: "speed.test", ...ONE }])
  const addresses = ["a@speed.test", "b@other.test"].map(address)
  const reads: Record<string, (database: Database, accountId: string) => Promise<unknown>> = {
    "one verification": async (database, accountId) => {
      const known = await findKnown((await contextOf(database)).ctx, { accountId, address: addresses[0]! })
      expect(known.accountFlags.isSuppressed).toBe(true)
    },
    "a list": async (database, accountId) => {
      const found = await findManyAccountFlags((await contextOf(database)).ctx, { accountId, addresses })
      expect([...found.keys()]).toEqual(["a@speed.test"])
    },
    "a check": async (database, accountId) =>
      expect(await checkSuppression((await contextOf(database)).ctx, accountId, addresses[0]!)).toHaveLength(1),
  }
  for (const [name, read] of Object.entries(reads)) {
    const [byAddress, byDomain] = [
      await requestsOf((database) => read(database, "acc_address")),
      await requestsOf((database) => read(database, "acc_domain")),
    ]
    expect(byDomain, name).toBe(byAddress)
    expect(byDomain, name).toBe(name === "a list" ? 2 : 1)
  }
})

test("the edge reads the entry of a domain in one operation, for an account and for the operator's list", async () => {
  const { ctx, operations, entries, turn } = await contextOf(server.open())
  const own = `edge-${ownNumber()}`
  const wholeDomain = `${own}.test`
  await suppress(ctx, own, [{ wholeDomain, ...ONE }])
  expect(JSON.stringify([...entries])).not.toContain(wholeDomain)
  turn(60_000)
  operations.length = 0
  const read = (accountId: string | null) => flagsAtEdge(ctx, { accountId, address: address(`a@${wholeDomain}`) })
  expect(await read(own)).toMatchObject({ isSuppressed: true })
  expect(operations.filter((one) => one.startsWith("get"))).toHaveLength(1)
  expect(await read(null)).toMatchObject({ isSuppressed: false })
  await suppress(ctx, "*", [{ wholeDomain, ...ONE }])
  expect(await read(null)).toMatchObject({ isSuppressed: true })
})

test("an entry of a domain moves to a new pepper, and is copied to an edge that lost it", async () => {
  const before = await contextOf(server.open())
  const own = `moved-${ownNumber()}`
  await suppress(before.ctx, own, [{ wholeDomain: `${own}.test`, ...ONE }])
  const between = await contextOf(server.open(), [NEW, OLD])
  expect(await rehashSuppressions(between.ctx)).toBeGreaterThan(0)
  const after = await contextOf(server.open(), [NEW])
  const asked = { accountId: own, address: address(`a@${own}.test`) }
  expect((await findKnown(after.ctx, asked)).accountFlags).toMatchObject({ isSuppressed: true })
  await after.ctx.flags.setFilled(own, "")
  expect(await flagsAtEdge(after.ctx, asked)).toBeNull()
  await copyFlags(after.ctx, own)
  after.turn(60_000)
  expect(await flagsAtEdge(after.ctx, asked)).toMatchObject({ isSuppressed: true })
})

test("an entry of a domain is in the account's export, and goes with the account", async () => {
  const database = server.open()
  const { ctx } = await contextOf(database)
  await suppress(ctx, "acc_export", [{ wholeDomain: "export.test", ...ONE }])
  const erasure = createErasureStore(database)
  const exported: unknown[] = []
  for await (const page of erasure.collectAccount("acc_export")) exported.push(page)
  expect(exported).toMatchObject([{ table: "suppressions", rows: [{ address: "@export.test" }] }])
  await erasure.eraseAccount("acc_export")
  expect(await checkSuppression(ctx, "acc_export", address("a@export.test"))).toEqual([])
})

test("a page of a list, its total and a check scan no table", async () => {
  const filters = [
    { hashes: null, reason: null, from: null, to: null },
    { hashes: ["h"], reason: "manual", from: 1, to: 2 },
  ] as const
  const sent = await statementsOf(server, async (database) => {
    const store = createSuppressionStore(database)
    for (const filter of filters)
      for (const before of [null, { createdAt: 1, row: 1 }])
        await store.newest("acc_1", filter, { before, now: 1, limit: 10 })
    await store.find(["*", "acc_1"], ["h"], 1)
  })
  expect(sent.length).toBeGreaterThanOrEqual(5)
  expect(await scanned(server, sent)).toEqual([])
})
