import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKvReader } from "../../../src/adapters/cache.ts"
import { createReceiverStore } from "../../../src/adapters/store/suppression/receivers.ts"
import { createSuppressionStore } from "../../../src/adapters/store/suppression/suppression.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { NO_REPORTS } from "../../../src/domain/suppression/flags.ts"
import { copyFlags, findAccountFlags, findManyAccountFlags } from "../../../src/services/suppression/flags.ts"
import {
  checkSuppression,
  expireSuppressions,
  suppress,
  type ToSuppress,
  unsuppress,
} from "../../../src/services/suppression/suppression-list.ts"
import { reading, testContext } from "../../support/deps/context.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"
import { ownNumber } from "../../support/deps/own-number.ts"
import { startDatabase } from "../../support/stack/database.ts"
import { flagsAtEdge } from "../../support/stack/flags-at-edge.ts"

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 10, 21)
/** How long an isolate caches its reads, and its claim to copy a list. */
const [MEMO_MS, FILLING_MS] = [10_000, 60_000]
const PEPPER = "p".repeat(32)

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const address = (email: string) => parseAddress(email) as ValidAddress
const ownList = () => `acc_${ownNumber()}`
type Addition = Partial<Omit<ToSuppress, "end">> & { readonly days?: number | null }

/** A service with a settable clock on a shared database. `list` is an account of its own. */
async function service(peppers = [PEPPER]) {
  let now = START
  const clock = { now: () => now, sleep: async () => undefined }
  const { kv, entries, operations } = memoryKv()
  const opened = database.open()
  const ctx = testContext({
    ...reading(clock),
    digests: await createDigests(peppers),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    store: { suppressions: createSuppressionStore(opened), receivers: createReceiverStore(opened) },
  })
  const list = ownList()
  const add = (email: string, { days = null, ...more }: Addition = {}) => {
    const end = days === null ? null : { days }
    return suppress(ctx, list, [{ address: address(email), reason: "manual", source: null, end, ...more }])
  }
  const isSuppressed = async (email: string, accountId: string | null = list) => {
    const asked = { accountId, address: address(email) }
    const [truth, edge] = [await findAccountFlags(ctx, asked), await flagsAtEdge(ctx, asked)]
    expect(edge).toEqual(truth)
    return truth.isSuppressed
  }
  const turn = (ms: number) => {
    now += ms
  }
  return { ctx, list, add, isSuppressed, entries, operations, opened, turn }
}

