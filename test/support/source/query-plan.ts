import { join } from "node:path"
import Sqlite from "libsql"
import type { Database } from "../../../src/adapters/store/database.ts"
import type { startDatabase } from "../stack/database.ts"

type Server = Awaited<ReturnType<typeof startDatabase>>

/** The statements that a piece of work sends. */
export async function statementsOf(server: Server, work: (database: Database) => Promise<unknown>): Promise<string[]> {
  const sent = new Set<string>()
  const fetching: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.clone().text()
    for (const [, text] of body.matchAll(/"sql":("(?:[^"\\]|\\.)*")/g)) sent.add(JSON.parse(text!) as string)
    return fetch(request)
  }
  await work(server.open({ fetch: fetching }))
  return [...sent]
}

/** The tables that a statement scans completely, from SQLite's query plan. */
export function scanned({ folder }: Server, statement: string): string[] {
  const file = new Sqlite(join(folder, "test.db"), { readonly: true })
  try {
    const values = Array.from({ length: statement.split("?").length - 1 }, () => null)
    const plan = file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(values) as { detail: string }[]
    return plan.flatMap(({ detail }) => /^SCAN (?!\w+ VIRTUAL)(?!CONSTANT)(\w+)/.exec(detail)?.[1] ?? [])
  } finally {
    file.close()
  }
}
