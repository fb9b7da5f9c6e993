import { and, eq, inArray, type SQL, sql } from "drizzle-orm"
import { suppressions } from "../../../schema/tables/suppression.ts"
import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import type { Mark } from "../../domain/suppression/mark.ts"
import type { Suppression } from "../../domain/suppression/suppression.ts"
import type { Database } from "./database.ts"
import { keepTheGraver, upsertSuppressions } from "./suppression-sql.ts"

/** An address on a list, by its keyed hash. The list is an account's, or the operator's ("*"). */
export interface ListEntry extends Suppression {
  readonly addressHash: string
  /** Normalized; null once it has been erased. */
  readonly address: string | null
}

interface ReasonCount {
  readonly reason: SuppressionReason
  readonly total: number
  readonly temporary: number
  /** Added since the moment asked about. */
  readonly recent: number
}

/** An entry that names its address, and the hash it is found by. */
interface NamedEntry {
  readonly row: number
  readonly list: string
  readonly addressHash: string
  readonly address: string
}

/** The lists of addresses not to be sent to. Expired entries are never told of; times are Unix milliseconds. */
export interface SuppressionStore {
  /** What the lists say about the addresses, and whether their mail has been received: list → hash → mark. */
  marks(lists: readonly string[], hashes: readonly string[], now: number): Promise<Map<string, Map<string, Mark>>>
  /** Whether the lists have anything to tell at all: most lists are empty, and hashing thousands of addresses is not free. */
  haveMarks(lists: readonly string[]): Promise<boolean>
  /** Lists that have anything to tell: a page in the order of their names, after the one named. */
  lists(page: { after: string; limit: number }): Promise<string[]>
  /** Addresses the list has something to tell of, by hash: a page in their order, after the one named. */
  hashes(list: string, page: { after: string; limit: number }): Promise<string[]>
  /** @param hashes of one address under every pepper */
  find(list: string, hashes: readonly string[], now: number): Promise<Suppression | null>
  /** An entry in force never gets shorter or milder by being added again. */
  add(list: string, entries: readonly ListEntry[], now: number): Promise<void>
  /** @returns whether there was an entry in force */
  remove(list: string, hashes: readonly string[], now: number): Promise<boolean>
  counts(list: string, now: number, recentSince: number): Promise<ReasonCount[]>
  /** A page in the order of hashes, after the one named; entries whose address has been erased have none to tell. */
  page(list: string, after: string, page: { now: number; limit: number }): Promise<ListEntry[]>
  /** Entries of all lists whose address has not been erased: a page in the order of their rows, after the one named. */
  named(page: { after: number; limit: number }): Promise<NamedEntry[]>
  /** Puts entries under other hashes; where one stands already, the graver holds. */
  rehash(entries: readonly { list: string; from: string; to: string }[], now: number): Promise<void>
  /** Removes what has expired. @returns whose marks have to be looked at again */
  removeExpired(now: number, limit: number): Promise<{ list: string; addressHash: string }[]>
}

