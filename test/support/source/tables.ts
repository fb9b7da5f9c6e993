import { readdirSync } from "node:fs"
import { getTableColumns, getTableName, is } from "drizzle-orm"
import { type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

export interface TableShape {
  readonly name: string
  /** Columns by their database names. */
  readonly columns: ReadonlyMap<string, SQLiteColumn>
}

/** Every table in schema/tables. */
export async function allTables(): Promise<TableShape[]> {
  const folder = new URL("../../../schema/tables/", import.meta.url)
  const modules = await Promise.all(
    readdirSync(folder).map((file) => import(new URL(file, folder).href) as Promise<object>),
  )
  const tables = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, SQLiteTable))
  return tables.map((table) => ({
    name: getTableName(table),
    columns: new Map(Object.entries(getTableColumns(table)).map(([key, column]) => [snakeCase(key), column])),
  }))
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
