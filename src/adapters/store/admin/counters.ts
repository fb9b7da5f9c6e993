import { and, asc, desc, eq, gte, ne, type SQL, sql } from "drizzle-orm"
import { requestCounts, resultCounts, rowCounts, serviceCounts } from "../../../../schema/tables/admin.ts"
import { STATUSES, type Status } from "../../../../schema/vocabulary.ts"
import { DAY_MS, dayOf } from "../../../domain/time.ts"
import type { Database } from "../database.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"

interface DailyCount {
  /** UTC day. */
  readonly day: string
  readonly name: string
  readonly count: number
}

/** Candidate domains for each status. A domain outside all candidate lists is missed. */
const CANDIDATES = 500

/** Tables with a covering index on the account. */
const ACCOUNT_TABLES = ["verified_addresses", "verifications", "jobs", "suppressions", "feedback"]
/** Counting a million index entries takes up to a tenth of a second. */
const MAX_COUNT = 1_000_000
const HISTORY = "verifications"
/** Past days that are summed up each night. Later changes, such as the end of an old job, no longer count. */
const SUMMED_DAYS = 8
/** Yesterday may still be incomplete in the stored sums, so it is added up live, as today is. */
const firstLiveDay = (now: number) => dayOf(now - DAY_MS)

/** Counters of the whole service, maintained on write, so that a read costs the same at any size. */
export function createCounterStore(database: Database) {
  const { domain: domainColumn, status, count } = resultCounts
  return {
    /** Number of stored results by status, for a domain or for all. */
    results: (domain: string = ""): Promise<{ status: Status; count: number }[]> =>
      database.select({ status, count }).from(resultCounts).where(eq(domainColumn, domain)).orderBy(asc(status)),

    /** Domains with the most stored results, among the top domains of each status. */
    async topDomains(limit: number): Promise<{ domain: string; count: number }[]> {
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
        WHERE domain IN ${valuesOf([...new Set(candidates)])}
        GROUP BY domain ORDER BY 2 DESC, 1 LIMIT ${limit}`)
    },

    /** Number of rows in the large tables. */
    async rows(): Promise<Map<string, number>> {
      const [counted, inserted] = await database.batch([
        database.select().from(rowCounts),
        database.all<{ seq: number }>(sql`SELECT seq FROM sqlite_sequence WHERE name = ${HISTORY}`),
      ])
      const rows = new Map(counted.map(({ name, count: stored }) => [name, stored]))
      return rows.set(HISTORY, (inserted[0]?.seq ?? 0) + (rows.get(HISTORY) ?? 0))
    },

    /** Number of an account's rows in the large tables, each counted up to a million. */
    async rowsOf(accountId: string): Promise<Map<string, number>> {
      const counts = ACCOUNT_TABLES.map((table) => {
        const own = sql`SELECT 1 FROM ${sql.identifier(table)} WHERE account_id = ${accountId} LIMIT ${MAX_COUNT}`
        return sql`SELECT ${table} AS name, (SELECT count(*) FROM (${own})) AS count`
      })
      const rows = await database.all<{ name: string; count: number }>(sql.join(counts, sql` UNION ALL `))
      return new Map(rows.map(({ name, count: own }) => [name, own]))
    },

    /** Daily counts from a UTC day on. @param now Unix ms */
    async since(day: string, now: number): Promise<DailyCount[]> {
      const live = firstLiveDay(now)
      const isSum = sql`(name GLOB 'verified:*' OR name GLOB 'stored:*')`
      const [counted, answers] = await database.batch([
        database
          .select()
          .from(serviceCounts)
          .where(and(gte(serviceCounts.day, day), sql`(day < ${live} OR NOT ${isSum})`))
          .orderBy(asc(serviceCounts.day)),
        database.all<DailyCount>(sumOfAnswers(sql`day >= max(${day}, ${live})`)),
      ])
      return [...counted, ...answers]
    },

    /** Stores the sums of all accounts' answers for past days, so that `since` need not add them up. @param now Unix ms */
    async sumPastDays(now: number) {
      const past = sql`day >= ${dayOf(now - SUMMED_DAYS * DAY_MS)} AND day < ${dayOf(now)}`
      await database.run(sql`INSERT INTO service_counts (day, name, count) ${sumOfAnswers(past)}
        ON CONFLICT (day, name) DO UPDATE SET count = excluded.count`)
    },

    async add(counts: readonly DailyCount[]) {
      if (counts.length === 0) return
      const rows = jsonRows(counts, "day", "name", "count")
      await database.run(sql`INSERT INTO service_counts (day, name, count)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows}) WHERE true
        ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count`)
    },
  }
}

/** Answers of all accounts by day, status, and whether they were stored results. */
function sumOfAnswers(days: SQL): SQL {
  return sql`SELECT day, CASE WHEN cached THEN 'stored:' ELSE 'verified:' END || status AS name, sum(count) AS count
    FROM daily_counts WHERE ${days} GROUP BY 1, 2`
}

/** Waiting work, for monitoring. */
export interface Backlog {
  /** Chunks of bulk jobs: ready, scheduled for later, queued, in progress. */
  readonly chunks: Readonly<Record<"due" | "scheduled" | "leased" | "running", number>>
  /** How long the oldest chunk has been due, ms. */
  readonly oldestChunkMs: number
  readonly verifications: number
  readonly webhooks: number
  readonly rechecks: number
}

type BacklogRow = Record<keyof Backlog["chunks"] | "oldest" | "verifications" | "webhooks" | "rechecks", number | null>

export function createMetricStore(database: Database) {
  return {
    async requestCounts(): Promise<Map<string, number>> {
      return new Map((await database.select().from(requestCounts)).map(({ name, count }) => [name, count]))
    },

    async add(counts: ReadonlyMap<string, number>) {
      if (counts.size === 0) return
      await database.run(sql`INSERT INTO request_counts (name, count)
        SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify([...counts])}) WHERE true
        ON CONFLICT (name) DO UPDATE SET count = count + excluded.count`)
    },

    /** Reads only open work, so the cost does not depend on the stored data. @param now Unix milliseconds */
    async backlog(now: number): Promise<Backlog> {
      const [row] = await database.all<BacklogRow>(sql`SELECT
        (SELECT count(*) FROM job_chunks WHERE state = 'waiting' AND due_at <= ${now}) AS due,
        (SELECT count(*) FROM job_chunks WHERE state = 'waiting' AND due_at > ${now}) AS scheduled,
        (SELECT count(*) FROM job_chunks WHERE state = 'leased') AS leased,
        (SELECT count(*) FROM job_chunks WHERE state = 'running') AS running,
        (SELECT min(due_at) FROM job_chunks WHERE state = 'waiting') AS oldest,
        (SELECT count(*) FROM pending_verifications WHERE state IN ('queued', 'running')) AS verifications,
        (SELECT count(*) FROM outbound_events WHERE state = 'pending' AND due_at <= ${now}) AS webhooks,
        (SELECT count(*) FROM rechecks WHERE due_at <= ${now}) AS rechecks`)
      const of = (name: keyof BacklogRow) => Number(row?.[name] ?? 0)
      return {
        chunks: { due: of("due"), scheduled: of("scheduled"), leased: of("leased"), running: of("running") },
        oldestChunkMs: row?.oldest == null ? 0 : Math.max(0, now - row.oldest),
        verifications: of("verifications"),
        webhooks: of("webhooks"),
        rechecks: of("rechecks"),
      }
    },
  }
}
