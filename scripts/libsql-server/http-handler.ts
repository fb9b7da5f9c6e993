import { hash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Connection, StatementResult } from "./connection.ts"
import {
  type BatchCondition,
  type PipelineRequest,
  ProtocolError,
  parsePipeline,
  SqlError,
  type WireBatch,
  type WireStmt,
} from "./protocol.ts"
import { parseStatement, parseStatements, type Statement } from "./statement.ts"

export interface HandlerOptions {
  readonly connection: Connection
  readonly refusal: Refusal
  /** A writer that waits longer for another process fails with SQLITE_BUSY. */
  readonly lockWaitMs: number
  readonly maxBodyBytes: number
  /** Approximate limit on the JSON size of one request's rows (sqld: 10 MB). */
  readonly maxResponseBytes: number
  readonly onBug: (error: unknown) => void
}

const text = (status: number, body = "") => ({ status, type: "text/plain", body })
const json = (status: number, value: object) => ({ status, type: "application/json", body: JSON.stringify(value) })
type Answer = ReturnType<typeof text>

class BodyTooLarge extends Error {}

const LONGEST_PAUSE_MS = 50

/** Answers one HTTP request as sqld does. Never rejects. */
export async function handle(
  options: HandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(options, request, response).catch((error) => answerToError(error, options))
  if (response.destroyed) return
  response.writeHead(answer.status, {
    "content-type": answer.type,
    "content-length": Buffer.byteLength(answer.body),
    // Otherwise the rest of a rejected body would be parsed as the next request.
    ...(request.complete ? {} : { connection: "close" }),
  })
  // As a string, which Node sends in one packet with the headers.
  response.end(answer.body)
}

async function answerTo(options: HandlerOptions, request: IncomingMessage, response: ServerResponse): Promise<Answer> {
  if (request.url === "/health") return text(request.method === "GET" ? 200 : 405)
  if (request.url !== "/v2/pipeline") return text(404)
  if (request.method !== "POST") return text(405)
  const refused = options.refusal(request.headers.authorization)
  if (refused) return json(401, { error: `Unauthorized: \`${refused}\`` })
  const requests = parsePipeline(await readBody(request, options.maxBodyBytes))
  try {
    return json(200, { baton: null, base_url: null, results: await runAll(options, requests, response) })
  } finally {
    // Also of an invalid pipeline: the requests before its error have run.
    await options.connection.synced()
  }
}

async function runAll(
  options: HandlerOptions,
  requests: readonly PipelineRequest[],
  response: ServerResponse,
): Promise<object[]> {
  const { connection, maxResponseBytes } = options
  const state = { connection, maxResponseBytes, sqls: new Map<number, string>() }
  const results: object[] = []
  for (const request of requests) {
    try {
      const run = () => connection.runRequest(() => execute(state, request))
      results.push({ type: "ok", response: await whenNotLocked(options, run, response) })
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      results.push({ type: "error", error: { message: error.message, code: error.code } })
    }
  }
  return results
}

/** Runs a request again while another process holds the write lock and the client waits. Requests of others run meanwhile. */
async function whenNotLocked<T>(
  { connection, lockWaitMs }: HandlerOptions,
  run: () => T,
  response: ServerResponse,
): Promise<T> {
  const giveUpAt = performance.now() + lockWaitMs
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return run()
    } catch (error) {
      const isLocked = error instanceof SqlError && error.code === "SQLITE_BUSY" && !connection.hasWritten
      if (!isLocked || response.destroyed || performance.now() > giveUpAt) throw error
    }
    await sleep(pauseMs)
    if (response.destroyed) throw new SqlError("SQLITE_BUSY", "the client is gone")
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw new BodyTooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new BodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function answerToError(error: unknown, { maxBodyBytes, onBug }: HandlerOptions): Answer {
  if (error instanceof ProtocolError) return text(400, error.message)
  if (error instanceof BodyTooLarge) return text(413, `The body is larger than ${maxBodyBytes} bytes`)
  // Node's error code for a body that ends early.
  if (error instanceof Error && "code" in error && error.code === "ECONNRESET") return text(400, "aborted")
  onBug(error)
  return json(500, { error: "Internal error" })
}

/** What the requests of one pipeline share. */
interface PipelineState extends Pick<HandlerOptions, "connection" | "maxResponseBytes"> {
  /** SQL texts stored by store_sql: the client sends a repeated text once. */
  readonly sqls: Map<number, string>
}

/** Executes one request of a pipeline. @throws SqlError when the request fails, ProtocolError when it is invalid */
function execute(state: PipelineState, request: PipelineRequest): object {
  const { type } = request
  switch (type) {
    case "execute":
      return { type, result: executeOne(state, request.stmt) }
    case "batch":
      return { type, result: executeBatch(state, request.batch) }
    case "sequence":
      executeSequence(state, sqlOf(state, request))
      return { type }
    case "store_sql":
      state.sqls.set(request.sql_id, request.sql)
      return { type }
    case "close_sql":
      state.sqls.delete(request.sql_id)
      return { type }
    case "close":
      return { type }
  }
}

