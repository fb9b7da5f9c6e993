import { z } from "zod"

const Journal = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string().regex(/^[\w-]+$/) })) })

/** A migration by the name of its file and the time that a database records. */
export type Migration = z.infer<typeof Journal>["entries"][number]

/** Where drizzle-kit lists the migrations of a version. */
export const JOURNAL = "schema/migrations/meta/_journal.json"
export const migrationFile = ({ tag }: Migration): string => `schema/migrations/${tag}.sql`

/** @param journal the text of a version's list @param applied times in the database */
export function pendingOf(journal: string, applied: readonly number[]): Migration[] {
  return Journal.parse(JSON.parse(journal)).entries.filter(({ when }) => !applied.includes(when))
}

const NAME = '[`"]?(?<table>\\w+)[`"]?'
/** Statements that read or write each row of a table. Others, such as a new column, take no time. */
const PER_ROW = [
  `^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?\\S+ ON ${NAME}`,
  `^UPDATE (?:OR \\w+ )?${NAME}`,
  `^DELETE FROM ${NAME}`,
  `^(?:INSERT|REPLACE) (?:OR \\w+ )?INTO [^;]*? FROM ${NAME}`,
].map((text) => new RegExp(text, "i"))
const ALTERS = new RegExp(`^ALTER TABLE ${NAME}`, "i")

/** A table that a migration changes. */
export interface ChangedTable {
  readonly name: string
  /** Statements that visit each of its rows. */
  readonly passes: number
}

/** Tables that exist before a migration and that it changes. @param sql the text of its file */
export function changedTables(sql: string): ChangedTable[] {
  const passes = new Map<string, number>()
  const created = new Set<string>()
  for (const part of sql.split("--> statement-breakpoint")) {
    const statement = part
      .replaceAll(/^\s*--.*$/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim()
    const fresh = /^CREATE TABLE (?:IF NOT EXISTS )?[`"]?(\w+)/i.exec(statement)?.[1]
    if (fresh) created.add(fresh)
    const visited = PER_ROW.map((one) => one.exec(statement)?.groups?.table).find((table) => table !== undefined)
    const altered = ALTERS.exec(statement)?.groups?.table
    const table = visited ?? altered
    if (table && !created.has(table)) passes.set(table, (passes.get(table) ?? 0) + Number(visited !== undefined))
  }
  return [...passes].map(([name, count]) => ({ name, passes: count }))
}

/** Rows that one pass visits in a second. Measured on two cores: 540,000 for a copy, 1,100,000 for an index. */
const ROWS_A_SECOND = 300_000

/** Estimates the seconds of passes over tables. @param tables rows and passes of each */
export function secondsFor(tables: readonly { readonly rows: number; readonly passes: number }[]): number {
  return tables.reduce((sum, { rows, passes }) => sum + rows * passes, 0) / ROWS_A_SECOND
}
