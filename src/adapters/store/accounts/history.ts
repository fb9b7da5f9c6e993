import { and, desc, eq, gte, type SQL, sql } from "drizzle-orm"
import { dailyCounts, verifications } from "../../../../schema/tables/history.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import { dayOf } from "../../../domain/time.ts"
import type { Database } from "../database.ts"

/** The account under which answers to callers without one are counted. */
export const NO_ACCOUNT = ""

/** The part of a response that is counted. */
export interface Answer {
  readonly status: Status
  readonly cached: boolean
}

export interface HistoryEntry extends Answer {
  readonly address: string
  readonly domain: string
  readonly score: number
  readonly checks: unknown
}

export interface HistoryRow extends HistoryEntry {
  readonly verificationId: number
  /** Unix milliseconds. */
  readonly createdAt: number
}

export interface DayCount extends Answer {
  readonly day: string
  readonly count: number
}

export interface HistoryStore {
  /** Adds responses of an account and counts them, in one transaction. */
  record(accountId: string, entries: readonly HistoryEntry[], now: number): Promise<void>
  /** Counts responses without storing them. @param accountId null for a caller without an account */
  count(accountId: string | null, answers: readonly Answer[], now: number): Promise<void>
  recent(accountId: string, page: { limit: number; offset: number }): Promise<HistoryRow[]>
  find(accountId: string, verificationId: number): Promise<HistoryRow | null>
  /** Counts from that UTC day on. */
  countsSince(accountId: string, day: string): Promise<DayCount[]>
  /** From the newest 200,000 verifications: an account may have millions. */
  topDomains(accountId: string, options: { since: number; limit: number }): Promise<{ domain: string; count: number }[]>
}

const RECENT = 200_000

/** The statement that adds counts. @param counts selects account, day, status, cached and count */
export function addCounts(counts: SQL): SQL {
  return sql`INSERT INTO daily_counts (account_id, day, status, cached, count) ${counts}
    ON CONFLICT (account_id, day, status, cached) DO UPDATE SET count = daily_counts.count + excluded.count`
}

export function createHistoryStore(database: Database): HistoryStore {
  const counting = (accountId: string, answers: readonly Answer[], now: number) => {
    const groups = Map.groupBy(answers, ({ status, cached }) => `${status} ${cached}`)
    const rows = [...groups.values()].map((group) => [group[0]!.status, Number(group[0]!.cached), group.length])
    return database.run(
      addCounts(sql`SELECT ${accountId}, ${dayOf(now)}, value ->> 0, value ->> 1, value ->> 2
        FROM json_each(${JSON.stringify(rows)}) WHERE true`),
    )
  }

  return {
    async record(accountId, entries, now) {
      const rows = entries.map((entry) => ({ ...entry, accountId, createdAt: now }))
      if (rows.length > 0)
        await database.batch([database.insert(verifications).values(rows), counting(accountId, entries, now)])
    },

    async count(accountId, answers, now) {
      if (answers.length > 0) await counting(accountId ?? NO_ACCOUNT, answers, now)
    },

    async recent(accountId, { limit, offset }) {
      return database
        .select()
        .from(verifications)
        .where(eq(verifications.accountId, accountId))
        .orderBy(desc(verifications.verificationId))
        .limit(limit)
        .offset(offset)
    },

    async find(accountId, verificationId) {
      const own = and(eq(verifications.accountId, accountId), eq(verifications.verificationId, verificationId))
      return (await database.select().from(verifications).where(own))[0] ?? null
    },

    async countsSince(accountId, day) {
      const { accountId: owner, ...columns } = {
        accountId: dailyCounts.accountId,
        day: dailyCounts.day,
        status: dailyCounts.status,
        cached: dailyCounts.cached,
        count: dailyCounts.count,
      }
      return database
        .select(columns)
        .from(dailyCounts)
        .where(and(eq(owner, accountId), gte(dailyCounts.day, day)))
    },

    async topDomains(accountId, { since, limit }) {
      return database.all(sql`SELECT domain, count(*) AS count FROM (SELECT domain, created_at FROM verifications
          WHERE account_id = ${accountId} ORDER BY verification_id DESC LIMIT ${RECENT})
        WHERE created_at >= ${since} AND domain <> '' GROUP BY domain ORDER BY 2 DESC, 1 LIMIT ${limit}`)
    },
  }
}