interface Step {
  readonly statement: Statement
  readonly stmt: WireStmt
}

type Run = ReturnType<typeof runOf>

function executeOne(state: PipelineState, stmt: WireStmt): StatementResult {
  const statement = parseStatement(sqlOf(state, stmt))
  return runStep(state, { statement, stmt }, runOf(state, [statement]))
}

function executeBatch(state: PipelineState, { steps }: WireBatch): object {
  const parsed = steps.map(({ stmt, condition }, index) => {
    if (condition) checkCondition(condition, index)
    return { stmt, condition, statement: parseStatement(sqlOf(state, stmt)) }
  })
  const statements = parsed.map(({ statement }) => statement)
  const run = runOf(state, statements)
  const results: (StatementResult | null)[] = []
  const errors: ({ message: string; code: string } | null)[] = []
  for (const step of parsed) {
    const isDue = !step.condition || holds(step.condition, results)
    const outcome = isDue ? tryStep(state, step, run) : null
    results.push(outcome instanceof SqlError ? null : outcome)
    errors.push(outcome instanceof SqlError ? { message: outcome.message, code: outcome.code } : null)
  }
  return { step_results: results, step_errors: errors }
}

/** Returns an error that fails only its step; throws all others, which end the batch. */
function tryStep(state: PipelineState, step: Step, run: Run): StatementResult | SqlError {
  try {
    return runStep(state, step, run)
  } catch (error) {
    const endsBatch =
      !(error instanceof SqlError) ||
      error.code === "RESPONSE_TOO_LARGE" ||
      (error.code === "SQLITE_BUSY" && !state.connection.hasWritten)
    if (endsBatch) throw error
    return error
  }
}

function executeSequence(state: PipelineState, sql: string): void {
  const statements = parseStatements(sql)
  const run = runOf(state, statements)
  for (const statement of statements) runStep(state, { statement, stmt: {} }, run)
}

function runOf({ maxResponseBytes }: PipelineState, statements: readonly Statement[]) {
  return { budget: { bytes: maxResponseBytes }, willWrite: statements.some(({ isWrite }) => isWrite) }
}

function runStep({ connection }: PipelineState, { statement, stmt }: Step, run: Run): StatementResult {
  const args = stmt.args ?? []
  const counts = `expected ${statement.parameters}, found ${args.length}`
  if (args.length !== statement.parameters)
    throw new SqlError("ARGS_INVALID", `Arguments do not match SQL parameters: ${counts}`)
  const result = connection.run(statement, { args, ...run })
  return stmt.want_rows === false ? { ...result, rows: [] } : result
}

function sqlOf({ sqls }: PipelineState, { sql, sql_id }: Pick<WireStmt, "sql" | "sql_id">): string {
  if (sql != null && sql_id != null) throw new ProtocolError("Either `sql` or `sql_id` are required, but not both")
  if (sql != null) return sql
  if (sql_id == null) throw new ProtocolError("Either `sql` or `sql_id` are required")
  const stored = sqls.get(sql_id)
  if (stored === undefined) throw new ProtocolError(`SQL text ${sql_id} not found`)
  return stored
}

function checkCondition(condition: BatchCondition, index: number): void {
  if (condition.type === "not") checkCondition(condition.cond, index)
  else if (condition.step >= index) throw new ProtocolError("Invalid reference to step in a batch condition")
}

/** Whether a batch condition is true. A skipped step counts as failed, as in sqld. */
function holds(condition: BatchCondition, results: readonly (StatementResult | null)[]): boolean {
  return condition.type === "not" ? !holds(condition.cond, results) : results[condition.step] !== null
}

/** The reason to reject an Authorization header, in sqld's words. Null when the header is valid. */
type Refusal = (header: string | undefined) => string | null

/** @param token the required bearer token; without one every header is valid */
export function refusalFor(token: string | undefined): Refusal {
  if (!token) return () => null
  // Digests have equal lengths, so the comparison takes the same time for every input.
  const digest = (text: string) => hash("sha256", text, "buffer")
  const expected = digest(token)
  return (header) => {
    if (header === undefined) return "The `Authorization` HTTP header is required but was not specified"
    const [scheme, given] = header.split(" ", 2)
    if (scheme?.toLowerCase() !== "bearer") {
      return "The authentication scheme in the `Authorization` HTTP header is not supported"
    }
    return timingSafeEqual(digest(given ?? ""), expected) ? null : "The JWT is invalid"
  }
}
