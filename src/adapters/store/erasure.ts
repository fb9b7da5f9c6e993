import { type SQL, sql } from "drizzle-orm"
import { ROWS_OF_ACCOUNT, SCANNED_FOR_ACCOUNT } from "../../../schema/tables/account-tables.ts"
import { PERSONAL_TABLES, type PersonalTable } from "../../../schema/tables/personal-data.ts"
import { ORPHANS, RETENTION } from "../../../schema/tables/retention.ts"
import type { SubjectTerms } from "../../domain/compliance/data-subject.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { Database } from "./database.ts"
import { deleteInPieces, fillIn, inPieces, pagesOf, type Which } from "./in-pieces.ts"
import { type ExportedRow, rowsOf, type Subject, shown, tableOf } from "./personal-rows.ts"

export interface ErasedRows {
  readonly table: string
  readonly removed: number
  /** Rows that stay without anything personal in them. */
  readonly blanked: number
}

export interface Marked {
  readonly list: string
  readonly addressHash: string
}

/** A page of an export. */
export interface ExportedRows {
  readonly table: string
  readonly rows: readonly ExportedRow[]
}

/** Everything stored about a person, found and taken away by schema/tables/personal-data.ts. */
export interface ErasureStore {
  /** Ends early when about `limit` rows are changed. @returns tables in which there was something */
  erase(subject: Subject, limit?: number): Promise<ErasedRows[]>
  /** Rows in the words of the tables, page by page and table by table. */
  collect(subject: Subject): AsyncIterable<ExportedRows>
  /** Addresses among the subject's whose results the store has. */
  resultsOf(subject: Subject, limit: number): Promise<string[]>
  eraseResults(addresses: readonly string[]): Promise<number>
  /** Where marks of the subject's addresses may stand at the edge. */
  markedBy(subject: Subject, limit: number): Promise<Marked[]>
  /** Nobody comes in by the account's keys, sessions and receivers any more. */
  closeAccount(accountId: string): Promise<void>
  /** Everything an account has, itself included and last; ends early when about `limit` rows are removed. */
  eraseAccount(accountId: string, limit?: number): Promise<ErasedRows[]>
  dropMarks(accountId: string, hashes: readonly string[]): Promise<void>
  /** Removes what is past its retention or has lost its account, at most so many rows a table. @param now Unix milliseconds */
  purge(now: number, limit: number): Promise<ErasedRows[]>
}

const MARKED_TABLES = ["suppressions", "address_feedback"]
/** Results looked at at once for those an account asked about. */
const LOOKED_AT = 20_000
/** Rows of a page. An answer of the database has 10 MB at most. */
const PAGE = 500

