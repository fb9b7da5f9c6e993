import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKvReader } from "../../../src/adapters/cache/kv-reader.ts"
import { createMarkCache } from "../../../src/adapters/cache/mark-cache.ts"
import { createReceiverStore } from "../../../src/adapters/store/receivers.ts"
import { createSuppressionStore } from "../../../src/adapters/store/suppression.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { createDigests } from "../../../src/domain/keys/digest.ts"
import { checkSuppression } from "../../../src/services/suppression/check-suppression.ts"
import { expireSuppressions } from "../../../src/services/suppression/expire-suppressions.ts"
import { fillMarks } from "../../../src/services/suppression/fill-marks.ts"
import { findStanding, findStandingAtEdge, findStandings } from "../../../src/services/suppression/find-standing.ts"
import { importSuppressions } from "../../../src/services/suppression/import-suppressions.ts"
import { suppress, type ToSuppress } from "../../../src/services/suppression/suppress.ts"
import { unsuppress } from "../../../src/services/suppression/unsuppress.ts"
import { startDatabase } from "../../support/database.ts"
import { memoryKv } from "../../support/memory-kv.ts"

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 10, 21)
/** How long an isolate remembers what it read, and that it fills a list. */
const [MEMO_MS, FILLING_MS] = [10_000, 60_000]
const PEPPER = "p".repeat(32)

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const address = (email: string) => parseAddress(email) as ValidAddress
let count = 0
type Addition = Partial<Omit<ToSuppress, "end">> & { readonly days?: number | null }

/** A service with a clock to turn, over the one database; `list` is an account of its own. */
async function service(peppers = [PEPPER]) {
  let now = START
  const clock = { now: () => now, sleep: async () => undefined }
  const { kv, entries, operations } = memoryKv()
  const opened = database.open()
  const needs = {
    clock,
    digests: await createDigests(peppers),
    suppressions: createSuppressionStore(opened),
    receivers: createReceiverStore(opened),
    marks: createMarkCache(kv, createKvReader(kv), clock.now),
  }
  const list = `acc_${count++}`
  const add = (email: string, { days = null, ...more }: Addition = {}) => {
    const end = days === null ? null : { days }
    return suppress(needs, list, [{ address: address(email), reason: "manual", source: null, end, ...more }])
  }
  const isSuppressed = async (email: string, accountId: string | null = list) => {
    const asked = { accountId, address: address(email) }
    const [truth, edge] = [await findStanding(needs, asked), await findStandingAtEdge(needs, asked)]
    expect(edge).toEqual(truth)
    return truth.isSuppressed
  }
  const turn = (ms: number) => {
    now += ms
  }
  return { needs, list, add, isSuppressed, entries, operations, opened, turn }
}

