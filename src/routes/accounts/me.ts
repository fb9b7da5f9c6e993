import { z } from "@hono/zod-openapi"
import { STATUSES, TIERS } from "../../../schema/vocabulary.ts"
import type { HistoryRow } from "../../adapters/store/accounts/history.ts"
import { availableOf, periodOf, secondsToNextPeriod } from "../../domain/accounts/tiers.ts"
import { reportStart, reportUsage, type UsageSpan } from "../../domain/accounts/usage.ts"
import { historyAddress } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { pageOf } from "../../domain/page.ts"
import { DAY_MS, dayOf, iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import {
  arrayOf,
  component,
  email,
  numberCursor,
  rounded,
  share,
  wholeNumber,
  wholeNumberOr,
} from "../../http/fields.ts"
import { recallLeases } from "../../services/accounts/charge.ts"
import { Checks } from "../verification/checks.ts"

const endpoint = endpointsOf("account")

const STATS_DAYS = 90
const TOP_DOMAINS = 10

const Span = z.object({
  verifications: z.int(),
  previous: z.int().openapi({ description: "The same period before" }),
  delta_percent: z.number().nullable(),
})

const presentSpan = ({ verifications, previous, deltaPercent }: UsageSpan): z.infer<typeof Span> => ({
  verifications,
  previous,
  delta_percent: deltaPercent,
})

const UsageDay = component("UsageDay", {
  date: z.string().openapi({ example: "2026-11-21" }),
  verifications: z.int(),
  cached: z.int().openapi({ description: "Stored results, which cost no credit" }),
  by_status: z.partialRecord(z.enum(STATUSES), z.int()).openapi({ example: { valid: 3, invalid: 1 } }),
})

const usage = endpoint("key", "GET /me/usage", {
  operationId: "myUsage",
  summary: "Get the account's verifications",
  description:
    "Counts the verifications of today, this month and this year, and of each day by status. Verifications are not credits: `GET /usage` has those.",
  query: z.object({ days: wholeNumberOr(30, { min: 1, max: 365, description: "Days of the histogram" }) }),
  answer: z.object({
    today: Span,
    this_month: Span,
    this_year: Span,
    histogram: z.array(UsageDay),
  }),
  async handle(c) {
    const now = c.var.ctx.clock.now()
    const counts = await c.var.ctx.store.history.countsSince(member(c).accountId, reportStart(now))
    const { today, thisMonth, thisYear, histogram } = reportUsage(counts, { now, days: c.req.valid("query").days })
    return {
      today: presentSpan(today),
      this_month: presentSpan(thisMonth),
      this_year: presentSpan(thisYear),
      histogram: histogram.map(({ byStatus, ...day }) => ({ ...day, by_status: { ...byStatus } })),
    }
  },
})

const stats = endpoint("key", "GET /me/stats", {
  operationId: "myStats",
  summary: "Get the account's results",
  description:
    "Sums up the last 90 days: results by status, the average score and the sendable share. It also has the domains that were verified most.",
  answer: z.object({
    total: z.int(),
    cached: z.int(),
    by_status: z.record(z.enum(STATUSES), z.int()),
    average_score: z.number().min(0).max(100).nullable().openapi({ description: "Null without verifications" }),
    sendable: z.int().openapi({
      description: "Results with can_send; those of jobs count without suppressions, which may change later",
    }),
    sendable_share: share.nullable().openapi({ description: "Null without verifications" }),
    top_domains: arrayOf({ domain: z.string(), count: z.int() }).openapi({
      description: "Counted over /me/recent-verifications",
    }),
  }),
  async handle(c) {
    const { history } = c.var.ctx.store
    const since = c.var.ctx.clock.now() - STATS_DAYS * DAY_MS
    const { accountId } = member(c)
    const [counts, domains] = await Promise.all([
      history.countsSince(accountId, dayOf(since)),
      history.topDomains(accountId, { since, limit: TOP_DOMAINS }),
    ])
    const sum = (rows: typeof counts, what: "count" | "scores" | "sendable" = "count") =>
      rows.reduce((total, row) => total + row[what], 0)
    const total = sum(counts)
    const sendable = sum(counts, "sendable")
    const by_status = Object.fromEntries(
      STATUSES.map((status) => [status, sum(counts.filter((one) => one.status === status))]),
    )
    return {
      total,
      cached: sum(counts.filter(({ cached }) => cached)),
      by_status: by_status as Record<(typeof STATUSES)[number], number>,
      average_score: total === 0 ? null : Math.round((sum(counts, "scores") / total) * 10) / 10,
      sendable,
      sendable_share: total === 0 ? null : rounded(sendable / total),
      top_domains: domains.map(({ domain, count }) => ({ domain, count })),
    }
  },
})

const Recent = component("RecentVerification", {
  id: z.int(),
  email: z.string(),
  domain: z.string(),
  status: z.enum(STATUSES),
  score: z.int(),
  cached: z.boolean(),
  created_at: z.iso.datetime(),
})

const presentRecent = (row: HistoryRow): z.infer<typeof Recent> => ({
  id: row.verificationId,
  email: row.address,
  domain: row.domain,
  status: row.status,
  score: row.score,
  cached: row.cached,
  created_at: iso(row.createdAt),
})

const recent = endpoint("key", "GET /me/recent-verifications", {
  operationId: "myRecentVerifications",
  summary: "List recent verifications",
  description:
    "Returns the account's single verifications, newest first. `email` selects those of one address. Verifications of jobs, turbo and `/verify/quick` count only in `/me/usage` and `/me/stats`.",
  query: z.object({
    email: email().optional().openapi({ description: "Only the verifications of this address, in any case" }),
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Rows per page" }),
    offset: wholeNumberOr(0, { min: 0, max: 1_000_000, description: "Rows to skip" }),
    cursor: numberCursor(),
  }),
  answer: z.object({
    verifications: z.array(Recent),
    total: z.int().openapi({ description: "Rows on all pages, counted up to 1,000,000" }),
    limit: z.int(),
    offset: z.int(),
    next_cursor: z.int().nullable().openapi({ description: "Null on the last page" }),
  }),
  async handle(c) {
    const { email: only, limit, offset, cursor: before = Number.MAX_SAFE_INTEGER } = c.req.valid("query")
    const of = only === undefined ? null : historyAddress(parseAddress(only))
    const { history } = c.var.ctx.store
    const { accountId } = member(c)
    const [rows, total] = await Promise.all([
      history.recent(accountId, { limit: limit + 1, offset, before, of }),
      history.total(accountId, of),
    ])
    const { page, last } = pageOf(rows, limit)
    const next_cursor = last?.verificationId ?? null
    return { verifications: page.map(presentRecent), total, limit, offset, next_cursor }
  },
})

const one = endpoint("key", "GET /me/verification/{verification_id}", {
  operationId: "myVerification",
  summary: "Get a verification",
  description:
    "Returns one verification from the history, with all its checks. It reads what was stored then and costs nothing.",
  params: z.object({
    verification_id: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, description: "Its id" }).openapi({
      example: 42,
      format: "int64",
    }),
  }),
  answer: z.object({ id: z.int(), created_at: z.iso.datetime(), checks: Checks }),
  problems: [404],
  async handle(c) {
    const row = await c.var.ctx.store.history.find(member(c).accountId, c.req.valid("param").verification_id)
    if (!row) throw new AppError("not_found", "there is no such verification")
    const created_at = iso(row.createdAt)
    return { id: row.verificationId, created_at, checks: row.checks as z.infer<typeof Checks> }
  },
})

