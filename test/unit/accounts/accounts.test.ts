import { readdirSync } from "node:fs"
import { getTableColumns, getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { describe, expect, test } from "vitest"
import { ACCOUNT_TABLES } from "../../../schema/tables/account-tables.ts"
import { TIERS } from "../../../schema/vocabulary.ts"
import {
  advantagesOf,
  allowsTier,
  creditsFor,
  LIMIT_TABLES,
  LIMIT_TIERS,
  limitsOf,
  periodOf,
  secondsToNextPeriod,
  tierIn,
} from "../../../src/domain/accounts/tiers.ts"
import { reachedPercents, reportUsage, sumActivity, sumHits } from "../../../src/domain/accounts/usage.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

/** Tables whose `account_id` is the account itself, or the operator's list. */
const NOT_OWNED = ["accounts"]

test("every table with an account_id is in the list of account tables", async () => {
  const folder = new URL("../../../schema/tables/", import.meta.url)
  const modules = await Promise.all(
    readdirSync(folder).map((file) => import(new URL(file, folder).href) as Promise<object>),
  )
  const owned = modules
    .flatMap((module) => Object.values(module))
    .filter((value) => is(value, SQLiteTable))
    .filter((table) => "accountId" in getTableColumns(table))
    .map((table) => getTableName(table))
  expect([...ACCOUNT_TABLES, ...NOT_OWNED].toSorted()).toEqual(owned.toSorted())
})

test("usage is summed by UTC day, month and year, each with the preceding span", () => {
  const at = (day: string, count: number) => ({ day, count, status: "valid" as const, cached: false })
  const report = reportUsage(
    [
      at("2026-03-01", 3),
      { ...at("2026-03-01", 1), status: "invalid", cached: true },
      at("2026-02-28", 2),
      at("2026-02-01", 6),
      at("2025-12-31", 40),
      at("2026-01-15", 8),
    ],
    { now: Date.UTC(2026, 2, 1, 0, 30), days: 30 },
  )
  expect(report.today).toEqual({ verifications: 4, previous: 2, deltaPercent: 100 })
  expect(report.thisMonth).toEqual({ verifications: 4, previous: 8, deltaPercent: -50 })
  expect(report.thisYear).toEqual({ verifications: 20, previous: 40, deltaPercent: -50 })
  expect(report.histogram).toHaveLength(30)
  expect(report.histogram.at(-1)).toEqual({
    ...{ date: "2026-03-01", verifications: 4, cached: 1 },
    byStatus: { valid: 3, invalid: 1 },
  })
  expect(report.histogram[0]).toEqual({ date: "2026-01-31", verifications: 0, cached: 0, byStatus: {} })
})

test("growth from zero has no percentage", () => {
  expect(reportUsage([], { now: 0, days: 30 }).today).toEqual({ verifications: 0, previous: 0, deltaPercent: null })
})

test("both limit tables match the API specification", () => {
  expect(LIMIT_TABLES.tiers.free).toEqual({ perMonth: 100, perMinute: 10 })
  expect(LIMIT_TABLES.tiers.enterprise).toEqual({ perMonth: null, perMinute: 500 })
  expect(LIMIT_TABLES.plans.free).toEqual({ perMonth: 10_000, perMinute: 200 })
  expect(LIMIT_TABLES.plans.pro).toEqual({ perMonth: 500_000, perMinute: 2_000 })
  expect(allowsTier("pro", "starter") && allowsTier("free", "free") && !allowsTier("free", "pro")).toBe(true)
})

test("numbers of the operator replace those of a tier, and the others stay", () => {
  const { table, tiers } = limitsOf("tiers", { free: { perMonth: 500 }, enterprise: { perMinute: null } })
  expect([table.free, table.enterprise]).toEqual([
    { perMonth: 500, perMinute: 10 },
    { perMonth: null, perMinute: null },
  ])
  expect([table.pro, tiers]).toEqual([LIMIT_TABLES.tiers.pro, LIMIT_TIERS.tiers])
  expect(limitsOf("plans")).toEqual({ table: LIMIT_TABLES.plans, tiers: LIMIT_TIERS.plans })
})

test("the operator's tier has no limits in any variant, and no list shows it", () => {
  for (const variant of ["tiers", "plans"] as const) {
    const { table, tiers } = limitsOf(variant)
    expect(table.unlimited).toEqual({ perMonth: null, perMinute: null })
    expect(tiers).not.toContain("unlimited")
  }
  expect(allowsTier("unlimited", "enterprise") && !allowsTier("enterprise", "unlimited")).toBe(true)
})

describe("the variant of plans", () => {
  const plans = { table: LIMIT_TABLES.plans, tiers: LIMIT_TIERS.plans }
  const tiers = { table: LIMIT_TABLES.tiers, tiers: LIMIT_TIERS.tiers }

  test("has exactly its own tiers, and a starter key counts as Free there", () => {
    expect(plans.tiers).toEqual(["free", "pro", "enterprise"])
    expect(TIERS.map((tier) => tierIn(plans, tier))).toEqual(["free", "free", "pro", "enterprise", "unlimited"])
    expect(TIERS.map((tier) => tierIn(tiers, tier))).toEqual([...TIERS])
  })

  test.each([
    [plans, "free", ["10,000 credits a month", "200 requests a minute"]],
    [plans, "pro", ["500,000 credits a month", "2,000 requests a minute", "priority in the queue of lists"]],
    [plans, "enterprise", ["unlimited credits a month", "unlimited requests a minute"]],
    [tiers, "starter", ["1,000 credits a month", "30 requests a minute"]],
  ] as const)("says what a plan adds to the one before it", (limits, tier, adds) => {
    expect(advantagesOf(limits, tier)).toEqual(adds)
  })
})

test.each([
  [79, 100, []],
  [80, 100, [80]],
  [100, 100, [80, 100]],
  [500, null, []],
])("%s of %s credits reach %j percent", (used, limit, expected) => {
  expect(reachedPercents({ used, limit })).toEqual(expected)
})

test.each([
  ["2026-11-30T23:59:59.500Z", "2026-11", 1],
  ["2026-12-31T00:00:00.000Z", "2026-12", 86_400],
])("at %s the period is %s and ends in %i s", (at, period, seconds) => {
  expect([periodOf(Date.parse(at)), secondsToNextPeriod(Date.parse(at))]).toEqual([period, seconds])
})

const COUNTS = [
  { day: "2026-11-21", name: "verified:valid", count: 5 },
  { day: "2026-11-20", name: "verified:valid", count: 2 },
  { day: "2026-11-20", name: "verified:unknown", count: 1 },
  { day: "2026-11-20", name: "verified:nonsense", count: 9 },
  { day: "2026-11-20", name: "facts", count: 4 },
  { day: "2026-11-20", name: "cache:edge:hit", count: 2 },
  { day: "2026-11-21", name: "cache:edge:miss", count: 1 },
]

test("counts of one kind are summed by status and day", () => {
  expect(sumActivity(COUNTS, ["verified"])).toEqual({
    total: 8,
    byStatus: { valid: 7, invalid: 0, accept_all: 0, unknown: 1, invalid_syntax: 0 },
    days: [
      { date: "2026-11-20", count: 3 },
      { date: "2026-11-21", count: 5 },
    ],
  })
})

test("the hit rate is the share of all lookups, and null without any", () => {
  expect(sumHits(COUNTS, "edge")).toEqual({ hits: 2, misses: 1, rate: 0.6667 })
  expect(sumHits(COUNTS, "store")).toEqual({ hits: 0, misses: 0, rate: null })
})

const answered = (code: number, text: string, address = "ann@example.org") =>
  verificationOf(address, { domain: domainFacts(), mailbox: mailbox(rcpt(code, text), rcpt(code, text)) })
const VALID_OR_NOT = [answered(250, "Ok"), answered(550, "5.1.1 no such user")]

test("a verified result costs one credit; cached and unknown results and malformed addresses are free", () => {
  const free = [
    ...VALID_OR_NOT.map((one) => ({ ...one, cached: true })),
    answered(450, "4.2.0 greylisted"),
    verificationOf("no address", {}),
  ]
  expect(free.map(({ verdict }) => verdict.status)).toEqual(["accept_all", "invalid", "unknown", "invalid_syntax"])
  expect(creditsFor([...VALID_OR_NOT, ...free])).toBe(2)
  for (const one of VALID_OR_NOT) expect(creditsFor([one])).toBe(1)
})
