import { type SQL, sql } from "drizzle-orm"
import { ROWS_OF_ACCOUNT, SCANNED_FOR_ACCOUNT } from "../../../../schema/tables/account-tables.ts"
import { accountErasures } from "../../../../schema/tables/compliance.ts"
import { PERSONAL_TABLES, type PersonalTable } from "../../../../schema/tables/personal-data.ts"
import { ORPHANS, RETENTION } from "../../../../schema/tables/retention.ts"
import { type ErasedRows, rowsIn, type SubjectTerms } from "../../../domain/compliance/data-subject.ts"
import { DAY_MS } from "../../../domain/time.ts"
import type { Database } from "../database.ts"
import { bindValues, deleteInBatches, inBatches, pagesOf, type RowSelection } from "../in-batches.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"
import {
  accountRow,
  type ExportedRow,
  exportedRow,
  rowsOf,
  rowsToErase,
  type Subject,
  tableOf,
} from "./personal-rows.ts"

export interface FlaggedAddress {
  readonly list: string
  readonly addressHash: string
}

/** A page of an export. */
export interface ExportedRows {
  readonly table: string
  readonly rows: readonly ExportedRow[]
}

/** Tables with rows that the edge caches as flags, with their hash column. */
const MARKED_TABLES = {
  suppressions: "address_hash",
  address_feedback: "address_hash",
  account_erasures: "subject_hash",
}
/** Results that one statement searches for those that an account verified. */
const MAX_SEARCHED = 20_000
/** Rows of a page. A database response has 10 MB at most. */
const PAGE = 500

