import type { IncomingMessage, ServerResponse } from "node:http"
import { refusal } from "./authorization.ts"
import { execute, type StreamState } from "./execute.ts"
import { type Pipeline, parsePipeline } from "./protocol.ts"
import { ProtocolError, SqlError } from "./sql-error.ts"
import { StreamExpired, type Streams, TooManyStreams } from "./streams.ts"

export interface HandlerOptions {
  readonly streams: Streams
  readonly authToken: string | undefined
  readonly maxBodyBytes: number
  readonly maxResponseBytes: number
  readonly onBug: (error: unknown) => void
}

interface Answer {
  readonly status: number
  readonly body: string | object
}

class BodyTooLarge extends Error {}

const INDEX: Answer = { status: 200, body: "Hello, this is HTTP API v2 (Hrana over HTTP)" }
const INDEXES: Readonly<Record<string, Answer>> = {
  "/health": { status: 200, body: "" },
  "/v2": INDEX,
  "/v3": { status: 200, body: "Hello, this is HTTP API v3 (Hrana over HTTP)" },
}
const PIPELINES: Readonly<Record<string, 2 | 3>> = { "/v2/pipeline": 2, "/v3/pipeline": 3 }

/** Answers one HTTP request as sqld does. Never rejects. */
export async function handle(
  options: HandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(options, request, response).catch((error) => answerToError(error, options))
  if (response.destroyed) return
  const isText = typeof answer.body === "string"
  const body = Buffer.from(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body))
  response.writeHead(answer.status, {
    "content-type": isText ? "text/plain" : "application/json",
    "content-length": body.length,
    // Otherwise the rest of a rejected body would be parsed as the next request.
    ...(request.complete ? {} : { connection: "close" }),
  })
  response.end(body)
}

async function answerTo(options: HandlerOptions, request: IncomingMessage, response: ServerResponse): Promise<Answer> {
  const path = (request.url ?? "/").replace(/\/?(?:\?.*)?$/, "")
  const index = INDEXES[path]
  if (index) return request.method === "GET" ? index : { status: 405, body: "" }
  const version = PIPELINES[path]
  if (!version) return { status: 404, body: "" }
  if (request.method !== "POST") return { status: 405, body: "" }
  const refused = refusal(request.headers.authorization, options.authToken)
  if (refused) return { status: 401, body: { error: `Unauthorized: \`${refused}\`` } }
  const pipeline = parsePipeline(await readBody(request, options.maxBodyBytes))
  return { status: 200, body: await runPipeline(options, { pipeline, version, response }) }
}

interface PipelineRun {
  readonly pipeline: Pipeline
  readonly version: 2 | 3
  readonly response: ServerResponse
}

async function runPipeline(options: HandlerOptions, { pipeline, version, response }: PipelineRun): Promise<object> {
  const { streams, maxResponseBytes } = options
  const stream = pipeline.baton == null ? streams.start() : streams.resume(pipeline.baton)
  // When the client disconnects, its baton is lost and no request can continue the stream.
  const abandon = () => streams.close(stream)
  response.once("close", abandon)
  try {
    const state = { session: stream.session, sqls: stream.sqls, version, maxResponseBytes }
    const results = await runRequests(state, pipeline)
    return { baton: streams.release(stream), base_url: null, results }
  } catch (error) {
    streams.close(stream)
    throw error
  } finally {
    response.off("close", abandon)
  }
}

async function runRequests(state: StreamState, { requests }: Pipeline): Promise<object[]> {
  const results: object[] = []
  state.session.beginSlice()
  for (const request of requests) {
    try {
      results.push({ type: "ok", response: await execute(state, request) })
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      results.push({ type: "error", error: { message: error.message, code: error.code } })
    }
  }
  return results
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
  if (error instanceof ProtocolError) return { status: 400, body: error.message }
  if (error instanceof StreamExpired) return { status: 500, body: { message: error.message, code: "STREAM_EXPIRED" } }
  if (error instanceof TooManyStreams) return { status: 429, body: { error: error.message } }
  if (error instanceof BodyTooLarge) return { status: 413, body: `The body is larger than ${maxBodyBytes} bytes` }
  // Node's error code for a body that ends early.
  if (error instanceof Error && "code" in error && error.code === "ECONNRESET") return { status: 400, body: "aborted" }
  onBug(error)
  return { status: 500, body: { error: "Internal error" } }
}
