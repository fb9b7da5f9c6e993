import { and, eq, inArray, isNotNull, or, type SQL, sql } from "drizzle-orm"
import { addressFeedback, suppressions } from "../../../../schema/tables/suppression.ts"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import type { SuppressionFlags } from "../../../domain/suppression/flags.ts"
import { isActive, type Suppression } from "../../../domain/suppression/suppression.ts"
import type { Database } from "../database.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"
import { type FlagRow, flagsOf, selectFlags, strongerReport, upsertSuppressions } from "./feedback-sql.ts"

/** An address or a domain on a list, by its keyed hash. The list is an account's, or the operator's ("*"). */
export interface ListEntry extends Suppression {
  readonly addressHash: string
  /** Normalized, or "@" and the domain; null after the erasure of the address. */
  readonly address: string | null
}

/** Which entries of a list to read. */
export interface EntryFilter {
  /** Null for all. */
  readonly hashes: readonly string[] | null
  readonly reason: SuppressionReason | null
  /** Added in this time, Unix milliseconds: from the first on, before the second. */
  readonly from: number | null
  readonly to: number | null
}

/** The position of an entry in a list, newest first. */
export interface EntryPosition {
  readonly createdAt: number
  readonly row: number
}

interface ReasonCount {
  readonly reason: SuppressionReason
  readonly total: number
  readonly temporary: number
  /** Entries since the requested time. */
  readonly recent: number
}

/** An entry with its address, and its hash. */
interface NamedEntry {
  readonly row: number
  readonly list: string
  readonly addressHash: string
  readonly address: string
}

/** The suppression lists. Expired entries are never returned; times are Unix milliseconds. */
export type SuppressionStore = ReturnType<typeof createSuppressionStore>

/** Entries that a page counts. Counting more takes too long. */
export const MAX_COUNTED = 1_000_000

