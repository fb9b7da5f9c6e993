import { and, asc, desc, eq, gte, ne, sql } from "drizzle-orm"
import { resultCounts, rowCounts, serviceCounts } from "../../../schema/tables/counters.ts"
import { STATUSES, type Status } from "../../../schema/vocabulary.ts"
import type { Database } from "./database.ts"

interface DailyCount {
  /** UTC day. */
  readonly day: string
  readonly name: string
  readonly count: number
}

/** Counters of the whole service, maintained on write, so that a read costs the same at any size. */
export interface CounterStore {
  /** Number of stored results by status, for a domain or for all. */
  results(domain?: string): Promise<{ status: Status; count: number }[]>
  /** Domains with the most stored results, among the top domains of each status. */
  topDomains(limit: number): Promise<{ domain: string; count: number }[]>
  /** Number of rows in the large tables. */
  rows(): Promise<Map<string, number>>
  /** Number of an account's rows in the large tables, each counted up to a million. */
  rowsOf(accountId: string): Promise<Map<string, number>>
  /** Daily counts from a UTC day on. */
  since(day: string): Promise<DailyCount[]>
  add(counts: readonly DailyCount[]): Promise<void>
}

/** Candidate domains for each status. A domain outside all candidate lists is missed. */
const CANDIDATES = 500

/** Tables with a covering index on the account. */
const ACCOUNT_TABLES = ["verified_addresses", "verifications", "jobs", "suppressions", "feedback"]
/** Counting a million index entries takes up to a tenth of a second. */
const MAX_COUNT = 1_000_000

export function createCounterStore(database: Database): CounterStore {
  const { domain: domainColumn, status, count } = resultCounts
  return {
    results: (domain = "") =>
      database.select({ status, count }).from(resultCounts).where(eq(domainColumn, domain)).orderBy(asc(status)),

    async topDomains(limit) {
      const candidateQueries = STATUSES.map((one) =>
        database
          .select({ domain: domainColumn })
          .from(resultCounts)
          .where(and(eq(status, one), ne(domainColumn, "")))
          .orderBy(desc(count))
          .limit(CANDIDATES),
      )
      const [first, ...rest] = candidateQueries
      const candidates = (await database.batch([first!, ...rest])).flat().map(({ domain }) => domain)
      return database.all(sql`SELECT domain, sum(count) AS count FROM result_counts
        WHERE domain IN (SELECT value FROM json_each(${JSON.stringify([...new Set(candidates)])}))
        GROUP BY domain ORDER BY 2 DESC, 1 LIMIT ${limit}`)
    },

    async rows() {
      return new Map((await database.select().from(rowCounts)).map(({ name, count: rows }) => [name, rows]))
    },

    async rowsOf(accountId) {
      const counts = ACCOUNT_TABLES.map((table) => {
        const own = sql`SELECT 1 FROM ${sql.identifier(table)} WHERE account_id = ${accountId} LIMIT ${MAX_COUNT}`
        return sql`SELECT ${table} AS name, (SELECT count(*) FROM (${own})) AS count`
      })
      const rows = await database.all<{ name: string; count: number }>(sql.join(counts, sql` UNION ALL `))
      return new Map(rows.map(({ name, count: own }) => [name, own]))
    },

    since: (day) =>
      database.select().from(serviceCounts).where(gte(serviceCounts.day, day)).orderBy(asc(serviceCounts.day)),

    async add(counts) {
      if (counts.length === 0) return
      const rows = JSON.stringify(counts.map(({ day, name, count: by }) => [day, name, by]))
      await database.run(sql`INSERT INTO service_counts (day, name, count)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows}) WHERE true
        ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count`)
    },
  }
}
