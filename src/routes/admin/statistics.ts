import { z } from "@hono/zod-openapi"
import { RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import { STATUSES } from "../../../schema/vocabulary.ts"
import {
  type Activity,
  type HitRate,
  sumActivity,
  sumByStatus,
  sumCached,
  sumHits,
} from "../../domain/accounts/usage.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, wholeNumberOr } from "../../http/fields.ts"
import { findAccuracy, readBounces } from "../../services/suppression/feedback.ts"
import { AccuracyStats, BounceStats, presentAccuracy, presentBounces } from "../suppression/present-feedback.ts"

const endpoint = endpointsOf("statistics")

export const ByStatus = z.record(z.enum(STATUSES), z.int()).openapi({ example: { valid: 812, invalid: 96 } })
const scope = z.enum(["account", "service"]).openapi({
  description: "The numbers of your account, or with the admin secret of the whole service",
})
const days = wholeNumberOr(30, { min: 1, max: 365, description: "Number of days, up to today" })
const query = z.object({ days })

const Stats = component("Stats", {
  scope,
  days: z.int().openapi({ example: 30 }),
  verifications: z.int().openapi({ example: 908 }),
  by_status: ByStatus,
  daily: arrayOf({ date: z.string().openapi({ example: "2026-11-21" }), verifications: z.int() }),
})

const stats = endpoint("key-or-admin", "GET /stats", {
  operationId: "stats",
  summary: "Get verifications by day",
  description:
    "Counts verifications by status and day: those of your account, or with the admin secret of the whole service. Counts new and cached results alike: each answer once.",
  query,
  answer: Stats,
  async handle(c) {
    const { counters, history } = c.var.ctx.store
    const { caller } = c.var
    const wanted = c.req.valid("query").days
    const now = c.var.ctx.clock.now()
    const since = dayOf(now - (wanted - 1) * DAY_MS)
    if (caller.kind === "member") {
      const activity = sumByStatus(await history.countsSince(caller.accountId, since))
      return presentStats("account", wanted, activity)
    }
    return presentStats("service", wanted, sumActivity(await counters.since(since, now), ["verified", "stored"]))
  },
})

function presentStats(scope: "account" | "service", wanted: number, activity: Activity): z.infer<typeof Stats> {
  return {
    scope,
    days: wanted,
    verifications: activity.total,
    by_status: activity.byStatus,
    daily: activity.days.map(({ date, count }) => ({ date, verifications: count })),
  }
}

const domains = endpoint("key-or-admin", "GET /stats/domains", {
  operationId: "domainStats",
  summary: "List the most verified domains",
  description:
    "Returns the domains that your account verified most. With the admin secret, those with the most stored results.",
  query: z.object({ limit: wholeNumberOr(20, { min: 1, max: 100, description: "Maximum number of domains" }) }),
  answer: z.object({
    scope,
    domains: arrayOf({ domain: z.string().openapi({ example: "mailbox.test" }), count: z.int() }),
  }),
  async handle(c) {
    const { counters, history } = c.var.ctx.store
    const { caller } = c.var
    const { limit } = c.req.valid("query")
    if (caller.kind !== "member") return { scope: "service" as const, domains: await counters.topDomains(limit) }
    const top = await history.topDomains(caller.accountId, { since: c.var.ctx.clock.now() - 90 * DAY_MS, limit })
    return { scope: "account" as const, domains: top }
  },
})

const store = endpoint("key-or-admin", "GET /stats/store", {
  operationId: "storeStats",
  summary: "Get the amount of stored data",
  description: "Counts the stored results and rows of your account, or with the admin secret of the whole service.",
  answer: z.object({
    scope,
    results: z.object({ total: z.int(), by_status: ByStatus }).openapi({
      description: `Your account's verifications of the last ${RETENTION_DAYS} days; the service's stored results`,
    }),
    rows: z.record(z.string(), z.int()).openapi({
      description: "Rows of the large tables; an account's are counted up to 1,000,000",
      example: { domains: 120, verifications: 4_800 },
    }),
  }),
  async handle(c) {
    const { counters, history } = c.var.ctx.store
    const { caller } = c.var
    if (caller.kind === "member") {
      const since = dayOf(c.var.ctx.clock.now() - (RETENTION_DAYS - 1) * DAY_MS)
      const [counts, rows] = await Promise.all([
        history.countsSince(caller.accountId, since),
        counters.rowsOf(caller.accountId),
      ])
      const { total, byStatus } = sumByStatus(counts)
      const results = { total, by_status: byStatus }
      return { scope: "account" as const, results, rows: Object.fromEntries(rows) }
    }
    const [results, rows] = await Promise.all([counters.results(), counters.rows()])
    const answer = { results: presentResults(results), rows: Object.fromEntries(rows) }
    return { scope: "service" as const, ...answer }
  },
})

/** Counts of stored results as a total and by status. */
export function presentResults(results: readonly { status: (typeof STATUSES)[number]; count: number }[]) {
  const of = (status: (typeof STATUSES)[number]) => results.find((one) => one.status === status)?.count ?? 0
  const by_status = Object.fromEntries(STATUSES.map((status) => [status, of(status)])) as Record<
    (typeof STATUSES)[number],
    number
  >
  return { total: results.reduce((total, { count }) => total + count, 0), by_status }
}

const Hits = z.object({
  hits: z.int(),
  misses: z.int(),
  hit_rate: z.number().nullable().openapi({ description: "0 to 1; null without lookups", example: 0.87 }),
})
const Places = z.object({
  edge: Hits.nullable().openapi({
    description: "The edge cache, which /validate/fast reads first. Not counted by account, so null with a key",
  }),
  store: Hits.openapi({ description: "Fresh results in the database; with a key, of your account's verifications" }),
})

const presentHits = ({ hits, misses, rate }: HitRate): z.infer<typeof Hits> => ({ hits, misses, hit_rate: rate })

const cache = endpoint("key-or-admin", "GET /cache/stats", {
  operationId: "cacheStats",
  summary: "Get the share of stored results",
  description:
    "Says how many of your verifications a stored result answered, which is free. With the admin secret, it covers all lookups. Counts arrive within seconds.",
  query,
  answer: z.object({ scope, days: z.int(), today: Places, period: Places }),
  async handle(c) {
    const { counters, history } = c.var.ctx.store
    const { caller } = c.var
    const { days: wanted } = c.req.valid("query")
    const now = c.var.ctx.clock.now()
    const [today, since] = [dayOf(now), dayOf(now - (wanted - 1) * DAY_MS)]
    if (caller.kind === "member") {
      const counts = await history.countsSince(caller.accountId, since)
      const own = (some: typeof counts) => ({ edge: null, store: presentHits(sumCached(some)) })
      const answer = { today: own(counts.filter(({ day }) => day === today)), period: own(counts) }
      return { scope: "account" as const, days: wanted, ...answer }
    }
    const counts = await counters.since(since, now)
    const all = (some: typeof counts) => ({
      edge: presentHits(sumHits(some, "edge")),
      store: presentHits(sumHits(some, "store")),
    })
    const answer = { today: all(counts.filter(({ day }) => day === today)), period: all(counts) }
    return { scope: "service" as const, days: wanted, ...answer }
  },
})

const accuracy = endpoint("admin", "GET /admin/accuracy", {
  operationId: "serviceAccuracy",
  summary: "Get the accuracy of the service",
  description:
    "Says how often the mail of all accounts confirmed the verdicts, and how much of it bounced. The same numbers as /feedback/accuracy and /bounce/stats, summed over all accounts. A verdict counts once for each account that reported on it.",
  answer: z.object({ accuracy: AccuracyStats, bounces: BounceStats }),
  async handle(c) {
    const [found, { counts, daily, domains: top }] = await Promise.all([
      findAccuracy(c.var.ctx, null),
      readBounces(c.var.ctx, null),
    ])
    return {
      accuracy: presentAccuracy(found),
      bounces: presentBounces(counts, daily, top),
    }
  },
})

export const statisticsEndpoints: Endpoint[] = [stats, domains, store, cache, accuracy]
