import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { signLine } from "../schema/wire/line.ts"
import { HEALTH_PATH, PROBE_LIMITS, PROBE_PATH, type ProbeLine, ProbeRequest } from "../schema/wire/probe.ts"
import { signResponse, type WireRequest } from "../schema/wire/signature.ts"
import type { NodeConfig } from "./config.ts"
import { healthOf, metricsOf } from "./health.ts"
import type { Log } from "./log.ts"
import { type EngineNeeds, ProbeRun } from "./probe.ts"
import { type Received, receiveSigned } from "./receive.ts"
import { createReplayGuard } from "./replay.ts"

export interface NodeServer {
  readonly url: string
  /** Refuses what is new, lets what is in flight finish within the bound, then cuts it. */
  drain(boundMs: number): Promise<void>
}

export interface ServerNeeds {
  readonly config: NodeConfig
  readonly engine: EngineNeeds
  readonly log: Log
}

export interface NodeState {
  readonly startedAt: number
  draining: boolean
  requests: number
  refused: number
  readonly lines: Map<string, number>
}

const JSON_TYPE = { "content-type": "application/json" }

/** Starts the node's HTTP server. @throws when the port cannot be listened on */
export async function startServer(needs: ServerNeeds): Promise<NodeServer> {
  const { config, log } = needs
  const state: NodeState = { startedAt: Date.now(), draining: false, requests: 0, refused: 0, lines: new Map() }
  const replay = createReplayGuard(Math.floor(state.startedAt / 1000))
  const runs = new Set<ProbeRun>()
  let origin = ""

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? "/", "http://node").pathname
    const route = `${incoming.method} ${path}`
    if (route === "GET /health")
      return send(response, state.draining ? 503 : 200, { status: state.draining ? "draining" : "ok" })
    if (route === "GET /metrics") return sendMetrics(response, metricsOf(needs, state))
    if (route !== `POST ${PROBE_PATH}` && route !== `GET ${HEALTH_PATH}`)
      return send(response, path === PROBE_PATH || path === HEALTH_PATH ? 405 : 404, { detail: "not found" })
    const received = await receiveSigned(incoming, { config, replay, origin })
    if (!received.ok) return refuse(response, received)
    if (path === HEALTH_PATH) return sendSigned(response, { status: 200, body: healthOf(needs, state) }, received)
    await probe(response, received)
  }

  async function probe(response: ServerResponse, received: Received & { ok: true }): Promise<void> {
    if (state.draining)
      return sendSigned(response, { status: 503, body: { detail: "node is shutting down" } }, received)
    const parsed = parseProbe(received.request.body)
    if (!parsed) return sendSigned(response, { status: 422, body: { detail: "not a probe request" } }, received)
    state.requests++
    await sendHead(response, received.request)
    const writer = createLineWriter(response, received.nonce)
    const run = new ProbeRun(needs.engine, parsed, (line) => {
      const result =
        line.outcome.kind === "reply" ? `${Math.floor(line.outcome.reply.code / 100)}xx` : line.outcome.failure
      state.lines.set(result, (state.lines.get(result) ?? 0) + 1)
      writer.write(line)
    })
    runs.add(run)
    response.once("close", () => run.cancel())
    await run.done
    runs.delete(run)
    writer.write({ type: "end", recipients: writer.count() })
    await writer.end()
    const ms = Math.round(performance.now() - run.startedAt)
    log("probe", { request: parsed.requestId, recipients: writer.count() - 1, ms, keyid: received.keyid })
  }

  async function sendHead(response: ServerResponse, request: WireRequest): Promise<void> {
    const headers = await signed({ status: 200, body: null, type: "application/x-ndjson" }, request)
    response.writeHead(200, headers)
    response.flushHeaders()
  }

  function createLineWriter(response: ServerResponse, nonce: string) {
    let count = 0
    let written = Promise.resolve()
    return {
      count: () => count,
      write(line: ProbeLine): void {
        const text = signLine(JSON.stringify(line), count++, nonce, config.signingKey)
        written = written.then(async () => {
          const bytes = await text
          if (!response.destroyed) response.write(bytes)
        })
      },
      async end(): Promise<void> {
        await written
        response.end()
      },
    }
  }

  async function signed(
    { status, body, type }: { status: number; body: Uint8Array<ArrayBuffer> | null; type: string },
    request: WireRequest,
  ): Promise<Record<string, string>> {
    const headers = new Headers({ "content-type": type })
    const now = { nowSeconds: Math.floor(Date.now() / 1000), nonce: crypto.randomUUID() }
    return Object.fromEntries(await signResponse({ status, headers, body }, request, config.signingKey, now))
  }

  async function sendSigned(
    response: ServerResponse,
    { status, body }: { status: number; body: object },
    { request }: Received & { ok: true },
  ): Promise<void> {
    const bytes = Uint8Array.from(new TextEncoder().encode(JSON.stringify(body)))
    response.writeHead(status, await signed({ status, body: bytes, type: "application/json" }, request))
    response.end(bytes)
  }

  function refuse(response: ServerResponse, { status, detail, reason }: Received & { ok: false }): void {
    state.refused++
    log("request_refused", { status, reason: reason.slice(0, 200) })
    if (status === 413) response.setHeader("connection", "close")
    send(response, status, { detail })
  }

  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, response) => {
    serve(incoming, response).catch((error: Error) => {
      log("request_failed", { error: error.name, stack: (error.stack ?? "").slice(0, 2_000) })
      if (!response.headersSent) send(response, 500, { detail: "internal error" })
      else response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(config.port, config.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`
  origin = config.publicUrl ?? url

  return {
    url,
    async drain(boundMs) {
      state.draining = true
      const late = setTimeout(() => {
        for (const run of runs) run.cancel()
      }, boundMs)
      await Promise.all([...runs].map((run) => run.done))
      clearTimeout(late)
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 500).unref()
      })
    },
  }
}

function parseProbe(body: Uint8Array): ProbeRequest | null {
  const parsed = ProbeRequest.safeParse(parseJson(body))
  if (!parsed.success) return null
  const recipients = parsed.data.groups.reduce((sum, group) => sum + group.recipients.length, 0)
  return recipients <= PROBE_LIMITS.recipients ? parsed.data : null
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return null
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, JSON_TYPE)
  response.end(JSON.stringify(body))
}

function sendMetrics(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4" })
  response.end(text)
}