export function createErasureStore(database: Database): ErasureStore {
  async function remove(which: Which, limit: number): Promise<ErasedRows> {
    return { table: which.table, removed: await deleteInPieces(database, { ...which, limit }), blanked: 0 }
  }

  async function eraseFrom(one: PersonalTable, which: Which, { terms, limit }: { terms: SubjectTerms; limit: number }) {
    const { table, blank, staying } = one
    if (!blank) return remove(which, limit)
    const statement = (rows: SQL) => sql`UPDATE ${sql.identifier(table)} SET ${fillIn(blank, terms)} WHERE ${rows}`
    if (!staying) return { table, removed: 0, blanked: await inPieces(database, { ...which, statement, limit }) }
    const [stays, isFull] = [sql.raw(staying.where), sql.raw(staying.unlessBlank)]
    const going = sql`(${which.where}) AND NOT (${stays})`
    const open = sql`(${which.where}) AND (${stays}) AND (${isFull})`
    const removed = await deleteInPieces(database, { ...which, where: going, limit })
    const blanked = await inPieces(database, { ...which, where: open, statement, limit: limit - removed })
    return { table, removed, blanked }
  }

  return {
    async erase(subject, limit = Number.POSITIVE_INFINITY) {
      const erased: ErasedRows[] = []
      for (const one of PERSONAL_TABLES) {
        const which = rowsOf(one, subject)
        const left = limit - rowsIn(erased)
        if (which && left > 0) erased.push(await eraseFrom(one, which, { terms: subject.terms, limit: left }))
      }
      return erased.filter(isSomething)
    },

    async *collect(subject) {
      for (const one of PERSONAL_TABLES) {
        const which = rowsOf(one, subject)
        if (!which) continue
        const size = one.isBulky ? 1 : PAGE
        for await (const rows of pagesOf<ExportedRow>(database, { ...which, columns: sql`*`, size }))
          yield { table: one.table, rows: rows.map((row) => shown(row, one, subject.terms)) }
      }
    },

    async resultsOf({ by, terms, accountId }, limit) {
      const { askedBy = "true", [by]: about } = tableOf("results")
      const isOwn = accountId === null ? sql`true` : fillIn(askedBy, { ...terms, account: accountId })
      const size = accountId === null ? limit : LOOKED_AT
      const found: string[] = []
      for (let after = ""; ; ) {
        const some = sql`SELECT address FROM results WHERE ${fillIn(about!, terms)} AND address > ${after} ORDER BY address LIMIT ${size}`
        const page = await database.all<{ address: string; own: number }>(
          sql`SELECT address, (${isOwn}) AS own FROM (${some}) AS results ORDER BY address`,
        )
        found.push(...page.flatMap(({ address, own }) => (own ? [address] : [])))
        after = page.at(-1)?.address ?? after
        if (page.length < size || found.length >= limit) return found.slice(0, limit)
      }
    },

    async eraseResults(addresses) {
      const { rowsAffected } = await database.run(
        sql`DELETE FROM results WHERE address IN (SELECT value FROM json_each(${JSON.stringify(addresses)}))`,
      )
      return rowsAffected
    },

    async markedBy(subject, limit) {
      const columns = sql`account_id AS list, address_hash AS "addressHash"`
      const marked: Marked[] = []
      for (const table of MARKED_TABLES) {
        const which = rowsOf(tableOf(table), subject)
        if (!which) continue
        for await (const page of pagesOf<Marked>(database, { ...which, columns, size: limit })) {
          marked.push(...page)
          if (marked.length >= limit) return marked.slice(0, limit)
        }
      }
      return marked
    },

    async closeAccount(accountId) {
      const own = sql`account_id = ${accountId}`
      await database.batch([
        database.run(sql`UPDATE api_keys SET is_active = 0 WHERE ${own}`),
        database.run(sql`DELETE FROM sessions WHERE ${own}`),
        database.run(
          sql`DELETE FROM used_tokens WHERE receiver_id IN (SELECT receiver_id FROM receivers WHERE ${own})`,
        ),
        database.run(sql`DELETE FROM receivers WHERE ${own}`),
      ])
    },

    async eraseAccount(accountId, limit = Number.POSITIVE_INFINITY) {
      const erased: ErasedRows[] = []
      for (const [table, condition] of ROWS_OF_ACCOUNT) {
        const left = limit - rowsIn(erased)
        if (left <= 0) break
        const where = fillIn(condition, { account: accountId })
        erased.push(await remove({ table, where, scanned: SCANNED_FOR_ACCOUNT[table] }, left))
      }
      return erased.filter(isSomething)
    },

    async dropMarks(accountId, hashes) {
      const those = sql`account_id = ${accountId} AND address_hash IN (SELECT value FROM json_each(${JSON.stringify(hashes)}))`
      await database.batch([
        database.run(sql`DELETE FROM suppressions WHERE ${those}`),
        database.run(sql`DELETE FROM address_feedback WHERE ${those}`),
      ])
    },

    async purge(now, limit) {
      const purged: ErasedRows[] = []
      for (const { table, past, days, scanned } of RETENTION) {
        const where = fillIn(past, { before: now - days * DAY_MS })
        purged.push(await remove({ table, where, scanned }, limit))
      }
      for (const { where, ...one } of ORPHANS) purged.push(await remove({ ...one, where: sql.raw(where) }, limit))
      return purged.filter(isSomething)
    },
  }
}

/** Rows that were changed. */
export const rowsIn = (tables: readonly ErasedRows[]) =>
  tables.reduce((sum, { removed, blanked }) => sum + removed + blanked, 0)
const isSomething = ({ removed, blanked }: ErasedRows) => removed + blanked > 0