/** Finds and erases all data about a person, as listed in schema/tables/personal-data.ts. */
export function createErasureStore(database: Database) {
  async function remove(which: RowSelection, limit: number): Promise<ErasedRows> {
    return { table: which.table, removed: await deleteInBatches(database, { ...which, limit }), blanked: 0 }
  }

  async function eraseFrom(
    one: PersonalTable,
    which: RowSelection,
    { terms, limit }: { terms: SubjectTerms; limit: number },
  ) {
    const { table, blank, staying } = one
    if (!blank) return remove(which, limit)
    const statement = (rows: SQL) => sql`UPDATE ${sql.identifier(table)} SET ${bindValues(blank, terms)} WHERE ${rows}`
    if (!staying) return { table, removed: 0, blanked: await inBatches(database, { ...which, statement, limit }) }
    const [stays, isFull] = [sql.raw(staying.where), sql.raw(staying.unlessBlank)]
    const going = sql`(${which.where}) AND NOT (${stays})`
    const open = sql`(${which.where}) AND (${stays}) AND (${isFull})`
    const removed = await deleteInBatches(database, { ...which, where: going, limit })
    const blanked = await inBatches(database, { ...which, where: open, statement, limit: limit - removed })
    return { table, removed, blanked }
  }

  /** @param condition which results of the subject are meant */
  async function findResults({ by, terms, accountId }: Subject, condition: SQL, limit: number): Promise<string[]> {
    const about = tableOf("results")[by]
    const size = accountId === null ? limit : MAX_SEARCHED
    const found: string[] = []
    for (let after = ""; ; ) {
      const some = sql`SELECT address FROM results WHERE ${bindValues(about!, terms)} AND address > ${after} ORDER BY address LIMIT ${size}`
      const page = await database.all<{ address: string; own: number }>(
        sql`SELECT address, (${condition}) AS own FROM (${some}) AS results ORDER BY address`,
      )
      found.push(...page.flatMap(({ address, own }) => (own ? [address] : [])))
      after = page.at(-1)?.address ?? after
      if (page.length < size || found.length >= limit) return found.slice(0, limit)
    }
  }

  return {
    /** Stops after about `limit` changed rows. @returns the tables with changes */
    async erase(subject: Subject, limit: number = Number.POSITIVE_INFINITY): Promise<ErasedRows[]> {
      const erased: ErasedRows[] = []
      for (const one of PERSONAL_TABLES) {
        const which = rowsToErase(one, subject)
        const left = limit - rowsIn(erased)
        if (which && left > 0) erased.push(await eraseFrom(one, which, { terms: subject.terms, limit: left }))
      }
      return erased.filter(isSomething)
    },

    /** Yields the subject's rows with the tables' column names, page by page and table by table. */
    async *collect(subject: Subject): AsyncIterable<ExportedRows> {
      for (const one of PERSONAL_TABLES) {
        const which = rowsOf(one, subject)
        if (!which) continue
        const size = one.isBulky ? 1 : PAGE
        for await (const rows of pagesOf<ExportedRow>(database, { ...which, columns: sql`*`, size }))
          yield { table: one.table, rows: rows.map((row) => exportedRow(row, one, subject.terms)) }
      }
    },

    /** Addresses of the subject with a stored result; for an account, those that it verified. */
    resultsOf: (subject: Subject, limit: number): Promise<string[]> => findResults(subject, verifiedBy(subject), limit),
    /** The subset that an erasure deletes: for an account, addresses that no other account verified. */
    resultsToErase: (subject: Subject, limit: number): Promise<string[]> =>
      findResults(subject, sql`${verifiedBy(subject)} AND ${unlessShared(subject)}`, limit),

    /** Deletes results of the given addresses, except those that another account has verified meanwhile. */
    async eraseResults(subject: Subject, addresses: readonly string[]): Promise<number> {
      const { rowsAffected } = await database.run(sql`DELETE FROM results
        WHERE address IN ${valuesOf(addresses)} AND ${unlessShared(subject)}`)
      return rowsAffected
    },

    /** Edge cache entries that may hold flags of the subject's addresses. */
    async flaggedAddresses(subject: Subject, limit: number): Promise<FlaggedAddress[]> {
      const marked: FlaggedAddress[] = []
      for (const [table, hash] of Object.entries(MARKED_TABLES)) {
        const which = rowsOf(tableOf(table), subject)
        if (!which) continue
        const columns = sql`account_id AS list, ${sql.identifier(hash)} AS "addressHash"`
        for await (const page of pagesOf<FlaggedAddress>(database, { ...which, columns, size: limit })) {
          marked.push(...page)
          if (marked.length >= limit) return marked.slice(0, limit)
        }
      }
      return marked
    },

    /** Disables the account's keys, sessions, sign-in links and receivers, and frees its mailbox. @param now Unix ms */
    async closeAccount(accountId: string, now: number) {
      const own = sql`account_id = ${accountId}`
      await database.batch([
        database.run(sql`DELETE FROM sign_in_links WHERE email = (SELECT email FROM accounts WHERE ${own})`),
        database.run(
          sql`UPDATE payment_offers SET email = NULL WHERE email = (SELECT email FROM accounts WHERE ${own})`,
        ),
        database.run(sql`DELETE FROM identities WHERE ${own}`),
        database.run(sql`UPDATE accounts SET closed_at = coalesce(closed_at, ${now}), email = NULL WHERE ${own}`),
        database.run(sql`UPDATE api_keys SET is_active = 0 WHERE ${own}`),
        database.run(sql`DELETE FROM sessions WHERE ${own}`),
        database.run(
          sql`DELETE FROM used_tokens WHERE receiver_id IN (SELECT receiver_id FROM receivers WHERE ${own})`,
        ),
        database.run(sql`DELETE FROM receivers WHERE ${own}`),
      ])
    },

    /** Accounts whose erasure began and has not ended. */
    async closedAccounts(limit: number): Promise<string[]> {
      const rows = await database.all<{ id: string }>(
        sql`SELECT account_id AS id FROM accounts WHERE closed_at IS NOT NULL ORDER BY closed_at LIMIT ${limit}`,
      )
      return rows.map(({ id }) => id)
    },

    /** Yields all rows of an account, without secrets and hashes, page by page and table by table. */
    async *collectAccount(accountId: string): AsyncIterable<ExportedRows> {
      for (const [table, condition] of ROWS_OF_ACCOUNT) {
        const where = bindValues(condition, { account: accountId })
        const which = { table, where, scanned: SCANNED_FOR_ACCOUNT[table] }
        for await (const rows of pagesOf<ExportedRow>(database, { ...which, columns: sql`*`, size: PAGE }))
          yield { table, rows: rows.map(accountRow) }
      }
    },

    /** Deletes all rows of an account, the account row last. Stops after about `limit` deleted rows. */
    async eraseAccount(accountId: string, limit: number = Number.POSITIVE_INFINITY): Promise<ErasedRows[]> {
      const erased: ErasedRows[] = []
      for (const [table, condition] of ROWS_OF_ACCOUNT) {
        const left = limit - rowsIn(erased)
        if (left <= 0) break
        const where = bindValues(condition, { account: accountId })
        erased.push(await remove({ table, where, scanned: SCANNED_FOR_ACCOUNT[table] }, left))
      }
      return erased.filter(isSomething)
    },

    async deleteFlags(accountId: string, hashes: readonly string[]) {
      const those = JSON.stringify(hashes)
      const [first, ...rest] = Object.entries(MARKED_TABLES).map(([table, hash]) =>
        database.run(sql`DELETE FROM ${sql.identifier(table)}
          WHERE account_id = ${accountId} AND ${sql.identifier(hash)} IN (SELECT value FROM json_each(${those}))`),
      )
      await database.batch([first!, ...rest])
    },

    /** Deletes expired rows and rows without an account, at most `limit` per table. @param now Unix milliseconds */
    async purge(now: number, limit: number): Promise<ErasedRows[]> {
      const purged: ErasedRows[] = []
      for (const { table, past, days, scanned } of RETENTION) {
        const where = bindValues(past, { before: now - days * DAY_MS })
        purged.push(await remove({ table, where, scanned }, limit))
      }
      for (const { where, ...one } of ORPHANS) purged.push(await remove({ ...one, where: sql.raw(where) }, limit))
      return purged.filter(isSomething)
    },
  }
}

