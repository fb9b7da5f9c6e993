import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import { dailyCounts, verifications } from "../../../../schema/tables/verification.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import { dayOf } from "../../../domain/time.ts"
import type { Database } from "../database.ts"

/** The account under which answers to callers without one are counted. */
export const NO_ACCOUNT = ""

/** The part of a response that is counted. */
export interface Answer {
  readonly status: Status
  readonly cached: boolean
  readonly score: number
  readonly canSend: boolean
}

/** For which account and key answers are counted. */
export interface Requester {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** Null for a session, and for a caller without an account. */
  readonly keyId: string | null
}

export interface HistoryEntry extends Answer {
  readonly address: string
  readonly domain: string
  readonly checks: unknown
}

/** An address as the history stores it. */
export type HistoryAddress = Pick<HistoryEntry, "address" | "domain">

export interface HistoryRow extends Omit<HistoryEntry, "canSend"> {
  readonly verificationId: number
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** Answers of one UTC day with the same status and origin. */
export interface DayCount extends Pick<Answer, "status" | "cached"> {
  readonly day: string
  readonly count: number
  /** Sum of their scores. */
  readonly scores: number
  /** How many of them mail can be sent to. */
  readonly sendable: number
}

const RECENT = 200_000

/** Counting a million index entries takes up to a tenth of a second. */
const MAX_COUNT = 1_000_000

/** The statement that adds counts. @param counts selects account, day, status, cached, count, scores and sendable */
export function addCounts(counts: SQL): SQL {
  return sql`INSERT INTO daily_counts (account_id, day, status, cached, count, scores, sendable) ${counts}
    ON CONFLICT (account_id, day, status, cached) DO UPDATE SET count = daily_counts.count + excluded.count,
      scores = daily_counts.scores + excluded.scores, sendable = daily_counts.sendable + excluded.sendable`
}

/** The statement that adds counts of keys. @param counts selects key, day and count */
export function addKeyCounts(counts: SQL): SQL {
  return sql`INSERT INTO key_counts (key_id, day, count) ${counts}
    ON CONFLICT (key_id, day) DO UPDATE SET count = key_counts.count + excluded.count`
}

export function createHistoryStore(database: Database) {
  const counting = ({ accountId, keyId }: Requester, answers: readonly Answer[], now: number) => {
    const groups = Map.groupBy(answers, ({ status, cached }) => `${status} ${cached}`)
    const rows = [...groups.values()].map((group) => {
      const scores = group.reduce((sum, { score }) => sum + score, 0)
      const sendable = group.filter(({ canSend }) => canSend).length
      return [group[0]!.status, Number(group[0]!.cached), group.length, scores, sendable]
    })
    const counts = database.run(
      addCounts(sql`SELECT ${accountId ?? NO_ACCOUNT}, ${dayOf(now)}, value ->> 0, value ->> 1, value ->> 2, value ->> 3,
          value ->> 4 FROM json_each(${JSON.stringify(rows)}) WHERE true`),
    )
    const ofKey = sql`SELECT ${keyId}, ${dayOf(now)}, ${answers.length} WHERE true`
    return [counts, ...(keyId === null ? [] : [database.run(addKeyCounts(ofKey))])] as const
  }

  return {
    /** Adds responses of an account and counts them, in one transaction. */
    async record(requester: Requester & { accountId: string }, entries: readonly HistoryEntry[], now: number) {
      const rows = entries.map(({ canSend: _, ...entry }) => ({
        ...entry,
        accountId: requester.accountId,
        createdAt: now,
      }))
      if (rows.length > 0)
        await database.batch([database.insert(verifications).values(rows), ...counting(requester, entries, now)])
    },

    /** Counts responses without storing them. */
    async count(requester: Requester, answers: readonly Answer[], now: number) {
      if (answers.length > 0) await database.batch(counting(requester, answers, now))
    },

    /** Newest first. @param page `before`: only rows with a smaller id; `of`: only rows of that address */
    async recent(
      accountId: string,
      { limit, offset, before, of }: { limit: number; offset: number; before: number; of?: HistoryAddress | null },
    ): Promise<HistoryRow[]> {
      return database
        .select()
        .from(verifications)
        .where(and(rowsOf(accountId, of), lt(verifications.verificationId, before)))
        .orderBy(desc(verifications.verificationId))
        .limit(limit)
        .offset(offset)
    },

    /** Number of stored rows, counted up to a million. @param of only rows of that address */
    async total(accountId: string, of?: HistoryAddress | null): Promise<number> {
      const some = sql`SELECT 1 FROM verifications WHERE ${rowsOf(accountId, of)} LIMIT ${MAX_COUNT}`
      const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${some})`)
      return row?.n ?? 0
    },

    /** A key's verifications by UTC day, from that day on; days without one are left out. */
    async ofKey(keyId: string, day: string): Promise<{ day: string; count: number }[]> {
      return database.all(sql`SELECT day, count FROM key_counts WHERE key_id = ${keyId} AND day >= ${day} ORDER BY day`)
    },

    async find(accountId: string, verificationId: number): Promise<HistoryRow | null> {
      const own = and(eq(verifications.accountId, accountId), eq(verifications.verificationId, verificationId))
      return (await database.select().from(verifications).where(own))[0] ?? null
    },

    /** Counts from that UTC day on. */
    async countsSince(accountId: string, day: string): Promise<DayCount[]> {
      const { accountId: owner, ...columns } = {
        accountId: dailyCounts.accountId,
        day: dailyCounts.day,
        status: dailyCounts.status,
        cached: dailyCounts.cached,
        count: dailyCounts.count,
        scores: dailyCounts.scores,
        sendable: dailyCounts.sendable,
      }
      return database
        .select(columns)
        .from(dailyCounts)
        .where(and(eq(owner, accountId), gte(dailyCounts.day, day)))
    },

    /** From the newest 200,000 verifications: an account may have millions. */
    async topDomains(
      accountId: string,
      { since, limit }: { since: number; limit: number },
    ): Promise<{ domain: string; count: number }[]> {
      return database.all(sql`SELECT domain, count(*) AS count FROM (SELECT domain, created_at FROM verifications
          WHERE account_id = ${accountId} ORDER BY verification_id DESC LIMIT ${RECENT})
        WHERE created_at >= ${since} AND domain <> '' GROUP BY domain ORDER BY 2 DESC, 1 LIMIT ${limit}`)
    },
  }
}

/** The rows of an account, or only those of one address. The index of the domain and the address finds these. */
function rowsOf(accountId: string, of: HistoryAddress | null = null): SQL | undefined {
  const own = eq(verifications.accountId, accountId)
  if (!of) return own
  return and(own, eq(verifications.domain, of.domain), sql`${verifications.address} COLLATE NOCASE = ${of.address}`)
}
