import { and, desc, eq, gte, sql } from "drizzle-orm"
import { dailyCounts, verifications } from "../../../schema/tables/history.ts"
import type { Status } from "../../../schema/vocabulary.ts"
import { dayOf } from "../../domain/time.ts"
import type { Database } from "./database.ts"

export interface HistoryEntry {
  readonly address: string
  readonly domain: string
  readonly status: Status
  readonly score: number
  readonly cached: boolean
  readonly checks: unknown
}

export interface HistoryRow extends HistoryEntry {
  readonly verificationId: number
  /** Unix milliseconds. */
  readonly createdAt: number
}

export interface DayCount {
  readonly day: string
  readonly status: Status
  readonly cached: boolean
  readonly count: number
}

export interface HistoryStore {
  /** Adds answers an account got and counts them, in one step. */
  record(accountId: string, entries: readonly HistoryEntry[], now: number): Promise<void>
  /** Counts answers without keeping them one by one: the items of a job are kept with the job. */
  count(accountId: string, counts: readonly DayCount[]): Promise<void>
  recent(accountId: string, page: { limit: number; offset: number }): Promise<HistoryRow[]>
  find(accountId: string, verificationId: number): Promise<HistoryRow | null>
  /** Counts from that UTC day on. */
  countsSince(accountId: string, day: string): Promise<DayCount[]>
  /** Of the newest 200,000 verifications: an account may have millions, and is answered nevertheless. */
  topDomains(accountId: string, options: { since: number; limit: number }): Promise<{ domain: string; count: number }[]>
}

const RECENT = 200_000

export function createHistoryStore(database: Database): HistoryStore {
  const addCount = (accountId: string, { day, status, cached, count }: DayCount) =>
    database
      .insert(dailyCounts)
      .values({ accountId, day, status, cached, count })
      .onConflictDoUpdate({
        target: [dailyCounts.accountId, dailyCounts.day, dailyCounts.status, dailyCounts.cached],
        set: { count: sql`${dailyCounts.count} + excluded.count` },
      })

  return {
    async record(accountId, entries, now) {
      if (entries.length === 0) return
      const day = dayOf(now)
      const rows = entries.map((entry) => ({ ...entry, accountId, createdAt: now }))
      const counts = entries.map(({ status, cached }) => addCount(accountId, { day, status, cached, count: 1 }))
      await database.batch([database.insert(verifications).values(rows), ...counts])
    },

    async count(accountId, counts) {
      const [first, ...rest] = counts.map((one) => addCount(accountId, one))
      if (first) await database.batch([first, ...rest])
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
