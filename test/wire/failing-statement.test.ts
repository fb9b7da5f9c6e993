import { sql } from "drizzle-orm"
import { Hono } from "hono"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import type { DiskSpace } from "../../schema/wire/disk.ts"
import { jsonLog, type Log } from "../../src/adapters/platform.ts"
import { AppError, rootCause, TokenRefused } from "../../src/errors.ts"
import type { AppEnv } from "../../src/http/endpoint.ts"
import { onError } from "../../src/http/errors.ts"
import { startDatabase } from "../support/stack/database.ts"

const CANARY = "canary@mailbox.test"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())
afterEach(() => vi.restoreAllMocks())

async function failure(fetching?: typeof fetch): Promise<Error> {
  const database = server.open(fetching ? { fetch: fetching } : {})
  const failed = await database.run(sql`INSERT INTO nowhere (email) VALUES (${CANARY})`).catch((error: Error) => error)
  if (!(failed instanceof Error)) throw new Error("the statement succeeded")
  return failed
}

const causes = (error: unknown): unknown[] => (error instanceof Error ? [error, ...causes(error.cause)] : [])

test.each([429, 500, 502, 503])("a store with status %i is unavailable", async (status) => {
  const failed = await failure(async () => new Response("<h1>no</h1>", { status }))
  const cause = causes(failed).find((error) => error instanceof AppError)
  expect(cause).toMatchObject({ code: "unavailable", retryAfterSeconds: 5 })
})

test.each([401, 403])(
  "a store that refuses the token with status %i is unavailable, and the cause names it",
  async (status) => {
    const failed = await failure(async () => Response.json({ error: "The JWT is invalid" }, { status }))
    const cause = causes(failed).find((error) => error instanceof AppError)
    expect(cause).toMatchObject({ code: "unavailable", retryAfterSeconds: 5 })
    expect(rootCause(failed)).toBeInstanceOf(TokenRefused)
    expect(rootCause(failed).message).toBe(`the database refuses LIBSQL_AUTH_TOKEN (HTTP ${status}): set a valid token`)
  },
)

/** A server that runs nothing and reports one SQL error. */
function failingWith(code: string): typeof fetch {
  return async () => {
    const failed = { type: "error", error: { message: "refused", code } }
    return Response.json({
      baton: null,
      base_url: null,
      results: [failed, { type: "ok", response: { type: "close" } }],
    })
  }
}

test.each(["SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN", "BLOCKED"])(
  "a database that refuses a write with %s is 503 with Retry-After, and the log has the reason",
  async (code) => {
    const failed = await failure(failingWith(code))
    const logged: unknown[] = []
    const app = appThatFails(failed, (...line) => void logged.push(line))
    const response = await app.request("/")
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
    expect(await response.json()).toEqual({
      detail: "the result store accepts no writes; try again shortly",
      code: "storage_unavailable",
    })
    expect(logged).toEqual([["unavailable", expect.objectContaining({ cause: expect.stringContaining(code) })]])
  },
)

const FULL = { freeBytes: 0, totalBytes: 9 }
const FREE = { freeBytes: 9, totalBytes: 9 }
const CODE = { code: "storage_unavailable" }
const UNAVAILABLE = { code: "unavailable" }
/** What workerd 1.2026 reports when the storage of a Durable Object or of KV fails. The last two are any other fault, too. */
const FAULT = "internal error; reference = u8kuqi61ft0n2uo8iq584e33"
const KV_FAULT = "KV PUT failed: 500 Internal Server Error"
test.each<[string, DiskSpace | null, string, { readonly code: string }]>([
  ["database or disk is full: SQLITE_FULL", FREE, "5", CODE],
  ["disk I/O error: SQLITE_IOERR", FREE, "5", CODE],
  ["unable to open database file: SQLITE_CANTOPEN", FREE, "5", CODE],
  [FAULT, FULL, "5", CODE],
  [FAULT, FREE, "1", UNAVAILABLE],
  [FAULT, null, "1", UNAVAILABLE],
  [KV_FAULT, FULL, "5", CODE],
  [KV_FAULT, FREE, "1", UNAVAILABLE],
])(
  "a part that fails with `%s` on the disk %j is 503 with Retry-After %s and %j",
  async (message, space, retryAfter, code) => {
    const logged: unknown[] = []
    const app = appThatFails(new Error(message), (...line) => void logged.push(line), space)
    const response = await app.request("/")
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, retryAfter])
    const { detail, ...more } = (await response.json()) as { detail: string }
    expect([detail, more]).toEqual([expect.stringMatching(/; try again shortly$/), code])
    expect(logged).toEqual([["unavailable", expect.objectContaining({ cause: message })]])
  },
)

test.each([
  "Cannot read properties of undefined",
  "KV PUT failed: 400 Bad Request",
  "the text internal error; reference",
])("an error with the text `%s` stays a bug", async (message) => {
  expect((await appThatFails(new Error(message), () => undefined).request("/")).status).toBe(500)
})

/** @param space of the disk; null where the platform stores the data */
function appThatFails(failed: Error, log: Log, space: DiskSpace | null = null) {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    c.set("ctx", { log, disk: { space: async () => space } } as never)
    await next()
  })
  app.onError(onError)
  app.get("/", async () => Promise.reject(failed))
  return app
}

test.each([400, 404])("a store with status %i is not unavailable, because a retry would not help", async (status) => {
  const failed = await failure(async () => Response.json({ message: "no", code: "NO" }, { status }))
  expect(causes(failed).some((error) => error instanceof AppError)).toBe(false)
})

test("the values of a failed statement are not in the log, in any field", async () => {
  const failed = await failure()
  expect(failed.message).toContain(CANARY)
  const lines: string[] = []
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line))
  const log = jsonLog({})
  log("chunk_failed", { error: failed.message })
  log("schedule_failed", { failed: [String(failed)] })
  log("as_a_whole", { stack: failed.stack, cause: { message: failed.message } })
  expect((await appThatFails(failed, log).request("/")).status).toBe(500)
  expect(lines).toHaveLength(4)
  for (const line of lines) {
    expect(line).toContain("Failed query: INSERT INTO nowhere")
    expect(line).not.toContain("canary")
  }
  expect(JSON.parse(lines[3]!).stack).toMatch(/^at /)
})
