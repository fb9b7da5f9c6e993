import { describe, expect, test } from "vitest"
import { SLICE_MS } from "../../src/adapters/store/fleet/fleet.ts"
import { createFleetRecords } from "../../src/adapters/store/fleet/fleet-records.ts"
import { NO_COUNTS } from "../../src/domain/fleet/route-stats.ts"
import { fleetDatabase, HOUR, NOW, node, times } from "../support/deps/fleet-nodes.ts"

const { open, store, token } = fleetDatabase()
const records = () => createFleetRecords(open())

describe("observations of operators", () => {
  const pair = { nodeId: "n1", sourceIp: "192.0.2.1", operator: "google" }
  const slice = Math.floor(NOW / SLICE_MS)

  test("add up across writers, and are read for the last half hour", async () => {
    const counts = [{ ...pair, ...NO_COUNTS, answered: 3, blocked: 1, totalMs: 90 }]
    await Promise.all([
      store().addCounts(counts, slice),
      store().addCounts(counts, slice),
      store().addCounts(counts, slice - 1),
    ])
    await store().addCounts(counts, slice - 10)
    expect((await store().read(NOW)).counts).toEqual([{ ...pair, ...NO_COUNTS, answered: 9, blocked: 3, totalMs: 270 }])
    expect(await records().countsSince(NOW - 24 * HOUR)).toMatchObject([{ answered: 12 }])
  })

  test("add up by operator and day, without failed connections", async () => {
    const route = (operator: string, counts: object) => ({ ...pair, operator, ...NO_COUNTS, ...counts })
    const yahoo = { answered: 5, missing: 2, deferred: 1, failed: 7, totalMs: 10 }
    const at = (ms: number) => Math.floor(ms / SLICE_MS)
    await store().addCounts([route("yahoo", yahoo), route("silent", { failed: 3 })], at(NOW))
    await store().addCounts(
      [route("yahoo", yahoo), { ...route("yahoo", { blocked: 4 }), sourceIp: "192.0.2.9" }],
      at(NOW),
    )
    await store().addCounts([route("yahoo", { answered: 1 })], at(NOW - 24 * HOUR))
    const found = (await records().answersSince("2027-01-14")).filter(({ operator }) => operator !== pair.operator)
    expect(found).toEqual([
      { day: "2027-01-14", operator: "yahoo", accepted: 1, refused: 0, deferred: 0, blocked: 0 },
      { day: "2027-01-15", operator: "yahoo", accepted: 6, refused: 4, deferred: 2, blocked: 4 },
    ])
    expect(await records().answersSince("2027-01-16")).toEqual([])
  })

  test("exclude a route until the latest reported time", async () => {
    await store().pauseRoutes([{ ...pair, openUntil: NOW + 1_000 }])
    await store().pauseRoutes([{ ...pair, openUntil: NOW + 500 }])
    expect((await store().read(NOW)).routes).toMatchObject([{ ...pair, openUntil: NOW + 1_000 }])
    expect((await store().read(NOW + 1_001)).routes).toEqual([])
  })

  test("a route excluded by canaries stays excluded until they pass or are removed", async () => {
    await records().saveCanary({ operator: "google", existing: "a@x.test", missing: "b@x.test", createdAt: NOW })
    await records().recordCanary(pair, { finding: "blanket_refuse", at: NOW, detail: "550" })
    expect((await store().read(NOW + HOUR)).routes).toMatchObject([{ canary: "blanket_refuse" }])
    await records().recordCanary(pair, { finding: "as_expected", at: NOW, detail: "" })
    expect((await store().read(NOW + HOUR)).routes).toEqual([])
    await records().recordCanary(pair, { finding: "blanket_accept", at: NOW, detail: "250" })
    expect(await records().removeCanary("google")).toBe(true)
    expect((await store().read(NOW + HOUR)).routes).toEqual([])
  })

  test("are deleted after a day", async () => {
    await records().deleteObsolete(NOW + 48 * HOUR)
    expect(await records().countsSince(0)).toEqual([])
    expect(await records().routes()).toEqual([])
  })

  test("by operator and day are deleted after 30 days", async () => {
    const daysLeft = async () => [...new Set((await records().answersSince("")).map(({ day }) => day))]
    await records().deleteObsolete(NOW + 29 * 24 * HOUR)
    expect(await daysLeft()).toEqual(["2027-01-14", "2027-01-15"])
    await records().deleteObsolete(NOW + 30 * 24 * HOUR)
    expect(await daysLeft()).toEqual(["2027-01-15"])
    await records().deleteObsolete(NOW + 31 * 24 * HOUR)
    expect(await daysLeft()).toEqual([])
  })
})