describe("an entry with an end", () => {
  test("is inactive from its expiry on, and is deleted later", async () => {
    const { ctx, list, add, isSuppressed, turn, opened, entries } = await service()
    await add("a@mailbox.test", { days: 2 })
    await add("b@mailbox.test")
    turn(2 * DAY_MS - 1)
    expect(await isSuppressed("a@mailbox.test")).toBe(true)
    turn(1)
    expect(await isSuppressed("a@mailbox.test")).toBe(false)
    expect(await checkSuppression(ctx, list, address("a@mailbox.test"))).toEqual([])
    const rows = () => opened.all(sql`SELECT 1 FROM suppressions WHERE account_id = ${list}`)
    expect(await rows()).toHaveLength(2)
    expect((await expireSuppressions(ctx)).removed).toBeGreaterThanOrEqual(1)
    expect(await rows()).toHaveLength(1)
    expect([...entries.keys()].filter((key) => key.includes(`${list}:`))).toHaveLength(1)
    expect(await isSuppressed("b@mailbox.test")).toBe(true)
  })

  test("is published to the edge with its end, a permanent one without", async () => {
    const { add, operations } = await service()
    await add("a@mailbox.test", { days: 1 })
    await add("b@mailbox.test")
    expect(operations.filter((operation) => operation.startsWith("put"))).toEqual([
      "put", // that the list has entries
      "put for 86400",
      "put",
    ])
  })

  test("cannot be removed after its expiry", async () => {
    const { ctx, list, add, turn } = await service()
    await add("a@b.test", { days: 1 })
    turn(DAY_MS)
    await expect(unsuppress(ctx, list, { address: address("a@b.test") })).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("an entry added again", () => {
  const MANUAL = { reason: "manual", source: "m", days: null } as const
  test.each([
    ["the later end wins", [{ days: 10 }, { days: 5 }], { expiresAt: START + 10 * DAY_MS }],
    ["a later end extends it", [{ days: 5 }, { days: 10 }], { expiresAt: START + 10 * DAY_MS }],
    ["a permanent entry stays permanent", [{ days: null }, { days: 5 }], { expiresAt: null }],
    [
      "a mailbox's own reason stays",
      [{ reason: "hard_bounce", source: "esp" }, MANUAL],
      { reason: "hard_bounce", source: "esp" },
    ],
    [
      "a mailbox's own reason wins",
      [MANUAL, { reason: "unsubscribe", source: "esp" }],
      { reason: "unsubscribe", source: "esp" },
    ],
    ["last of equals wins", [MANUAL, { reason: "soft_bounce", source: "s" }], { reason: "soft_bounce", source: "s" }],
  ] as [string, Addition[], object][])("%s", async (_, additions, expected) => {
    const { ctx, list, add } = await service()
    for (const addition of additions) await add("a@mailbox.test", addition)
    const [found] = await checkSuppression(ctx, list, address("a@mailbox.test"))
    expect(found?.suppression).toMatchObject(expected)
  })

  test("applies again after its expiry, with a new date", async () => {
    const { ctx, list, add, turn } = await service()
    await add("a@mailbox.test", { reason: "hard_bounce", days: 1 })
    turn(DAY_MS)
    await add("a@mailbox.test", { reason: "manual", days: 3 })
    const [found] = await checkSuppression(ctx, list, address("a@mailbox.test"))
    expect(found?.suppression).toMatchObject({
      reason: "manual",
      createdAt: START + DAY_MS,
      expiresAt: START + 4 * DAY_MS,
    })
  })
})

describe("the owner of a list", () => {
  test("an account's entry covers all spellings of the mailbox, for that account only", async () => {
    const { add, isSuppressed } = await service()
    await add("Alice@Mailbox.test")
    expect(await isSuppressed("alice@mailbox.test")).toBe(true)
    expect(await isSuppressed("alice+tag@mailbox.test")).toBe(false)
    expect(await isSuppressed("alice@mailbox.test", "acc_other")).toBe(false)
    expect(await isSuppressed("alice@mailbox.test", null)).toBe(false)
  })

  test("the operator's entry applies to all callers", async () => {
    const { ctx, isSuppressed } = await service()
    const one = address("everybody@mailbox.test")
    await suppress(ctx, "*", [{ address: one, reason: "manual", source: null, end: null }])
    expect([await isSuppressed(one.normalized), await isSuppressed(one.normalized, null)]).toEqual([true, true])
    await unsuppress(ctx, "*", { address: one })
    expect(await isSuppressed(one.normalized)).toBe(false)
  })

  test("many addresses are read at once, by their cache key", async () => {
    const { ctx, list, add } = await service()
    await Promise.all([add("u7@many.test"), add("u1900@many.test")])
    const addresses = Array.from({ length: 2_500 }, (_, i) => address(`U${i}@many.test`))
    const found = await findManyAccountFlags(ctx, { accountId: list, addresses })
    expect([...found.keys()].toSorted()).toEqual(["u1900@many.test", "u7@many.test"])
  })
})

test("an entry works with only its hash left, and after a change of the pepper", async () => {
  const { ctx, list, add, opened, entries } = await service()
  await add("gone@mailbox.test", { reason: "hard_bounce" })
  await opened.run(sql`UPDATE suppressions SET address = NULL WHERE account_id = ${list}`)
  expect(JSON.stringify([...entries])).not.toContain("gone")

  const rotated = { ...ctx, digests: await createDigests(["q".repeat(32), PEPPER]) }
  const asked = { accountId: list, address: address("gone@mailbox.test") }
  expect(await findAccountFlags(rotated, asked)).toMatchObject({ isSuppressed: true })
  expect(await flagsAtEdge(rotated, asked)).toMatchObject({ isSuppressed: true })
  expect(await checkSuppression(rotated, list, asked.address)).toMatchObject([{ list: "account" }])
  await unsuppress(rotated, list, { address: asked.address })
  expect(await flagsAtEdge(rotated, asked)).toMatchObject({ isSuppressed: false })
})

test("the edge is read once in ten seconds, and shows a change at once", async () => {
  const { ctx, list, add, operations, turn } = await service()
  const readEdge = () => flagsAtEdge(ctx, { accountId: list, address: address("often@mailbox.test") })
  const reads = () => operations.filter((operation) => operation.startsWith("get"))
  expect(await readEdge()).toMatchObject({ isSuppressed: false })
  await readEdge()
  expect(reads()).toHaveLength(1)
  turn(10_001)
  await readEdge()
  expect(reads()).toHaveLength(2)
  await add("often@mailbox.test")
  expect(await readEdge()).toMatchObject({ isSuppressed: true })
  expect(reads()).toHaveLength(2)
})

const KNOWN = { suppression: { expiresAt: null }, ...NO_REPORTS, hidesUntil: 0 }
test("a read that began before a change does not hide the change", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { kv, operations } = memoryKv((operation) => (operation.startsWith("get") ? held : Promise.resolve()))
  const flags = createFlagCache(kv, createKvReader(kv), () => START)
  const list = ownList()
  const reading = flags.get([{ list, hashes: ["h"] }])
  await Promise.resolve().then(() => Promise.resolve())
  expect(operations).toEqual(["get 2"])
  const written = flags.put(list, "h", KNOWN)
  release()
  expect(await reading).toEqual([KNOWN])
  await written
  expect(await flags.get([{ list, hashes: ["h"] }])).toEqual([KNOWN])
})

test("an empty list is not read; its first entry marks it as non-empty, once", async () => {
  const { kv, operations } = memoryKv()
  const flags = createFlagCache(kv, createKvReader(kv), () => START)
  const list = ownList()
  await flags.get([{ list, hashes: ["h1"] }])
  expect(await flags.get([{ list, hashes: ["h2"] }])).toEqual([])
  expect(operations).toEqual(["get 2"])
  await Promise.all(["h1", "h2", "h3"].map((hash) => flags.put(list, hash, KNOWN)))
  expect(operations).toEqual(["get 2", "put", "put", "put", "put"])
  expect(await flags.get([{ list, hashes: ["h2"] }])).toEqual([KNOWN])
})

describe("a list that is incomplete at the edge", () => {
  test("is read from the database until the copy is complete", async () => {
    const { ctx, list, entries, add, turn } = await service()
    const asked = { accountId: list, address: address("user1@mailbox.test") }
    await add("user1@mailbox.test")
    entries.clear()
    await ctx.flags.setFilled(list, "")
    expect(await flagsAtEdge(ctx, asked)).toBeNull()
    await add("user2@mailbox.test")
    expect(await flagsAtEdge(ctx, asked)).toBeNull()
    await copyFlags(ctx, list)
    turn(MEMO_MS)
    expect(await flagsAtEdge(ctx, asked)).toMatchObject({ isSuppressed: true })
  })

  test("is copied from where the copy stopped, by a single task in an isolate", async () => {
    const { ctx, list, add, operations, turn } = await service()
    for (let n = 0; n < 3; n++) await add(`user${n}@mailbox.test`)
    const [, second = "", third = ""] = await ctx.store.suppressions.hashes(list, { after: "", limit: 9 })
    expect(await ctx.store.suppressions.hashes(list, { after: second, limit: 9 })).toEqual([third])
    expect(await ctx.store.suppressions.hashes(list, { after: "", limit: 2 })).toHaveLength(2)
    await ctx.flags.setFilled(list, second)
    const before = operations.length
    await Promise.all([copyFlags(ctx, list), copyFlags(ctx, list)])
    expect(operations.slice(before)).toEqual(["put", "put"])
    expect(await ctx.flags.continueFilling(list)).toBeNull()
    await ctx.flags.setFilled(list, second)
    expect(await ctx.flags.continueFilling(list)).toBeNull()
    turn(FILLING_MS)
    expect(await ctx.flags.continueFilling(list)).toBe(second)
  })
})

test("concurrent adding and removing leaves the edge and the database equal", async () => {
  const { ctx, list, add, isSuppressed } = await service()
  const [email, one] = ["both@mailbox.test", { address: address("both@mailbox.test") }] as const
  for (let round = 0; round < 10; round++) {
    const work = [add(email), unsuppress(ctx, list, one), add(email), unsuppress(ctx, list, one)]
    await Promise.allSettled(work)
    await isSuppressed(email)
  }
})