export function createSuppressionStore(database: Database): SuppressionStore {
  const inForce = (now: number) => sql`(expires_at IS NULL OR expires_at > ${now})`
  const on = (list: string, hashes: readonly string[]) =>
    and(eq(suppressions.accountId, list), inArray(suppressions.addressHash, [...hashes]))

  return {
    async marks(lists, hashes, now) {
      const [names, wanted] = [JSON.stringify(lists), JSON.stringify(hashes)]
      const [suppressed, received] = await database.batch([
        database.all<{ list: string; hash: string; expires_at: number | null }>(
          sql`SELECT s.account_id AS list, s.address_hash AS hash, s.expires_at FROM json_each(${names}) AS l
            CROSS JOIN json_each(${wanted}) AS h
            CROSS JOIN suppressions AS s ON s.account_id = l.value AND s.address_hash = h.value WHERE ${inForce(now)}`,
        ),
        database.all<{ list: string; hash: string }>(
          sql`SELECT f.account_id AS list, f.address_hash AS hash FROM json_each(${names}) AS l
            CROSS JOIN json_each(${wanted}) AS h
            CROSS JOIN address_feedback AS f ON f.account_id = l.value AND f.address_hash = h.value
            WHERE f.received_at >= coalesce(f.hard_bounced_at, 0)`,
        ),
      ])
      const marks = new Map<string, Map<string, Mark>>(lists.map((list) => [list, new Map()]))
      for (const { list, hash, expires_at } of suppressed)
        marks.get(list)?.set(hash, { suppression: { expiresAt: expires_at }, isReceived: false })
      for (const { list, hash } of received)
        marks.get(list)?.set(hash, { suppression: marks.get(list)?.get(hash)?.suppression ?? null, isReceived: true })
      return marks
    },

    async haveMarks(lists) {
      const among = sql`account_id IN (SELECT value FROM json_each(${JSON.stringify(lists)}))`
      const rows = await database.all<{ any: number }>(sql`SELECT EXISTS (SELECT 1 FROM suppressions WHERE ${among})
        OR EXISTS (SELECT 1 FROM address_feedback WHERE ${among}) AS "any"`)
      return rows[0]?.any === 1
    },

    async lists({ after, limit }) {
      // From each list to the next by the index, however long they are.
      const next = (table: SQL, behind: SQL) => sql`(SELECT min(account_id) FROM ${table} WHERE account_id > ${behind})`
      const names = [sql`suppressions`, sql`address_feedback`].map(
        (table) => sql`SELECT list FROM (WITH RECURSIVE l(list) AS (SELECT ${next(table, sql`${after}`)}
          UNION ALL SELECT ${next(table, sql`l.list`)} FROM l WHERE l.list IS NOT NULL)
          SELECT list FROM l WHERE list IS NOT NULL LIMIT ${limit})`,
      )
      const rows = await database.all<{ list: string }>(sql`${sql.join(names, sql` UNION `)} ORDER BY 1 LIMIT ${limit}`)
      return rows.map(({ list }) => list)
    },

    async hashes(list, { after, limit }) {
      // Each table gives a page of its own first: an index holds it in order, and a long list is not read through.
      const page = (table: string) => sql`SELECT * FROM (SELECT address_hash AS hash FROM ${sql.identifier(table)}
        WHERE account_id = ${list} AND address_hash > ${after} ORDER BY 1 LIMIT ${limit})`
      const rows = await database.all<{ hash: string }>(
        sql`${page("suppressions")} UNION ${page("address_feedback")} ORDER BY 1 LIMIT ${limit}`,
      )
      return rows.map(({ hash }) => hash)
    },

    async find(list, hashes, now) {
      const rows = await database
        .select()
        .from(suppressions)
        .where(and(on(list, hashes), inForce(now)))
      return rows[0] ?? null
    },

    async add(list, entries, now) {
      await database.run(upsertSuppressions(list, entries, now))
    },

    async remove(list, hashes, now) {
      const rows = await database.delete(suppressions).where(on(list, hashes)).returning()
      return rows.some(({ expiresAt }) => expiresAt === null || expiresAt > now)
    },

    async counts(list, now, recentSince) {
      return database.all<ReasonCount>(
        sql`SELECT reason, count(*) AS total, count(expires_at) AS temporary, sum(created_at >= ${recentSince}) AS recent
          FROM suppressions WHERE account_id = ${list} AND ${inForce(now)} GROUP BY reason ORDER BY reason`,
      )
    },

    async page(list, after, { now, limit }) {
      return database
        .select()
        .from(suppressions)
        .where(and(eq(suppressions.accountId, list), sql`address_hash > ${after}`, inForce(now)))
        .orderBy(suppressions.addressHash)
        .limit(limit)
    },

    async named({ after, limit }) {
      return database.all(sql`SELECT rowid AS row, account_id AS list, address_hash AS "addressHash", address
        FROM suppressions WHERE rowid > ${after} AND address IS NOT NULL ORDER BY rowid LIMIT ${limit}`)
    },

    async rehash(entries, now) {
      const moves = JSON.stringify(entries.map(({ list, from, to }) => [list, from, to]))
      await database.batch([
        database.run(sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at)
          SELECT s.account_id, m.value ->> 2, s.address, s.reason, s.source, s.created_at, s.expires_at
          FROM json_each(${moves}) AS m CROSS JOIN suppressions AS s
            ON s.account_id = m.value ->> 0 AND s.address_hash = m.value ->> 1 WHERE true ${keepTheGraver(now)}`),
        database.run(sql`DELETE FROM suppressions
          WHERE (account_id, address_hash) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${moves}))`),
      ])
    },

    async removeExpired(now, limit) {
      return database.all(
        sql`DELETE FROM suppressions WHERE (account_id, address_hash) IN
            (SELECT account_id, address_hash FROM suppressions WHERE expires_at <= ${now} LIMIT ${limit})
          RETURNING account_id AS list, address_hash AS "addressHash"`,
      )
    },
  }
}
