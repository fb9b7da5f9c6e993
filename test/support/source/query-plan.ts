import { join } from "node:path"
import Sqlite from "libsql"
import type { Database } from "../../../src/adapters/store/database.ts"
import type { startDatabase } from "../stack/database.ts"
import { ON_SQLD } from "../stack/database-server.ts"

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

/** The tables that statements scan completely, from SQLite's query plans. */
export async function scanned(server: Server, statements: readonly string[]): Promise<string[]> {
  const plans = await plansOf(server, statements)
  return plans.flatMap((detail) => /^SCAN (?!\w+ VIRTUAL)(?!CONSTANT)(\w+)/.exec(detail)?.[1] ?? [])
}

/** The steps of SQLite's query plans, such as "SEARCH jobs USING INDEX jobs_account (account_id=?)". */
export function plansOf(server: Server, statements: readonly string[]): Promise<string[]> | string[] {
  return (ON_SQLD ? plansOnServer : plansInFile)(server, statements)
}

async function plansOnServer(server: Server, statements: readonly string[]): Promise<string[]> {
  const { $client: client } = server.open()
  const plans = statements.map((one) => client.execute({ sql: `EXPLAIN QUERY PLAN ${one}`, args: valuesFor(one) }))
  return (await Promise.all(plans)).flatMap(({ rows }) => rows.map(({ detail }) => String(detail)))
}

function plansInFile({ folder }: Server, statements: readonly string[]): string[] {
  const file = new Sqlite(join(folder, "test.db"), { readonly: true })
  try {
    return statements.flatMap((one) => {
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${one}`).all(valuesFor(one)) as { detail: string }[]
      return plan.map(({ detail }) => detail)
    })
  } finally {
    file.close()
  }
}

function valuesFor(statement: string): null[] {
  return Array.from({ length: statement.split("?").length - 1 }, () => null)
}
