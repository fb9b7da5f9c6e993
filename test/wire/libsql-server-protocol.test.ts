import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"

const folder = mkdtempSync(join(tmpdir(), "libsql-"))
let server: LibsqlServer

beforeAll(async () => {
  const limits = { maxBodyBytes: 10_000, maxResponseBytes: 5_000, streamIdleMs: 150, maxStreams: 5 }
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

async function post(body: unknown, path = "/v2/pipeline"): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const response = await fetch(server.url + path, { method: "POST", body: text })
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() }
}

/** Sends requests on one stream and returns its baton with the results. */
async function pipeline(requests: object[], { baton, version = 3 }: { baton?: string | null; version?: number } = {}) {
  const { status, body } = await post({ baton, requests }, `/v${version}/pipeline`)
  if (status !== 200) throw new Error(`${status} ${body}`)
  return JSON.parse(body) as { baton: string | null; base_url: null; results: Result[] }
}

interface Result {
  readonly type: string
  readonly response?: { type: string; result?: unknown; is_autocommit?: boolean }
  readonly error?: { message: string; code: string }
}

const execute = (sql: string) => ({ type: "execute", stmt: { sql } })
const close = { type: "close" }

describe("URLs", () => {
  test.each([
    ["GET", "/health", 200],
    ["GET", "/v2", 200],
    ["GET", "/v2/?x=/y", 200],
    ["GET", "/v3", 200],
    ["GET", "/v3-protobuf", 404],
    ["GET", "/v2/pipeline", 405],
    ["POST", "/v4/pipeline", 404],
    ["GET", "//", 404],
  ])("%s %s answers %i", async (method, path, status) => {
    expect((await fetch(server.url + path, { method })).status).toBe(status)
  })
})

