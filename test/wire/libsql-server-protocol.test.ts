import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"

const folder = mkdtempSync(join(tmpdir(), "libsql-"))
let server: LibsqlServer

beforeAll(async () => {
  const limits = { maxBodyBytes: 10_000, maxResponseBytes: 5_000 }
  server = await startLibsqlServer({ file: join(folder, "x.db"), synchronous: "normal", ...limits })
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

interface Reply {
  readonly status: number
  readonly type: string | null
  readonly body: string
}

async function post(body: unknown): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const response = await fetch(`${server.url}/v2/pipeline`, { method: "POST", body: text })
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() }
}

/** Sends requests as one pipeline and returns their results. */
async function pipeline(...requests: object[]) {
  const { status, body } = await post({ baton: null, requests: [...requests, close] })
  if (status !== 200) throw new Error(`${status} ${body}`)
  const answer = JSON.parse(body) as { baton: null; base_url: null; results: Result[] }
  expect(answer).toMatchObject({ baton: null, base_url: null })
  expect(answer.results.at(-1)).toEqual({ type: "ok", response: { type: "close" } })
  return answer.results
}

interface Result {
  readonly type: string
  readonly response?: { type: string; result?: unknown }
  readonly error?: { message: string; code: string }
}

const execute = (sql: string) => ({ type: "execute", stmt: { sql } })
const close = { type: "close" }

describe("URLs", () => {
  test.each([
    ["GET", "/health", 200],
    ["POST", "/health", 405],
    ["GET", "/v3", 404],
    ["GET", "/v3-protobuf", 404],
    ["GET", "/v2/pipeline", 405],
    ["POST", "/v3/pipeline", 404],
    ["GET", "//", 404],
  ])("%s %s answers %i", async (method, path, status) => {
    expect((await fetch(server.url + path, { method })).status).toBe(status)
  })
})

describe("requests that violate the protocol", () => {
  const pipelineOf = (...requests: object[]) => ({ requests: [...requests, close] })
  const stmt = (value: object) => pipelineOf({ type: "execute", stmt: { sql: "SELECT ?", args: [value] } })
  const batch = (condition: object) =>
    pipelineOf({ type: "batch", batch: { steps: [{ condition, stmt: { sql: "SELECT 1" } }] } })

  test.each([
    ["no JSON", "{", /JSON/],
    ["no object", "[]", /JSON/],
    ["an unknown request", pipelineOf({ type: "explode" }), /requests.0/],
    ["an unknown value type", stmt({ type: "date", value: "x" }), /requests.0.stmt.args.0/],
    ["an integer that is no string", stmt({ type: "integer", value: 5 }), /args.0.value/],
    ["an integer of 65 bits", stmt({ type: "integer", value: "9223372036854775808" }), /64 bits/],
    ["half a surrogate pair", stmt({ type: "text", value: "\ud800" }), /surrogate/],
    ["invalid base64", stmt({ type: "blob", base64: "*" }), /base64/],
    ["no statement text", pipelineOf({ type: "execute", stmt: {} }), /`sql` or `sql_id` are required/],
    ["two statement texts", pipelineOf({ type: "execute", stmt: { sql: "", sql_id: 1 } }), /not both/],
    ["an unknown stored text", pipelineOf({ type: "sequence", sql_id: 1 }), /SQL text 1 not found/],
    ["a condition on a later step", batch({ type: "ok", step: 0 }), /Invalid reference/],
    ["a nested one", batch({ type: "not", cond: { type: "ok", step: 3 } }), /Invalid reference/],
    ["an interactive transaction", { requests: [execute("BEGIN")] }, /send a transaction as one batch/],
    ["a baton", { baton: "AAAA", requests: [close] }, /baton/],
  ])("%s: 400 in plain text", async (_, body, message) => {
    expect(await post(body)).toEqual({ status: 400, type: "text/plain", body: expect.stringMatching(message) })
  })

  test("a body over the limit is 413, with or without a declared length", async () => {
    expect((await post({ requests: [execute("x".repeat(10_000))] })).status).toBe(413)
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(6_000, 32)),
    })
    const unannounced = { method: "POST", body: stream, duplex: "half" } as RequestInit
    const status = await fetch(`${server.url}/v2/pipeline`, unannounced).then(
      (response) => response.status,
      () => "cut off",
    )
    expect([413, "cut off"]).toContain(status)
  })

  test("the client's interactive transaction is refused before its first statement runs", async () => {
    await pipeline(execute("CREATE TABLE tx (id)"))
    const client = createClient({ url: server.url })
    const transaction = await client.transaction("write")
    await expect(transaction.execute("INSERT INTO tx VALUES (1)")).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/400/) },
    })
    expect((await client.execute("SELECT count(*) AS n FROM tx")).rows).toEqual([{ n: 0 }])
  })
})