describe("drains", () => {
  test("keep their first time, survive an enrollment, and end with the node", async () => {
    await token("t-drain")
    await store().enroll("t-drain", node("drained"), times)
    const drained = async () => (await store().read(NOW)).drains
    expect(await store().drain("drained", NOW)).toBe(NOW)
    expect(await store().drain("drained", NOW + 1)).toBe(NOW)
    const moved = node("drained", { url: "https://moved.example.org" })
    expect(await store().enroll(await token("t-moved"), moved, times)).toBe("enrolled")
    expect(await drained()).toEqual([{ nodeId: "drained", drainedAt: NOW }])
    await store().resume("drained")
    expect(await drained()).toEqual([])
    await store().drain("drained", NOW)
    await store().remove("drained", "operator")
    expect(await drained()).toEqual([])
  })

  test("of a node of the settings need no row of the node", async () => {
    await store().drain("of-the-settings", NOW)
    expect(await store().drains()).toEqual([{ nodeId: "of-the-settings", drainedAt: NOW }])
    await store().resume("of-the-settings")
    await store().resume("of-the-settings")
    expect(await store().drains()).toEqual([])
  })
})

test("new canary addresses of an operator are probed at the next run", async () => {
  const pair = { nodeId: "n", sourceIp: "8.8.4.4", operator: "mx.new.test" }
  const canary = { operator: pair.operator, existing: "a@new.test", missing: "b@new.test", createdAt: NOW }
  await records().saveCanary(canary)
  await records().recordCanary(pair, { finding: "as_expected", at: NOW, detail: "" })
  await records().saveCanary({ ...canary, existing: "c@new.test" })
  expect((await records().routes()).filter(({ operator }) => operator === pair.operator)).toMatchObject([
    { canary: "as_expected", canaryAt: null },
  ])
  await records().removeCanary(pair.operator)
})

const health = (nodeId: string, filler: number, { checkedAt = NOW, previousAt = NOW as number | null } = {}) => ({
  ...{ nodeId, state: "healthy" as const, reason: null, since: NOW, checkedAt, previousAt, good: 0, bad: 0 },
  ...{ rttMs: 1, skewMs: 0, report: { filler: "x".repeat(filler) } as never },
})

test.each([
  ["a check that continues the stored one replaces it", NOW, 1_000, true],
  ["a check that continues an older one changes nothing", NOW - 1_000, 1_000, false],
  ["a second first check of a node changes nothing", null, 1_000, false],
  ["a check that could not read the health of a minute ago replaces it", null, 60_000, true],
])("%s", async (what, previousAt, laterMs, isSaved) => {
  await records().saveHealth([health(what, 1, { previousAt: null })])
  await records().saveHealth([health(what, 1, { checkedAt: NOW + laterMs, previousAt })])
  const row = (await records().health()).find(({ nodeId }) => nodeId === what)
  expect(row?.checkedAt).toBe(isSaved ? NOW + laterMs : NOW)
})

describe("reports of accounts' nodes", () => {
  test("never prevent reading other nodes' reports, at any size", async () => {
    await token("t-shared")
    await store().enroll("t-shared", node("shared-beside"), times)
    await records().saveHealth([health("shared-beside", 10), health("of-the-settings", 10)])
    for (let n = 0; n < 45; n++) {
      const id = `talker-${n}`
      await token(id, `acc_talker_${n % 3}`)
      await store().enroll(id, node(id), times)
      await records().saveHealth([health(id, 250_000)])
    }
    const { nodes, health: known } = await store().read(NOW)
    expect(nodes.filter(({ id }) => id.startsWith("talker"))).toHaveLength(45)
    expect(known.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(["shared-beside", "of-the-settings"]))
  })

  test("are read with the others when they are small", async () => {
    for (let n = 0; n < 45; n++) await records().saveHealth([health(`talker-${n}`, 100)])
    const known = (await store().read(NOW)).health.map(({ nodeId }) => nodeId)
    expect(known.filter((id) => id.startsWith("talker"))).toHaveLength(45)
  })

  test("come after the operator's nodes when not everything is read", async () => {
    const count = (nodeId: string, n: number) => {
      return { nodeId, sourceIp: `ip-${n}`, operator: "google", ...NO_COUNTS, answered: 1 }
    }
    const many = Array.from({ length: 20_000 }, (_, n) => count("talker-1", n))
    await store().addCounts([...many, count("zz-shared", 0)], Math.floor(NOW / SLICE_MS))
    const { counts } = await store().read(NOW)
    expect(counts.find(({ nodeId }) => nodeId === "zz-shared")).toBeDefined()
    expect(counts).toHaveLength(20_000)
  })
})