describe("requests that violate the protocol", () => {
  const stmt = (value: object) => ({ requests: [{ type: "execute", stmt: { sql: "SELECT ?", args: [value] } }] })
  const batch = (condition: object) => ({
    requests: [{ type: "batch", batch: { steps: [{ condition, stmt: { sql: "SELECT 1" } }] } }],
  })

  test.each([
    ["no JSON", "{", /JSON/],
    ["no object", "[]", /JSON/],
    ["an unknown request", { requests: [{ type: "explode" }] }, /requests.0/],
    ["an unknown value type", stmt({ type: "date", value: "x" }), /requests.0.stmt.args.0/],
    ["an integer that is no string", stmt({ type: "integer", value: 5 }), /args.0.value/],
    ["an integer of 65 bits", stmt({ type: "integer", value: "9223372036854775808" }), /64 bits/],
    ["half a surrogate pair", stmt({ type: "text", value: "\ud800" }), /surrogate/],
    ["invalid base64", stmt({ type: "blob", base64: "*" }), /base64/],
    ["no statement text", { requests: [{ type: "execute", stmt: {} }] }, /`sql` or `sql_id` are required/],
    ["two statement texts", { requests: [{ type: "execute", stmt: { sql: "", sql_id: 1 } }] }, /not both/],
    ["an unknown stored text", { requests: [{ type: "sequence", sql_id: 1 }] }, /SQL text 1 not found/],
    ["a condition on a later step", batch({ type: "ok", step: 0 }), /Invalid reference/],
    [
      "a nested one",
      batch({ type: "and", conds: [{ type: "not", cond: { type: "error", step: 3 } }] }),
      /Invalid reference/,
    ],
    ["is_autocommit in version 2", batch({ type: "is_autocommit" }), /hrana3/],
    ["get_autocommit in version 2", { requests: [{ type: "get_autocommit" }] }, /hrana3/],
    ["a request after close", { requests: [close, execute("SELECT 1")] }, /was closed/],
    ["a forged baton", { baton: "A".repeat(64), requests: [] }, /invalid baton/],
    ["a short baton", { baton: "AAAA", requests: [] }, /invalid baton/],
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
})

describe("streams", () => {
  test("a baton continues its stream once", async () => {
    const first = await pipeline([execute("BEGIN"), { type: "store_sql", sql_id: 1, sql: "SELECT 7 AS n" }])
    expect(first).toMatchObject({ baton: expect.any(String), base_url: null })
    const requests = [{ type: "get_autocommit" }, { type: "execute", stmt: { sql_id: 1 } }]
    const second = await pipeline(requests, { baton: first.baton })
    expect(second.results[0]?.response).toEqual({ type: "get_autocommit", is_autocommit: false })
    expect(second.results[1]?.response?.result).toEqual({
      cols: [{ name: "n", decltype: null }],
      rows: [[{ type: "integer", value: "7" }]],
      affected_row_count: 0,
      last_insert_rowid: null,
    })
    expect(await post({ baton: first.baton, requests: [] })).toMatchObject({
      status: 400,
      body: expect.stringMatching(/already been used/),
    })
    const third = await pipeline([{ type: "close_sql", sql_id: 1 }, close], { baton: second.baton })
    expect(third).toMatchObject({ baton: null, results: [{ type: "ok" }, { type: "ok", response: { type: "close" } }] })
    expect(await post({ baton: second.baton, requests: [] })).toMatchObject({
      status: 400,
      body: expect.stringMatching(/invalid baton/),
    })
  })

  test("a changed baton is refused, and the stream continues", async () => {
    const { baton } = await pipeline([])
    const bytes = Buffer.from(baton!, "base64")
    for (const at of [0, 15, 16, 47]) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      expect(await post({ baton: changed.toString("base64"), requests: [] })).toMatchObject({
        body: expect.stringMatching(/invalid baton/),
      })
    }
    await expect(pipeline([close], { baton: baton! })).resolves.toMatchObject({ baton: null })
  })

  test("of concurrent requests with one baton only one succeeds", async () => {
    const { baton } = await pipeline([])
    const replies = await Promise.all([1, 2, 3].map(() => post({ baton, requests: [close] })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
  })

  test("a protocol error ends the stream and its transaction", async () => {
    await pipeline([execute("CREATE TABLE IF NOT EXISTS ended (id)"), close])
    const { baton } = await pipeline([execute("BEGIN IMMEDIATE"), execute("INSERT INTO ended VALUES (1)")])
    await expect(pipeline([{ type: "sequence" }], { baton: baton! })).rejects.toThrow(/^400 /)
    await expect(pipeline([], { baton: baton! })).rejects.toThrow(/invalid baton/)
    const { results } = await pipeline([execute("SELECT count(*) FROM ended"), close])
    expect(results[0]?.response?.result).toMatchObject({ rows: [[{ value: "0" }]] })
  })

  test("an idle stream expires, with its transaction", async () => {
    const { baton } = await pipeline([
      execute("CREATE TABLE idle (id)"),
      execute("BEGIN"),
      execute("INSERT INTO idle VALUES (1)"),
    ])
    await expect
      .poll(() => pipeline([execute("INSERT INTO idle VALUES (2)"), close]))
      .toMatchObject({ results: [{ type: "ok" }, {}] })
    expect(await post({ baton, requests: [] })).toMatchObject({
      status: 500,
      type: "application/json",
      body: JSON.stringify({ message: "The stream has expired due to inactivity", code: "STREAM_EXPIRED" }),
    })
  })

  test("more streams than the limit are 429 until one ends", async () => {
    const open = await Promise.all(Array.from({ length: 5 }, () => pipeline([])))
    expect((await post({ requests: [] })).status).toBe(429)
    for (const { baton } of open) await pipeline([close], { baton })
    await pipeline([close])
  })
})

describe("answers", () => {
  test("a batch follows its conditions", async () => {
    const ok = (step: number) => ({ type: "ok", step })
    const steps = [
      { stmt: { sql: "SELECT 0" } },
      { stmt: { sql: "SELECT * FROM missing" } },
      { stmt: { sql: "SELECT 2" }, condition: { type: "error", step: 1 } },
      { stmt: { sql: "SELECT 3" }, condition: ok(1) },
      { stmt: { sql: "SELECT 4" }, condition: { type: "not", cond: { type: "or", conds: [ok(1), ok(3)] } } },
      { stmt: { sql: "SELECT 5" }, condition: { type: "and", conds: [ok(0), { type: "is_autocommit" }] } },
      { stmt: { sql: "BEGIN" }, condition: { type: "and", conds: [] } },
      { stmt: { sql: "SELECT 7" }, condition: { type: "is_autocommit" } },
      { stmt: { sql: "SELECT 8" }, condition: { type: "or", conds: [] } },
    ]
    const { results } = await pipeline([{ type: "batch", batch: { steps } }, close])
    const result = results[0]?.response?.result as {
      step_results: ({ rows: { value: string }[][] } | null)[]
      step_errors: unknown[]
    }
    const values = result.step_results.map((step) => step && (step.rows[0]?.[0]?.value ?? ""))
    expect(values).toEqual(["0", null, "2", null, "4", "5", "", null, null])
    const error = { message: "SQLite error: no such table: missing", code: "SQLITE_UNKNOWN" }
    expect(result.step_errors).toEqual([null, error, ...Array(7).fill(null)])
  })

  test("describe", async () => {
    const sql = "SELECT id, ?, ?3, :name, count(*) AS n FROM described WHERE id = :name"
    const { results } = await pipeline([
      execute("CREATE TABLE described (id VARCHAR(9))"),
      { type: "describe", sql },
      { type: "describe", sql: "EXPLAIN DELETE FROM described" },
      { type: "describe", sql: "WITH a AS (SELECT 1) INSERT INTO described SELECT * FROM a" },
      close,
    ])
    expect(results[1]?.response?.result).toEqual({
      params: [{ name: null }, { name: null }, { name: "?3" }, { name: ":name" }],
      cols: ["id", "?", "?3", ":name", "n"].map((name) => ({ name, decltype: name === "id" ? "VARCHAR(9)" : null })),
      is_explain: false,
      is_readonly: true,
    })
    expect(results[2]?.response?.result).toMatchObject({ is_explain: true })
    expect(results[3]?.response?.result).toMatchObject({ is_explain: false, is_readonly: false, cols: [] })
  })

  test("named arguments, with or without their sign; want_rows", async () => {
    const integer = (value: string) => ({ type: "integer", value })
    const named = [
      ["a", "1"],
      ["@b", "2"],
      ["$c", "3"],
    ].map(([name, value]) => ({ name, value: integer(value!) }))
    const stmt = { sql: "SELECT :a, @b, $c, :a", named_args: named }
    const { results } = await pipeline([
      { type: "execute", stmt },
      { type: "execute", stmt: { ...stmt, want_rows: false } },
      { type: "execute", stmt: { ...stmt, args: [integer("1")] } },
      close,
    ])
    expect(results[0]?.response?.result).toMatchObject({ rows: [["1", "2", "3", "1"].map(integer)] })
    expect(results[1]?.response?.result).toMatchObject({ rows: [] })
    expect(results[2]?.error?.code).toBe("ARGS_BOTH_POSITIONAL_AND_NAMED")
  })

  test("a sequence stops at its first error", async () => {
    const sql =
      "CREATE TABLE seq (id UNIQUE); INSERT INTO seq VALUES (1); INSERT INTO seq VALUES (1); INSERT INTO seq VALUES (2)"
    const { results } = await pipeline([{ type: "sequence", sql }, execute("SELECT id FROM seq"), close])
    expect(results[0]).toMatchObject({ type: "error", error: { code: "SQLITE_CONSTRAINT" } })
    expect(results[1]?.response?.result).toMatchObject({ rows: [[{ value: "1" }]] })
  })

  test("stored statements are limited in size and number", async () => {
    const many = Array.from({ length: 51 }, (_, sql_id) => ({ type: "store_sql", sql_id, sql: "SELECT 1" }))
    const { results } = await pipeline([...many, close])
    expect(results.map(({ error }) => error?.code).filter(Boolean)).toEqual(["SQL_STORE_TOO_MANY"])
    const large = await pipeline([{ type: "store_sql", sql_id: 1, sql: "x".repeat(5_001) }, close])
    expect(large.results[0]?.error?.code).toBe("SQL_STORE_TOO_LARGE")
  })

  test("too many rows are an error, and the statement releases its snapshot", async () => {
    const rows = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000) SELECT x FROM c"
    const first = await pipeline([
      execute(`CREATE TABLE long AS ${rows}`),
      execute("SELECT * FROM long"),
      execute("SELECT 1"),
    ])
    expect(first.results[1]).toMatchObject({ type: "error", error: { code: "RESPONSE_TOO_LARGE" } })
    expect(first.results[2]).toMatchObject({ type: "ok" })
    await pipeline([execute("DELETE FROM long WHERE x > 7"), close])
    const requests = [execute("BEGIN IMMEDIATE"), execute("SELECT count(*) FROM long"), close]
    const { results } = await pipeline(requests, { baton: first.baton })
    expect(results[1]?.response?.result).toMatchObject({ rows: [[{ value: "7" }]] })
  })
})
