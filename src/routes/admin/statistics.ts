import { createRoute, z } from "@hono/zod-openapi"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { CACHE_PLACES } from "../../adapters/store/counted.ts"
import { type Activity, type HitRate, sumActivity, sumByStatus, sumHits } from "../../domain/accounts/activity.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumberOr } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"

export const ByStatus = z.record(z.enum(STATUSES), z.int()).openapi({ example: { valid: 812, invalid: 96 } })
const scope = z
  .enum(["account", "service"])
  .openapi({ description: "Whose numbers: your account's, or with the admin secret everybody's" })
const days = wholeNumberOr(30, { min: 1, max: 365, description: "How far back to look" })
const query = z.object({ days })

const Stats = z
  .object({
    scope,
    days: z.int().openapi({ example: 30 }),
    verifications: z.int().openapi({ example: 908 }),
    by_status: ByStatus,
    daily: z.array(z.object({ date: z.string().openapi({ example: "2026-11-21" }), verifications: z.int() })),
  })
  .openapi("Stats")

const stats = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/stats",
    operationId: "stats",
    tags: ["admin"],
    summary: "Verifications by status and day: your account's, or with the admin secret the whole service's",
    description:
      "An account's numbers count every answer, cached ones too; the service's count results that were found out.",
    request: { query },
    responses: { 200: ok(Stats) },
  }),
  async (c) => {
    const { counters, history, clock } = c.var.deps
    const { caller } = c.var
    const wanted = c.req.valid("query").days
    const since = dayOf(clock.now() - (wanted - 1) * DAY_MS)
    if (caller.kind === "member") {
      const activity = sumByStatus(await history.countsSince(caller.accountId, since))
      return c.json(presentStats("account", wanted, activity), 200)
    }
    return c.json(presentStats("service", wanted, sumActivity(await counters.since(since), "verified")), 200)
  },
)

function presentStats(whose: "account" | "service", wanted: number, activity: Activity): z.infer<typeof Stats> {
  return {
    scope: whose,
    days: wanted,
    verifications: activity.total,
    by_status: activity.byStatus,
    daily: activity.days.map(({ date, count }) => ({ date, verifications: count })),
  }
}

const domains = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/stats/domains",
    operationId: "domainStats",
    tags: ["admin"],
    summary: "The domains with the most verifications, or with the admin secret the most stored results",
    request: {
      query: z.object({ limit: wholeNumberOr(20, { min: 1, max: 100, description: "Domains to show" }) }),
    },
    responses: {
      200: ok(
        z.object({
          scope,
          domains: z.array(z.object({ domain: z.string().openapi({ example: "mailbox.test" }), count: z.int() })),
        }),
      ),
    },
  }),
  async (c) => {
    const { counters, history, clock } = c.var.deps
    const { caller } = c.var
    const { limit } = c.req.valid("query")
    if (caller.kind !== "member")
      return c.json({ scope: "service" as const, domains: await counters.topDomains(limit) }, 200)
    const top = await history.topDomains(caller.accountId, { since: clock.now() - 90 * DAY_MS, limit })
    return c.json({ scope: "account" as const, domains: top }, 200)
  },
)

const store = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/stats/store",
    operationId: "storeStats",
    tags: ["admin"],
    summary: "How much is stored: results by status, and rows of the large tables",
    responses: {
      200: ok(
        z.object({
          results: z.object({ total: z.int(), by_status: ByStatus }),
          rows: z.record(z.string(), z.int()).openapi({ example: { domains: 120, verifications: 4_800 } }),
        }),
      ),
    },
  }),
  async (c) => {
    const { counters } = c.var.deps
    const [results, rows] = await Promise.all([counters.results(), counters.rows()])
    return c.json({ results: presentResults(results), rows: Object.fromEntries(rows) }, 200)
  },
)

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
  hit_rate: z.number().nullable().openapi({ description: "0 to 1; null without a look-up", example: 0.87 }),
})
const Places = z.object({
  edge: Hits.openapi({ description: "The edge's own cache, which /validate/fast reads first" }),
  store: Hits.openapi({ description: "Fresh results in the database" }),
})

const presentHits = ({ hits, misses, rate }: HitRate): z.infer<typeof Hits> => ({ hits, misses, hit_rate: rate })

const cache = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/cache/stats",
    operationId: "cacheStats",
    tags: ["admin"],
    summary: "How often a result was there already; counts arrive within seconds",
    request: { query },
    responses: { 200: ok(z.object({ days: z.int(), today: Places, period: Places })) },
  }),
  async (c) => {
    const { counters, clock } = c.var.deps
    const now = clock.now()
    const wanted = c.req.valid("query").days
    const counts = await counters.since(dayOf(now - (wanted - 1) * DAY_MS))
    const places = (own: typeof counts) =>
      Object.fromEntries(CACHE_PLACES.map((place) => [place, presentHits(sumHits(own, place))])) as z.infer<
        typeof Places
      >
    const today = counts.filter(({ day }) => day === dayOf(now))
    return c.json({ days: wanted, today: places(today), period: places(counts) }, 200)
  },
)

export const statisticsEndpoints: Endpoint[] = [stats, domains, store, cache]