const credits = endpoint("key", "GET /usage", {
  operationId: "usage",
  summary: "Get the credits",
  description:
    "Returns the credits used and left in this month, bought credits, and the seconds until the reset. Free, and any key may call it.",
  answer: z.object({
    period: z.string().openapi({ example: "2026-11" }),
    tier: z.enum(TIERS),
    credits_used: z.int(),
    credits_limit: z.int().nullable(),
    credits_remaining: z.int().nullable().openapi({ description: "Of the period; null when unlimited" }),
    bought_credits_left: z.int().openapi({ description: "Used after the period's credits" }),
    credits_available: z.int().nullable().openapi({
      description: "Left of the period, and bought ones. Null when unlimited",
    }),
    resets_in_seconds: z.int(),
  }),
  async handle(c) {
    const { charges } = c.var.ctx.store
    const { subject, keyId, allowance, tier } = member(c)
    const now = c.var.ctx.clock.now()
    await recallLeases(c.var.ctx, [subject])
    const [used, bought] = await Promise.all([
      charges.countedFor({ subject, keyId, period: periodOf(now) }),
      charges.creditsOf(subject),
    ])
    const limit = allowance.perMonth
    return {
      period: periodOf(now),
      tier,
      credits_used: used,
      credits_limit: limit,
      credits_remaining: limit === null ? null : Math.max(0, limit - used),
      bought_credits_left: bought ?? 0,
      credits_available: availableOf({ limit, used, bought }),
      resets_in_seconds: secondsToNextPeriod(now),
    }
  },
})

export const meEndpoints: Endpoint[] = [usage, stats, recent, one, credits]