describe("a pipeline", () => {
  test("uses the texts it has stored", async () => {
    const results = await pipeline(
      { type: "store_sql", sql_id: 1, sql: "SELECT 7 AS n" },
      { type: "execute", stmt: { sql_id: 1 } },
      { type: "execute", stmt: { sql_id: 1, want_rows: false } },
      { type: "close_sql", sql_id: 1 },
    )
    const cols = [{ name: "n", decltype: null }]
    const rest = { affected_row_count: 0, last_insert_rowid: null }
    expect(results[1]?.response?.result).toEqual({ cols, rows: [[{ type: "integer", value: "7" }]], ...rest })
    expect(results[2]?.response?.result).toEqual({ cols, rows: [], ...rest })
    await expect(pipeline({ type: "execute", stmt: { sql_id: 1 } })).rejects.toThrow(/not found/)
  })

  test.each([
    ["a statement", execute("BEGIN IMMEDIATE")],
    ["a sequence", { type: "sequence", sql: "BEGIN; INSERT INTO open_end VALUES (1)" }],
    [
      "a batch",
      {
        type: "batch",
        batch: { steps: ["BEGIN", "INSERT INTO open_end VALUES (1)"].map((sql) => ({ stmt: { sql } })) },
      },
    ],
  ])("that leaves a transaction open after %s has it rolled back", async (_, request) => {
    await pipeline({ type: "sequence", sql: "DROP TABLE IF EXISTS open_end; CREATE TABLE open_end (id)" })
    const results = await pipeline(request, execute("SELECT count(*) FROM open_end"))
    expect(results[0]).toMatchObject({ type: "ok" })
    expect(results[1]?.response?.result).toMatchObject({ rows: [[{ value: "0" }]] })
  })

  test("follows the conditions of a batch", async () => {
    const ok = (step: number) => ({ type: "ok", step })
    const not = (cond: object) => ({ type: "not", cond })
    const steps = [
      { stmt: { sql: "SELECT 0" } },
      { stmt: { sql: "SELECT * FROM missing" } },
      { stmt: { sql: "SELECT 2" }, condition: not(ok(1)) },
      { stmt: { sql: "SELECT 3" }, condition: ok(1) },
      { stmt: { sql: "SELECT 4" }, condition: not(not(ok(2))) },
      { stmt: { sql: "SELECT 5" }, condition: ok(3) },
    ]
    const results = await pipeline({ type: "batch", batch: { steps } })
    const result = results[0]?.response?.result as {
      step_results: ({ rows: { value: string }[][] } | null)[]
      step_errors: unknown[]
    }
    const values = result.step_results.map((step) => step?.rows[0]?.[0]?.value ?? null)
    expect(values).toEqual(["0", null, "2", null, "4", null])
    const error = { message: "SQLite error: no such table: missing", code: "SQLITE_UNKNOWN" }
    expect(result.step_errors).toEqual([null, error, ...Array(4).fill(null)])
  })

  test("stops a sequence at its first error", async () => {
    const sql =
      "CREATE TABLE seq (id UNIQUE); INSERT INTO seq VALUES (1); INSERT INTO seq VALUES (1); INSERT INTO seq VALUES (2)"
    const results = await pipeline({ type: "sequence", sql }, execute("SELECT id FROM seq"))
    expect(results[0]).toMatchObject({ type: "error", error: { code: "SQLITE_CONSTRAINT" } })
    expect(results[1]?.response?.result).toMatchObject({ rows: [[{ value: "1" }]] })
  })

  test("with too many rows gets an error, and its statement releases its snapshot", async () => {
    const rows = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000) SELECT x FROM c"
    const results = await pipeline(
      execute(`CREATE TABLE long AS ${rows}`),
      execute("SELECT * FROM long"),
      execute("DELETE FROM long WHERE x > 7"),
      execute("SELECT count(*) FROM long"),
    )
    expect(results[1]).toMatchObject({ type: "error", error: { code: "RESPONSE_TOO_LARGE" } })
    expect(results[3]?.response?.result).toMatchObject({ rows: [[{ value: "7" }]] })
  })
})
