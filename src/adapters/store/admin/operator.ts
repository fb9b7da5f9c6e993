import { and, asc, eq, sql } from "drizzle-orm"
import { accounts, apiKeys } from "../../../../schema/tables/accounts.ts"
import { results } from "../../../../schema/tables/verification.ts"
import { type FeedbackKind, type Status, TIERS, type Tier } from "../../../../schema/vocabulary.ts"
import { TIER_RANK } from "../accounts/ledger-sql.ts"
import type { Database } from "../database.ts"
import { rangesOf } from "../in-batches.ts"

export type Account = Pick<typeof accounts.$inferSelect, keyof typeof ACCOUNT>

export type FoundResult = Pick<typeof results.$inferSelect, keyof typeof FOUND>

interface Search {
  readonly domain?: string | undefined
  readonly status?: Status | undefined
  /** Only addresses after this one. */
  readonly after?: string | undefined
  readonly limit: number
  readonly offset: number
}

const SCANNED_AT_ONCE = 20_000

const ACCOUNT = {
  accountId: accounts.accountId,
  email: accounts.email,
  tier: accounts.tier,
  grantedTier: accounts.grantedTier,
  createdAt: accounts.createdAt,
}

const FOUND = {
  address: results.address,
  domain: results.domain,
  status: results.status,
  subStatus: results.subStatus,
  score: results.score,
  verifiedAt: results.verifiedAt,
  expiresAt: results.expiresAt,
}

/** The operator's queries across all accounts. */
export function createOperatorStore(database: Database) {
  return {
    async account(accountId: string): Promise<Account | null> {
      return (await database.select(ACCOUNT).from(accounts).where(eq(accounts.accountId, accountId)))[0] ?? null
    },

    async accountOf(email: string): Promise<Account | null> {
      return (await database.select(ACCOUNT).from(accounts).where(eq(accounts.email, email)))[0] ?? null
    },

    /** Stores the operator's plan. It takes effect by `setTier`. */
    async grant(accountId: string, grantedTier: Tier | null) {
      await database.update(accounts).set({ grantedTier }).where(eq(accounts.accountId, accountId))
    },

    /** Sets an account's plan in force and the tier of its keys, except keys below both plans. @returns active keys */
    async setTier(
      accountId: string,
      tier: Tier,
      { preservesBetterKeys }: { readonly preservesBetterKeys: boolean } = { preservesBetterKeys: false },
    ): Promise<number> {
      const before = sql`(SELECT ${TIER_RANK} FROM accounts WHERE account_id = ${accountId})`
      const rank = TIERS.indexOf(tier)
      const best = preservesBetterKeys ? sql`max(${before}, ${rank})` : sql`${TIERS.length}`
      const isOfPlan = sql`${TIER_RANK} BETWEEN min(${before}, ${rank}) AND ${best}`
      // Revoked keys change too: the usage of a revoked key with a better tier would not count for the others.
      const keys = and(eq(apiKeys.accountId, accountId), isOfPlan)
      const [changed] = await database.batch([
        database.update(apiKeys).set({ tier }).where(keys).returning({ isActive: apiKeys.isActive }),
        database.update(accounts).set({ tier }).where(eq(accounts.accountId, accountId)),
      ])
      return changed.filter(({ isActive }) => isActive).length
    },

    /** @param key cache key of the address */
    async result(key: string): Promise<FoundResult | null> {
      return (await database.select(FOUND).from(results).where(eq(results.address, key)))[0] ?? null
    },

    /** Ordered by address, for paging. */
    async search({ domain, status, after = "", limit, offset }: Search): Promise<FoundResult[]> {
      const filter = sql`address > ${after} AND ${domain === undefined ? sql`true` : eq(results.domain, domain)}`
      const found = () => database.select(FOUND).from(results).orderBy(asc(results.address))
      if (status === undefined) return found().where(filter).limit(limit).offset(offset)
      // No index has the status, so a rare status is searched in batches.
      const page: FoundResult[] = []
      let left = offset
      for await (const rows of rangesOf(database, { table: "results", where: filter, by: "address" })) {
        const some = await found().where(sql`${rows} AND status = ${status}`)
        page.push(...some.slice(left))
        left = Math.max(0, left - some.length)
        if (page.length >= limit) break
      }
      return page.slice(0, limit)
    },

    /** Expired results, the oldest first. */
    async stale({
      now,
      status,
      limit,
    }: {
      now: number
      status?: Status | undefined
      limit: number
    }): Promise<string[]> {
      const ended = sql`expires_at <= ${now} AND ${status ? sql`status = ${status}` : sql`true`}`
      const found: string[] = []
      // When few results have expired, many are scanned: in batches within the database's time limit of three seconds.
      for (let last = { verifiedAt: 0, rowid: 0 }; ; ) {
        const next = sql`FROM results WHERE (verified_at, rowid) > (${last.verifiedAt}, ${last.rowid})
          ORDER BY verified_at, rowid`
        const [rows, ends] = await database.batch([
          database.all<{ address: string }>(sql`SELECT address FROM
            (SELECT address, status, expires_at, verified_at ${next} LIMIT ${SCANNED_AT_ONCE})
            WHERE ${ended} ORDER BY verified_at LIMIT ${limit - found.length}`),
          database.all<typeof last>(
            sql`SELECT verified_at AS "verifiedAt", rowid ${next} LIMIT 1 OFFSET ${SCANNED_AT_ONCE - 1}`,
          ),
        ])
        found.push(...rows.map(({ address }) => address))
        const end = ends[0]
        if (!end || found.length === limit) return found
        last = end
      }
    },

    /** Feedback counts, from counters maintained on write. */
    feedbackCounts: (): Promise<{ kind: FeedbackKind; count: number }[]> =>
      database.all(sql`SELECT kind, sum(count) AS count FROM feedback_counts GROUP BY kind ORDER BY kind`),

    /** Domains with results at and below a name. */
    async domainsBelow(domain: string, limit: number): Promise<string[]> {
      const rows = await database.all<{ domain: string }>(sql`SELECT DISTINCT domain FROM result_counts
        WHERE domain = ${domain} OR domain LIKE '%.' || ${domain} LIMIT ${limit}`)
      return rows.map((row) => row.domain)
    },

    /** Addresses with results at the given domains. */
    async addressesOf(domains: readonly string[], limit: number): Promise<string[]> {
      const rows = await database.all<{
        address: string
      }>(sql`SELECT r.address FROM json_each(${JSON.stringify(domains)}) AS j
        CROSS JOIN results AS r ON r.domain = j.value LIMIT ${limit}`)
      return rows.map(({ address }) => address)
    },
  }
}
