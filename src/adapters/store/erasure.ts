import { type SQL, sql } from "drizzle-orm"
import { ACCOUNT_TABLES } from "../../../schema/tables/account-tables.ts"
import { PERSONAL_TABLES, type PersonalTable } from "../../../schema/tables/personal-data.ts"
import { RETENTION } from "../../../schema/tables/retention.ts"
import type { SubjectTerms } from "../../domain/compliance/data-subject.ts"
import type { Database } from "./database.ts"
import { deleteInPieces, fillIn, inPieces } from "./in-pieces.ts"

/** Whose rows are meant: one address's or a domain's; of one account, or with null of everybody. */
export interface Subject {
  readonly by: "address" | "domain"
  readonly terms: SubjectTerms
  readonly accountId: string | null
  /** Only in these tables. */
  readonly tables?: readonly string[]
}

export interface ErasedRows {
  readonly table: string
  readonly removed: number
  /** Rows that stay without anything personal in them. */
  readonly blanked: number
}

export type ExportedRow = Readonly<Record<string, unknown>>

export interface Marked {
  readonly list: string
  readonly addressHash: string
}

/** Everything stored about a person, found and taken away by schema/tables/personal-data.ts. */
export interface ErasureStore {
  /** @returns tables in which there was something */
  erase(subject: Subject): Promise<ErasedRows[]>
  /** Rows by table, in the words of the tables; tables without any are left out. */
  collect(subject: Subject): Promise<Map<string, ExportedRow[]>>
  /** Addresses among the subject's whose results the store has. */
  resultsOf(subject: Subject, limit: number): Promise<string[]>
  eraseResults(addresses: readonly string[]): Promise<number>
  /** Where marks of the subject's addresses may stand at the edge. */
  markedBy(subject: Subject, limit: number): Promise<Marked[]>
  /** Everything an account has, itself included. */
  eraseAccount(accountId: string): Promise<ErasedRows[]>
  dropMarks(accountId: string, hashes: readonly string[]): Promise<void>
  /** Removes what is past its retention, at most so many rows a table. @param now Unix milliseconds */
  purge(now: number, limit: number): Promise<ErasedRows[]>
}

const DAY_MS = 86_400_000
const MARKED_TABLES = ["suppressions", "address_feedback"]