export function createSuppressionStore(database: Database) {
  const inForce = (now: number) => sql`(expires_at IS NULL OR expires_at > ${now})`
  const on = (list: string, hashes: readonly string[]) =>
    and(eq(suppressions.accountId, list), inArray(suppressions.addressHash, [...hashes]))

  return {
    /** Flags by list and hash: suppressions, reports, and results hidden by an erasure. */
    async flags(
      lists: readonly string[],
      hashes: readonly string[],
      now: number,
    ): Promise<Map<string, Map<string, SuppressionFlags>>> {
      return flagsOf(lists, await database.all<FlagRow>(selectFlags(lists, hashes, now)))
    },

    /** Whether any list has entries. Most are empty, and hashing thousands of addresses is not free. */
    async haveFlags(lists: readonly string[]): Promise<boolean> {
      const among = sql`account_id IN ${valuesOf(lists)}`
      const rows = await database.all<{ any: number }>(sql`SELECT EXISTS (SELECT 1 FROM suppressions WHERE ${among})
        OR EXISTS (SELECT 1 FROM address_feedback WHERE ${among})
        OR EXISTS (SELECT 1 FROM account_erasures WHERE ${among}) AS "any"`)
      return rows[0]?.any === 1
    },

    /** Lists with entries: a page ordered by name, after the given name. */
    async lists({ after, limit }: { after: string; limit: number }): Promise<string[]> {
      // Skips from list to list in the index, so that long lists cost nothing.
      const next = (table: SQL, behind: SQL) => sql`(SELECT min(account_id) FROM ${table} WHERE account_id > ${behind})`
      const names = [sql`suppressions`, sql`address_feedback`, sql`account_erasures`].map(
        (table) => sql`SELECT list FROM (WITH RECURSIVE l(list) AS (SELECT ${next(table, sql`${after}`)}
          UNION ALL SELECT ${next(table, sql`l.list`)} FROM l WHERE l.list IS NOT NULL)
          SELECT list FROM l WHERE list IS NOT NULL LIMIT ${limit})`,
      )
      const rows = await database.all<{ list: string }>(sql`${sql.join(names, sql` UNION `)} ORDER BY 1 LIMIT ${limit}`)
      return rows.map(({ list }) => list)
    },

    /** Hashes with an entry on the list: an ordered page after the given hash. */
    async hashes(list: string, { after, limit }: { after: string; limit: number }): Promise<string[]> {
      // Each table first gives an ordered page from its index, so that a long list is not read through.
      const page = (table: string, hash: string) => sql`SELECT * FROM (SELECT ${sql.identifier(hash)} AS hash
        FROM ${sql.identifier(table)} WHERE account_id = ${list} AND ${sql.identifier(hash)} > ${after}
        ORDER BY 1 LIMIT ${limit})`
      const rows = await database.all<{ hash: string }>(sql`${page("suppressions", "address_hash")}
        UNION ${page("address_feedback", "address_hash")} UNION ${page("account_erasures", "subject_hash")}
        ORDER BY 1 LIMIT ${limit}`)
      return rows.map(({ hash }) => hash)
    },

    /** @param hashes of one address and its domain, one for each pepper */
    find: (
      lists: readonly string[],
      hashes: readonly string[],
      now: number,
    ): Promise<(ListEntry & { readonly accountId: string })[]> =>
      database
        .select()
        .from(suppressions)
        .where(
          and(
            inArray(suppressions.accountId, [...lists]),
            inArray(suppressions.addressHash, [...hashes]),
            inForce(now),
          ),
        ),

    /** Adds entries. An active entry never gets shorter or weaker. @returns the active entries by hash */
    async add(
      list: string,
      entries: readonly ListEntry[],
      now: number,
    ): Promise<{ before: ReadonlyMap<string, ListEntry>; after: ReadonlyMap<string, ListEntry> }> {
      const these = sql`account_id = ${list} AND address_hash IN
        ${valuesOf(entries.map(({ addressHash }) => addressHash))}`
      const active = () =>
        database
          .select()
          .from(suppressions)
          .where(sql`${these} AND ${inForce(now)}`)
      const [before, , after] = await database.batch([
        active(),
        database.run(upsertSuppressions(list, entries, now)),
        active(),
      ])
      const byHash = (rows: typeof before) => new Map(rows.map((row) => [row.addressHash, row]))
      return { before: byHash(before), after: byHash(after) }
    },

    /** Removes an entry, and the account's reports of bounces and complaints. @returns the entry if it was active */
    async remove(
      list: string,
      hashes: readonly string[],
      now: number,
    ): Promise<{ removed: ListEntry | null; hasWithdrawnReports: boolean }> {
      const reports = and(
        eq(addressFeedback.accountId, list),
        inArray(addressFeedback.addressHash, [...hashes]),
        or(isNotNull(addressFeedback.mailboxMissingAt), isNotNull(addressFeedback.complainedAt)),
      )
      const [entries, reported] = await database.batch([
        database.delete(suppressions).where(on(list, hashes)).returning(),
        database
          .update(addressFeedback)
          .set({ mailboxMissingAt: null, complainedAt: null })
          .where(reports)
          .returning({ hash: addressFeedback.addressHash }),
      ])
      return {
        removed: entries.find((entry) => isActive(entry, now)) ?? null,
        hasWithdrawnReports: reported.length > 0,
      }
    },

    async counts(list: string, now: number, recentSince: number): Promise<ReasonCount[]> {
      return database.all<ReasonCount>(
        sql`SELECT reason, count(*) AS total, count(expires_at) AS temporary, sum(created_at >= ${recentSince}) AS recent
          FROM suppressions WHERE account_id = ${list} AND ${inForce(now)} GROUP BY reason ORDER BY reason`,
      )
    },

    /** A page of the newest entries before a position, and the number of entries on all pages, up to `MAX_COUNTED`. */
    async newest(
      list: string,
      { hashes, reason, from, to }: EntryFilter,
      { before, now, limit }: { before: EntryPosition | null; now: number; limit: number },
    ): Promise<{ entries: (ListEntry & EntryPosition)[]; total: number }> {
      const conditions = [sql`account_id = ${list}`, inForce(now)]
      if (hashes) conditions.push(sql`address_hash IN ${valuesOf(hashes)}`)
      if (reason) conditions.push(sql`reason = ${reason}`)
      if (from !== null) conditions.push(sql`created_at >= ${from}`)
      if (to !== null) conditions.push(sql`created_at < ${to}`)
      const which = sql`FROM suppressions WHERE ${sql.join(conditions, sql` AND `)}`
      const older = before ? sql`AND (created_at, rowid) < (${before.createdAt}, ${before.row})` : sql``
      const [entries, counted] = await database.batch([
        database.all<ListEntry & EntryPosition>(sql`SELECT rowid AS row, address_hash AS "addressHash", address, reason,
            source, note, created_at AS "createdAt", expires_at AS "expiresAt"
          ${which} ${older} ORDER BY created_at DESC, rowid DESC LIMIT ${limit}`),
        database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (SELECT 1 ${which} LIMIT ${MAX_COUNTED})`),
      ])
      return { entries, total: counted[0]?.n ?? 0 }
    },

    /** A page ordered by hash, after the given hash. Entries with an erased address have a null address. */
    async page(list: string, after: string, { now, limit }: { now: number; limit: number }): Promise<ListEntry[]> {
      return database
        .select()
        .from(suppressions)
        .where(and(eq(suppressions.accountId, list), sql`address_hash > ${after}`, inForce(now)))
        .orderBy(suppressions.addressHash)
        .limit(limit)
    },

    /** Entries of all lists with an address: a page in row order, after the given row. */
    async named({ after, limit }: { after: number; limit: number }): Promise<NamedEntry[]> {
      return database.all(sql`SELECT rowid AS row, account_id AS list, address_hash AS "addressHash", address
        FROM suppressions WHERE rowid > ${after} AND address IS NOT NULL ORDER BY rowid LIMIT ${limit}`)
    },

    /** Moves entries to new hashes. On a conflict the stronger entry remains. */
    async rehash(entries: readonly { list: string; from: string; to: string }[], now: number) {
      const moves = jsonRows(entries, "list", "from", "to")
      await database.batch([
        database.run(sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at, note)
          SELECT s.account_id, m.value ->> 2, s.address, s.reason, s.source, s.created_at, s.expires_at, s.note
          FROM json_each(${moves}) AS m CROSS JOIN suppressions AS s
            ON s.account_id = m.value ->> 0 AND s.address_hash = m.value ->> 1 WHERE true ${strongerReport(now)}`),
        database.run(sql`DELETE FROM suppressions
          WHERE (account_id, address_hash) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${moves}))`),
      ])
    },

    /** Deletes expired entries. @returns entries whose cached flags must be refreshed */
    async removeExpired(now: number, limit: number): Promise<{ list: string; addressHash: string }[]> {
      return database.all(
        sql`DELETE FROM suppressions WHERE (account_id, address_hash) IN
            (SELECT account_id, address_hash FROM suppressions WHERE expires_at <= ${now} LIMIT ${limit})
          RETURNING account_id AS list, address_hash AS "addressHash"`,
      )
    },
  }
}