describe("an entry with an end", () => {
  test("counts as absent from its last moment on, and is swept later", async () => {
    const { needs, list, add, isSuppressed, turn, opened, entries } = await service()
    await add("a@mailbox.test", { days: 2 })
    await add("b@mailbox.test")
    turn(2 * DAY_MS - 1)
    expect(await isSuppressed("a@mailbox.test")).toBe(true)
    turn(1)
    expect(await isSuppressed("a@mailbox.test")).toBe(false)
    expect(await checkSuppression(needs, list, address("a@mailbox.test"))).toBeNull()
    const rows = () => opened.all(sql`SELECT 1 FROM suppressions WHERE account_id = ${list}`)
    expect(await rows()).toHaveLength(2)
    expect((await expireSuppressions(needs)).removed).toBeGreaterThanOrEqual(1)
    expect(await rows()).toHaveLength(1)
    expect([...entries.keys()].filter((key) => key.includes(`${list}:`))).toHaveLength(1)
    expect(await isSuppressed("b@mailbox.test")).toBe(true)
  })

  test("is told to the edge with its end, one for good without", async () => {
    const { add, operations } = await service()
    await add("a@mailbox.test", { days: 1 })
    await add("b@mailbox.test")
    expect(operations.filter((operation) => operation.startsWith("put"))).toEqual([
      "put", // that the list has entries
      "put for 86400",
      "put",
    ])
  })

  test("taken off and an expired one is not found", async () => {
    const { needs, list, add, turn } = await service()
    await add("a@mailbox.test", { days: 1 })
    turn(DAY_MS)
    await expect(unsuppress(needs, list, address("a@mailbox.test"))).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("added again", () => {
  const MANUAL = { reason: "manual", source: "m", days: null } as const
  test.each([
    ["the later end holds", [{ days: 10 }, { days: 5 }], { expiresAt: START + 10 * DAY_MS }],
    ["a later one makes it longer", [{ days: 5 }, { days: 10 }], { expiresAt: START + 10 * DAY_MS }],
    ["for good stays for good", [{ days: null }, { days: 5 }], { expiresAt: null }],
    [
      "what a mailbox said stays",
      [{ reason: "hard_bounce", source: "esp" }, MANUAL],
      { reason: "hard_bounce", source: "esp" },
    ],
    [
      "what a mailbox says counts",
      [MANUAL, { reason: "unsubscribe", source: "esp" }],
      { reason: "unsubscribe", source: "esp" },
    ],
    ["of equals the last", [MANUAL, { reason: "soft_bounce", source: "s" }], { reason: "soft_bounce", source: "s" }],
  ] as [string, Addition[], object][])("%s", async (_, additions, expected) => {
    const { needs, list, add } = await service()
    for (const addition of additions) await add("a@mailbox.test", addition)
    const found = await checkSuppression(needs, list, address("a@mailbox.test"))
    expect(found?.suppression).toMatchObject(expected)
  })

  test("after it has expired, it begins anew", async () => {
    const { needs, list, add, turn } = await service()
    await add("a@mailbox.test", { reason: "hard_bounce", days: 1 })
    turn(DAY_MS)
    await add("a@mailbox.test", { reason: "manual", days: 3 })
    const found = await checkSuppression(needs, list, address("a@mailbox.test"))
    expect(found?.suppression).toMatchObject({
      reason: "manual",
      createdAt: START + DAY_MS,
      expiresAt: START + 4 * DAY_MS,
    })
  })
})

describe("the end a row of a CSV names", () => {
  const iso = (ms: number) => new Date(START + ms).toISOString()
  async function take(...rows: string[]) {
    const { needs, list } = await service()
    const text = ["email,expires_at,expires_in_days", ...rows].join("\n")
    const { rejected } = await importSuppressions(needs, { list, text, defaults: { reason: "manual", source: null } })
    const found = await checkSuppression(needs, list, address("a@mailbox.test"))
    return { rejected, end: found?.suppression.expiresAt }
  }

  test.each([
    ["none is for good", ",", null],
    ["days from now", ",30", START + 30 * DAY_MS],
    ["a moment, as exported", `${iso(1)},`, START + 1],
    ["a moment as far away as days may be", `${iso(3_650 * DAY_MS)},`, START + 3_650 * DAY_MS],
  ])("%s", async (_, cells, end) => {
    expect(await take(`a@mailbox.test,${cells}`)).toEqual({ rejected: [], end })
  })

  test.each([
    ["has come", `${iso(0)},`, "expires_at lies in the past"],
    ["is no date", "soon,", "expires_at is not a date that can be read without guessing"],
    ["lies too far away", `${iso(3_650 * DAY_MS + 1)},`, "expires_at must be within 3650 days"],
    ["is named twice", `${iso(DAY_MS)},30`, "expires_at and expires_in_days name two ends; keep one"],
  ])("%s: the row is left out", async (_, cells, reason) => {
    const { rejected, end } = await take("b@mailbox.test,,", `a@mailbox.test,${cells}`)
    expect({ rejected, end }).toEqual({ rejected: [{ row: 3, reason }], end: undefined })
  })
})

describe("whose it is", () => {
  test("an account's holds for all spellings of the mailbox's name, for nobody else, and not without an account", async () => {
    const { add, isSuppressed } = await service()
    await add("Alice@Mailbox.test")
    expect(await isSuppressed("alice@mailbox.test")).toBe(true)
    expect(await isSuppressed("alice+tag@mailbox.test")).toBe(false)
    expect(await isSuppressed("alice@mailbox.test", "acc_other")).toBe(false)
    expect(await isSuppressed("alice@mailbox.test", null)).toBe(false)
  })

  test("the operator's holds for everybody", async () => {
    const { needs, isSuppressed } = await service()
    const one = address("everybody@mailbox.test")
    await suppress(needs, "*", [{ address: one, reason: "manual", source: null, end: null }])
    expect([await isSuppressed(one.normalized), await isSuppressed(one.normalized, null)]).toEqual([true, true])
    await unsuppress(needs, "*", one)
    expect(await isSuppressed(one.normalized)).toBe(false)
  })

  test("many are looked up at once, by their cache key", async () => {
    const { needs, list, add } = await service()
    await add("u7@many.test")
    await add("u1900@many.test")
    const addresses = Array.from({ length: 2_500 }, (_, i) => address(`U${i}@many.test`))
    const found = await findStandings(needs, { accountId: list, addresses })
    expect([...found.keys()].toSorted()).toEqual(["u1900@many.test", "u7@many.test"])
  })
})

test("it is honoured when nothing but the hash is left of the address, and after the pepper has changed", async () => {
  const { needs, list, add, opened, entries } = await service()
  await add("gone@mailbox.test", { reason: "hard_bounce" })
  await opened.run(sql`UPDATE suppressions SET address = NULL WHERE account_id = ${list}`)
  expect(JSON.stringify([...entries])).not.toContain("gone")

  const rotated = { ...needs, digests: await createDigests(["q".repeat(32), PEPPER]) }
  const asked = { accountId: list, address: address("gone@mailbox.test") }
  expect(await findStanding(rotated, asked)).toMatchObject({ isSuppressed: true })
  expect(await findStandingAtEdge(rotated, asked)).toMatchObject({ isSuppressed: true })
  expect(await checkSuppression(rotated, list, asked.address)).toMatchObject({ list: "account" })
  await unsuppress(rotated, list, asked.address)
  expect(await findStandingAtEdge(rotated, asked)).toMatchObject({ isSuppressed: false })
})

test("the edge is asked once in ten seconds, and knows of a change at once", async () => {
  const { needs, list, add, operations, turn } = await service()
  const ask = () => findStandingAtEdge(needs, { accountId: list, address: address("often@mailbox.test") })
  const reads = () => operations.filter((operation) => operation.startsWith("get"))
  expect(await ask()).toMatchObject({ isSuppressed: false })
  await ask()
  expect(reads()).toHaveLength(1)
  turn(10_001)
  await ask()
  expect(reads()).toHaveLength(2)
  await add("often@mailbox.test")
  expect(await ask()).toMatchObject({ isSuppressed: true })
  expect(reads()).toHaveLength(2)
})

test("a reading that began before a change does not hide it", async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { kv, operations } = memoryKv((operation) => (operation.startsWith("get") ? held : Promise.resolve()))
  const marks = createMarkCache(kv, createKvReader(kv), () => START)
  const known = { suppression: { expiresAt: null }, isReceived: false }
  const reading = marks.get(["acc_race"], ["h"])
  await Promise.resolve().then(() => Promise.resolve())
  expect(operations).toEqual(["get 2"])
  const written = marks.put("acc_race", "h", known)
  release()
  expect(await reading).toEqual([known])
  await written
  expect(await marks.get(["acc_race"], ["h"])).toEqual([known])
})

test("a list without entries is not looked through; its first entry says that it has some, once", async () => {
  const { kv, operations } = memoryKv()
  const marks = createMarkCache(kv, createKvReader(kv), () => START)
  await marks.get(["acc_new"], ["h1"])
  expect(await marks.get(["acc_new"], ["h2"])).toEqual([])
  expect(operations).toEqual(["get 2"])
  const known = { suppression: { expiresAt: null }, isReceived: false }
  await Promise.all(["h1", "h2", "h3"].map((hash) => marks.put("acc_new", hash, known)))
  expect(operations).toEqual(["get 2", "put", "put", "put", "put"])
  expect(await marks.get(["acc_new"], ["h2"])).toEqual([known])
})

describe("a list the edge does not have all of", () => {
  test("is the database's to answer for, until it has been filled", async () => {
    const { needs, list, entries, add, turn } = await service()
    const asked = { accountId: list, address: address("user1@mailbox.test") }
    await add("user1@mailbox.test")
    entries.clear()
    await needs.marks.setFilled(list, "")
    expect(await findStandingAtEdge(needs, asked)).toBeNull()
    await add("user2@mailbox.test")
    expect(await findStandingAtEdge(needs, asked)).toBeNull()
    await fillMarks(needs, list)
    turn(MEMO_MS)
    expect(await findStandingAtEdge(needs, asked)).toMatchObject({ isSuppressed: true })
  })

  test("is filled from where it was left, by one at a time in an isolate", async () => {
    const { needs, list, add, operations, turn } = await service()
    for (let n = 0; n < 3; n++) await add(`user${n}@mailbox.test`)
    const [, second = "", third = ""] = await needs.suppressions.hashes(list, { after: "", limit: 9 })
    expect(await needs.suppressions.hashes(list, { after: second, limit: 9 })).toEqual([third])
    expect(await needs.suppressions.hashes(list, { after: "", limit: 2 })).toHaveLength(2)
    await needs.marks.setFilled(list, second)
    const before = operations.length
    await Promise.all([fillMarks(needs, list), fillMarks(needs, list)])
    expect(operations.slice(before)).toEqual(["put", "put"])
    expect(await needs.marks.takeUpFilling(list)).toBeNull()
    await needs.marks.setFilled(list, second)
    expect(await needs.marks.takeUpFilling(list)).toBeNull()
    turn(FILLING_MS)
    expect(await needs.marks.takeUpFilling(list)).toBe(second)
  })
})

test("adding and removing at the same time ends with the edge and the database agreeing", async () => {
  const { needs, list, add, isSuppressed } = await service()
  const one = address("both@mailbox.test")
  for (let round = 0; round < 10; round++) {
    const work = [add(one.normalized), unsuppress(needs, list, one), add(one.normalized), unsuppress(needs, list, one)]
    await Promise.allSettled(work)
    await isSuppressed(one.normalized)
  }
})
