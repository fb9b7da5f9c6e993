import { sql } from "drizzle-orm"
import { PERSONAL_TABLES, type PersonalTable } from "../../../../schema/tables/personal-data.ts"
import { entriesAbout, type SubjectTerms } from "../../../domain/compliance/data-subject.ts"
import { unpackEvidence } from "../../verification/evidence-codec.ts"
import { bindValues, type RowSelection } from "../in-batches.ts"

/** Selects the rows of one address or domain, in one account or, with a null account, in all. */
export interface Subject {
  readonly by: "address" | "domain"
  readonly terms: SubjectTerms
  readonly accountId: string | null
  /** Only in these tables. */
  readonly tables?: readonly string[]
}

export type ExportedRow = Readonly<Record<string, unknown>>

/** The personal-data entry of a table. */
export function tableOf(name: string): PersonalTable {
  return PERSONAL_TABLES.find(({ table }) => table === name)!
}

/** Selects a subject's rows in a table; null when the table has none that the caller may access. */
export function rowsOf(one: PersonalTable, { by, terms, accountId, tables }: Subject): RowSelection | null {
  const [{ table }, condition] = [one, one[by]]
  if (condition === null || (tables && !tables.includes(table))) return null
  const [about, scanned] = [bindValues(condition, terms), one.scanned?.[by]]
  if (accountId === null) return { table, where: about, scanned }
  const owned = one.account ?? one.isRequestedBy
  if (owned === undefined) return null
  const own = bindValues(owned, { ...terms, account: accountId })
  if (by === "domain") return { table, where: sql`(${about}) AND (${own})`, scanned: scanned ?? one.scanned?.ownDomain }
  // The plus makes SQLite start from the few rows of the address: an account may have millions.
  return { table, where: sql`(${about}) AND +(${own})`, scanned }
}

/** Selects the rows to erase. An account's erasure leaves rows that another account verified too. */
export function rowsToErase(one: PersonalTable, subject: Subject): RowSelection | null {
  const which = rowsOf(one, subject)
  const { terms, accountId } = subject
  if (!which || accountId === null || one.isRequestedByOthers === undefined) return which
  return {
    ...which,
    where: sql`(${which.where}) AND NOT ${bindValues(one.isRequestedByOthers, { ...terms, account: accountId })}`,
  }
}

/** A row in an export: JSON columns parsed, packed evidence unpacked, without secrets, hashes and other people's list entries. */
export function exportedRow(
  row: ExportedRow,
  { hidden = [], lists = [], packed }: PersonalTable,
  terms: SubjectTerms,
): ExportedRow {
  const isOwn = row.mailbox !== undefined && row.mailbox === terms.key
  const visible = Object.entries(row).filter(([name]) => !hidden.includes(name))
  return Object.fromEntries(
    visible.map(([name, value]) => {
      const open = opened(value, name === packed)
      return [name, lists.includes(name) && !isOwn ? entriesAbout(open, terms) : open]
    }),
  )
}

/** A row in the export of an account: JSON columns parsed, without secrets and hashes. */
export function accountRow(row: ExportedRow): ExportedRow {
  const visible = Object.entries(row).filter(([name]) => !SECRET_COLUMN.test(name))
  return Object.fromEntries(visible.map(([name, value]) => [name, opened(value, false)]))
}

const SECRET_COLUMN = /(^|_)(digest|pepper_id|hash|sealed|seal_key_id|sealed_secret)$/

function opened(value: unknown, isPacked: boolean): unknown {
  if (typeof value !== "string" || !(isPacked || /^[[{]/.test(value))) return value
  try {
    return isPacked ? unpackEvidence(value) : JSON.parse(value)
  } catch {
    return value
  }
}
