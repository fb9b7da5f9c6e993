import { sql } from "drizzle-orm"
import type { Database } from "../../../src/adapters/store/database.ts"
import { allTables } from "../source/tables.ts"

const tables = (await allTables()).map(({ name }) => name)

/** Tables with a row that contains a text, in any letter case. */
export async function findTablesWith(database: Database, text: string): Promise<string[]> {
  const found: string[] = []
  for (const table of tables) {
    const rows = await database.all(sql`SELECT * FROM ${sql.identifier(table)}`)
    if (JSON.stringify(rows).toLowerCase().includes(text.toLowerCase())) found.push(table)
  }
  return found
}
