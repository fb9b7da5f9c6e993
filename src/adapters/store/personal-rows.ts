import { sql } from "drizzle-orm"
import { PERSONAL_TABLES, type PersonalTable } from "../../../schema/tables/personal-data.ts"
import type { SubjectTerms } from "../../domain/compliance/data-subject.ts"
import { entriesAbout } from "../../domain/compliance/entries-about.ts"
import { fillIn, type Which } from "./in-pieces.ts"

/** Whose rows are meant: one address's or a domain's; of one account, or with null of everybody. */
export interface Subject {
  readonly by: "address" | "domain"
  readonly terms: SubjectTerms
  readonly accountId: string | null
  /** Only in these tables. */
  readonly tables?: readonly string[]
}

export type ExportedRow = Readonly<Record<string, unknown>>

/** What the list of personal data says of a table that is in it. */
export function tableOf(name: string): PersonalTable {
  return PERSONAL_TABLES.find(({ table }) => table === name)!
}

/** A subject's rows in a table; null when there are none that the asker may touch. */
export function rowsOf(one: PersonalTable, { by, terms, accountId, tables }: Subject): Which | null {
  const [{ table }, condition] = [one, one[by]]
  if (condition === null || (tables && !tables.includes(table))) return null
  const [about, scanned] = [fillIn(condition, terms), one.scanned?.[by]]
  if (accountId === null) return { table, where: about, scanned }
  const owned = one.account ?? one.askedBy
  if (owned === undefined) return null
  const own = fillIn(owned, { ...terms, account: accountId })
  if (by === "domain") return { table, where: sql`(${about}) AND (${own})`, scanned: scanned ?? one.scanned?.ownDomain }
  // The plus keeps SQLite to the few rows of the address: an account may have millions.
  return { table, where: sql`(${about}) AND +(${own})`, scanned }
}

/** A row as an export shows it: JSON columns opened, secrets and hashes left out, and others who stand in a list with them. */
export function shown(row: ExportedRow, { hidden = [], lists = [] }: PersonalTable, terms: SubjectTerms): ExportedRow {
  const isOwn = row.mailbox !== undefined && row.mailbox === terms.key
  const told = Object.entries(row).filter(([name]) => !hidden.includes(name))
  return Object.fromEntries(
    told.map(([name, value]) => [
      name,
      lists.includes(name) && !isOwn ? entriesAbout(opened(value), terms) : opened(value),
    ]),
  )
}

function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
