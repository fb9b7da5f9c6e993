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

/** Numbers about the whole service, kept on write: reading them costs the same however much is stored. */
export interface CounterStore {
  /** Stored results by status: of a domain, or of all. */
  results(domain?: string): Promise<{ status: Status; count: number }[]>
  /** Domains with the most stored results: among those that are foremost by any status. */
  topDomains(limit: number): Promise<{ domain: string; count: number }[]>
  /** Rows in the large tables. */
  rows(): Promise<Map<string, number>>
  /** What was done, from a UTC day on. */
  since(day: string): Promise<DailyCount[]>
  add(counts: readonly DailyCount[]): Promise<void>
}

/** Domains looked at for each status; a domain foremost in sum and in none of these would be missed. */
const FOREMOST = 500

export function createCounterStore(database: Database): CounterStore {
  const { domain: domainColumn, status, count } = resultCounts
  return {
    results: (domain = "") =>
      database.select({ status, count }).from(resultCounts).where(eq(domainColumn, domain)).orderBy(asc(status)),

    async topDomains(limit) {
      const foremost = STATUSES.map((one) =>
        database
          .select({ domain: domainColumn })
          .from(resultCounts)
          .where(and(eq(status, one), ne(domainColumn, "")))
          .orderBy(desc(count))
          .limit(FOREMOST),
      )
      const [first, ...rest] = foremost
      const candidates = (await database.batch([first!, ...rest])).flat().map(({ domain }) => domain)
      return database.all(sql`SELECT domain, sum(count) AS count FROM result_counts
        WHERE domain IN (SELECT value FROM json_each(${JSON.stringify([...new Set(candidates)])}))
        GROUP BY domain ORDER BY 2 DESC, 1 LIMIT ${limit}`)
    },

    async rows() {
      return new Map((await database.select().from(rowCounts)).map(({ name, count: rows }) => [name, rows]))
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
