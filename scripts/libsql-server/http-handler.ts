import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Refusal } from "./authorization.ts"
import type { Connection } from "./connection.ts"
import { execute } from "./execute.ts"
import { type PipelineRequest, parsePipeline } from "./protocol.ts"
import { ProtocolError, SqlError } from "./sql-error.ts"

export interface HandlerOptions {
  readonly connection: Connection
  readonly refusal: Refusal
  readonly lockWaitMs: number
  readonly maxBodyBytes: number
  readonly maxResponseBytes: number
  readonly onBug: (error: unknown) => void
}

interface Answer {
  readonly status: number
  readonly type: "text/plain" | "application/json"
  readonly body: string
}

const text = (status: number, body = ""): Answer => ({ status, type: "text/plain", body })
const json = (status: number, value: object): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
})

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
