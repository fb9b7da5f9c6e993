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

/** The tables that statements scan completely, from SQLite's query plans. */
export async function scanned(server: Server, statements: readonly string[]): Promise<string[]> {
  const { $client: client } = server.open()
  const plans = statements.map(async (statement) => {
    const args = Array.from({ length: statement.split("?").length - 1 }, () => null)
    return (await client.execute({ sql: `EXPLAIN QUERY PLAN ${statement}`, args })).rows
  })
  const steps = (await Promise.all(plans)).flat()
  return steps.flatMap(({ detail }) => /^SCAN (?!\w+ VIRTUAL)(?!CONSTANT)(\w+)/.exec(String(detail))?.[1] ?? [])
}
