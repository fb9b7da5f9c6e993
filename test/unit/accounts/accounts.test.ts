import { readdirSync } from "node:fs"
import { getTableColumns, getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { expect, test } from "vitest"
import { ACCOUNT_TABLES } from "../../../schema/tables/account-tables.ts"
import { allowsTier, LIMIT_TABLES, periodOf, secondsToNextPeriod } from "../../../src/domain/accounts/tiers.ts"
import { reportUsage } from "../../../src/domain/accounts/usage.ts"

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
  const at = (day: string, count: number) => ({ day, count, status: "valid" as const })
  const report = reportUsage(
    [at("2026-03-01", 4), at("2026-02-28", 2), at("2026-02-01", 6), at("2025-12-31", 40), at("2026-01-15", 8)],
    Date.UTC(2026, 2, 1, 0, 30),
  )
  expect(report.today).toEqual({ verifications: 4, previous: 2, deltaPercent: 100 })
  expect(report.thisMonth).toEqual({ verifications: 4, previous: 8, deltaPercent: -50 })
  expect(report.thisYear).toEqual({ verifications: 20, previous: 40, deltaPercent: -50 })
  expect(report.histogram).toHaveLength(30)
  expect(report.histogram.at(-1)).toEqual({ date: "2026-03-01", verifications: 4 })
  expect(report.histogram[0]).toEqual({ date: "2026-01-31", verifications: 0 })
})

test("growth from zero has no percentage", () => {
  expect(reportUsage([], 0).today).toEqual({ verifications: 0, previous: 0, deltaPercent: null })
})

test("both limit tables match the API specification", () => {
  expect(LIMIT_TABLES.tiers.free).toEqual({ perMonth: 100, perMinute: 10 })
  expect(LIMIT_TABLES.tiers.enterprise).toEqual({ perMonth: null, perMinute: 500 })
  expect(LIMIT_TABLES.plans.free).toEqual({ perMonth: 10_000, perMinute: 200 })
  expect(LIMIT_TABLES.plans.pro).toEqual({ perMonth: 500_000, perMinute: 2_000 })
  expect(allowsTier("pro", "starter") && allowsTier("free", "free") && !allowsTier("free", "pro")).toBe(true)
})

test.each([
  ["2026-11-30T23:59:59.500Z", "2026-11", 1],
  ["2026-12-31T00:00:00.000Z", "2026-12", 86_400],
])("at %s the period is %s and ends in %i s", (at, period, seconds) => {
  expect([periodOf(Date.parse(at)), secondsToNextPeriod(Date.parse(at))]).toEqual([period, seconds])
})