/** Condition: results that the subject's account verified; for the operator all. */
function verifiedBy({ terms, accountId }: Subject): SQL {
  const { isRequestedBy: condition = "true" } = tableOf("results")
  return accountId === null ? sql`true` : bindValues(condition, { ...terms, account: accountId })
}

/** Condition: results that no account except the subject's verified; for the operator all. */
function unlessShared({ terms, accountId }: Subject): SQL {
  const { isRequestedByOthers = "false" } = tableOf("results")
  return accountId === null ? sql`true` : sql`NOT ${bindValues(isRequestedByOthers, { ...terms, account: accountId })}`
}

const isSomething = ({ removed, blanked }: ErasedRows) => removed + blanked > 0

type AccountErasure = typeof accountErasures.$inferSelect

/** Erasures of accounts, by keyed hash. They hide stored results; `SuppressionStore.flags` reads them for responses. */
export function createAccountErasureStore(database: Database) {
  return {
    /** Whether the account erased anything; most accounts did not. */
    async has(accountId: string): Promise<boolean> {
      const rows = await database.all(sql`SELECT 1 FROM account_erasures WHERE account_id = ${accountId} LIMIT 1`)
      return rows.length > 0
    },

    /** Adds an erasure; it replaces an earlier one of the same subject. */
    async add(erasure: AccountErasure) {
      await database
        .insert(accountErasures)
        .values(erasure)
        .onConflictDoUpdate({ target: [accountErasures.accountId, accountErasures.subjectHash], set: erasure })
    },

    /** Shows results again that were verified for the account after the erasure. `hash`: under every pepper */
    async showSince(accountId: string, subjects: readonly { hash: string; hidesUntil: number }[]) {
      const rows = jsonRows(subjects, "hash", "hidesUntil")
      await database.run(sql`WITH s AS MATERIALIZED (
          SELECT value ->> 0 AS hash, value ->> 1 AS until FROM json_each(${rows}))
        UPDATE account_erasures SET hides_until = s.until FROM s
        WHERE account_id = ${accountId} AND subject_hash = s.hash AND hides_until IS NULL AND erased_at <= s.until`)
    },

    /** Keyed hashes of the account's erasures since a time (Unix ms). */
    async since(accountId: string, erasedSince: number): Promise<Set<string>> {
      const rows = await database.all<{ hash: string }>(sql`SELECT subject_hash AS hash FROM account_erasures
        WHERE account_id = ${accountId} AND erased_at >= ${erasedSince}`)
      return new Set(rows.map(({ hash }) => hash))
    },
  }
}