export function createErasureStore(database: Database): ErasureStore {
  async function eraseFrom(one: PersonalTable, where: SQL, terms: SubjectTerms): Promise<ErasedRows> {
    const { table, blank, staying, isScanned = false } = one
    const remove = (which: SQL) => deleteInPieces(database, { table, where: which, isScanned })
    if (!blank) return { table, removed: await remove(where), blanked: 0 }
    const statement = (rows: SQL) => sql`UPDATE ${sql.identifier(table)} SET ${fillIn(blank, terms)} WHERE ${rows}`
    const update = (which: SQL) => inPieces(database, { table, where: which, statement, isScanned })
    if (!staying) return { table, removed: 0, blanked: await update(where) }
    const [stays, isFull] = [sql.raw(staying.where), sql.raw(staying.unlessBlank)]
    const removed = await remove(sql`(${where}) AND NOT (${stays})`)
    return { table, removed, blanked: await update(sql`(${where}) AND (${stays}) AND (${isFull})`) }
  }

  return {
    async erase(subject) {
      const erased: ErasedRows[] = []
      for (const one of PERSONAL_TABLES) {
        const where = rowsOf(one, subject)
        if (where) erased.push(await eraseFrom(one, where, subject.terms))
      }
      return erased.filter(isSomething)
    },

    async collect(subject) {
      const found = new Map<string, ExportedRow[]>()
      for (const one of PERSONAL_TABLES) {
        const where = rowsOf(one, subject)
        if (!where) continue
        const rows = await database.all<ExportedRow>(sql`SELECT * FROM ${sql.identifier(one.table)} WHERE ${where}`)
        const told = rows.map((row) => shown(row, one))
        if (told.length > 0) found.set(one.table, told)
      }
      return found
    },

    async resultsOf(subject, limit) {
      const where = rowsOf(tableOf("results"), subject)
      if (!where) return []
      const rows = await database.all<{ address: string }>(
        sql`SELECT address FROM results WHERE ${where} LIMIT ${limit}`,
      )
      return rows.map(({ address }) => address)
    },

    async eraseResults(addresses) {
      const { rowsAffected } = await database.run(
        sql`DELETE FROM results WHERE address IN (SELECT value FROM json_each(${JSON.stringify(addresses)}))`,
      )
      return rowsAffected
    },

    async markedBy(subject, limit) {
      const marked = MARKED_TABLES.map((table) => {
        const where = rowsOf(tableOf(table), subject) ?? sql`false`
        return sql`SELECT account_id AS list, address_hash AS "addressHash" FROM ${sql.identifier(table)} WHERE ${where}`
      })
      return database.all(sql`${sql.join(marked, sql` UNION `)} LIMIT ${limit}`)
    },

    async eraseAccount(accountId) {
      const erased: ErasedRows[] = []
      for (const [table, condition] of [...OWNED_INDIRECTLY, ...ACCOUNT_TABLES.map(ownRows), ownRows("accounts")]) {
        const removed = await deleteInPieces(database, { table, where: fillIn(condition, { account: accountId }) })
        erased.push({ table, removed, blanked: 0 })
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
      for (const { table, past, days, isScanned = false } of RETENTION) {
        const where = fillIn(past, { before: now - days * DAY_MS })
        purged.push({ table, removed: await deleteInPieces(database, { table, where, limit, isScanned }), blanked: 0 })
      }
      return purged.filter(isSomething)
    },
  }
}

const isSomething = ({ removed, blanked }: ErasedRows) => removed + blanked > 0
const ownRows = (table: string): [table: string, condition: string] => [table, "account_id = :account"]
const OF_JOB = "job_id IN (SELECT job_id FROM jobs WHERE account_id = :account)"
const SUBJECTS = "(SELECT :account UNION SELECT key_id FROM api_keys WHERE account_id = :account)"

/** An account's rows that do not name it themselves; they go before what they are found through. */
const OWNED_INDIRECTLY: readonly [table: string, condition: string][] = [
  ["job_rows", OF_JOB],
  ["job_files", OF_JOB],
  ["job_chunks", OF_JOB],
  ["job_items", OF_JOB],
  ["webhook_attempts", "event_id IN (SELECT event_id FROM outbound_events WHERE account_id = :account)"],
  ["used_tokens", "receiver_id IN (SELECT receiver_id FROM receivers WHERE account_id = :account)"],
  ["subscriptions", "customer_id IN (SELECT customer_id FROM billing_customers WHERE account_id = :account)"],
  ["usage", `subject IN ${SUBJECTS}`],
  ["ledger", `subject IN ${SUBJECTS}`],
]

function tableOf(name: string): PersonalTable {
  return PERSONAL_TABLES.find(({ table }) => table === name)!
}

/** The condition for a subject's rows in a table; null when there are none that the asker may touch. */
function rowsOf(one: PersonalTable, { by, terms, accountId, tables }: Subject): SQL | null {
  if (tables && !tables.includes(one.table)) return null
  const about = fillIn(one[by], terms)
  if (accountId === null) return about
  const own = one.account ?? one.askedBy
  return own === undefined ? null : sql`(${about}) AND (${fillIn(own, { account: accountId })})`
}

/** A row as an export shows it: JSON columns opened, secrets and hashes left out. */
function shown(row: ExportedRow, { hidden = [] }: PersonalTable): ExportedRow {
  const told = Object.entries(row).filter(([name]) => !hidden.includes(name))
  return Object.fromEntries(told.map(([name, value]) => [name, opened(value)]))
}

function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
