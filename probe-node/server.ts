import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { parseJson } from "../schema/wire/json.ts"
import { HEALTH_PATH, PROBE_LIMITS, PROBE_PATH, ProbeRequest, type RecipientLine } from "../schema/wire/probe.ts"
import { RBL_PATH, RblRequest } from "../schema/wire/rbl.ts"
import { sendJson, sendSigned, startStream } from "./answers.ts"
import type { NodeConfig } from "./config.ts"
import { Durations, healthOf, type NodeState, type Observed } from "./health.ts"
import type { Log } from "./log.ts"
import { mayReadMetrics, metricsOf } from "./metrics.ts"
import { ProbeRun } from "./probe.ts"
import { createRblLookups, type RblLookups } from "./rbl.ts"
import { createReplayGuard, type ReceiveDeps, receiveSigned, type SignedRequest } from "./receive.ts"

export interface NodeServer {
  readonly url: string
  /** Refuses new requests, waits up to `boundMs` for running ones, then cancels them. */
  drain(boundMs: number): Promise<void>
}

export interface ServerDeps extends Omit<Observed, "state"> {
  readonly log: Log
}

/** What a request handler uses. */
interface Serving extends ServerDeps, Observed {
  readonly runs: Set<ProbeRun>
  readonly receive: ReceiveDeps
  readonly rbl: RblLookups
}

/** A request of a trusted key, and the key that signs the answer. */
type Received = SignedRequest & { readonly key: NodeConfig["signingKey"] }

/** Interval at which a draining node checks for running requests, and the time for its last bytes, in ms. */
const DRAIN_CHECK_MS = 50

/** The edge waits 5 s for a health report. */
const FIRST_REPORT_MS = 3_500

const METRICS_ADVICE =
  "metrics need a token: set PROBE_METRICS_TOKEN on the node and send it as Authorization: Bearer <token>"

type Handler = (serving: Serving, incoming: IncomingMessage, response: ServerResponse) => void | Promise<void>

const ROUTES: Readonly<Record<string, Handler>> = {
  "GET /health": ({ state }, _, response) =>
    sendJson(response, state.draining ? 503 : 200, { status: state.draining ? "draining" : "ok" }),

  "GET /metrics": (serving, incoming, response) => {
    if (!mayReadMetrics(serving.config, incoming.headers)) {
      response.setHeader("www-authenticate", "Bearer")
      return sendJson(response, 401, { detail: METRICS_ADVICE })
    }
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" })
    response.end(metricsOf(serving))
  },

  [`GET ${HEALTH_PATH}`]: signed(async (serving, received, response) => {
    // A new process is not used before its first report, so the edge waits for it rather than for its next check.
    await serving.doctor.reported(FIRST_REPORT_MS)
    await sendSigned(response, { status: 200, body: healthOf(serving) }, received)
  }),

  [`POST ${PROBE_PATH}`]: signed(probe),

  [`POST ${RBL_PATH}`]: signed(queryBlocklists),
}

/** Starts the node's HTTP server. @throws when it cannot listen on the port */
export async function startServer(deps: ServerDeps): Promise<NodeServer> {
  const { config, log } = deps
  const state: NodeState = {
    startedAt: Date.now(),
    draining: false,
    requests: 0,
    refused: 0,
    recipients: new Map(),
    durations: new Durations(),
  }
  const replay = createReplayGuard(performance.now())
  const receive = { trustedKeys: config.trustedKeys, replay, origin: "" }
  const rbl = createRblLookups({ dns: config.dns, zones: config.rblZones, policy: config.policy, now: Date.now })
  const serving: Serving = { ...deps, state, receive, runs: new Set(), rbl }
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 30_000 }, (incoming, response) => {
    route(serving, incoming, response).catch((error: Error) => {
      log("request_failed", { error: error.name, stack: (error.stack ?? "").slice(0, 2_000) })
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { detail: "internal error" })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(config.port, config.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`
  receive.origin = config.publicUrl ?? url
  return { url, drain: (boundMs) => drain(server, serving, boundMs) }
}

async function route(serving: Serving, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (incoming.url ?? "/").split("?", 1)[0]!
  const handler = ROUTES[`${incoming.method} ${path}`]
  if (handler) return handler(serving, incoming, response)
  const known = Object.keys(ROUTES).some((key) => key.endsWith(` ${path}`))
  sendJson(response, known ? 405 : 404, { detail: known ? "method not allowed" : "not found" })
}

/** Wraps a handler so that it receives only requests signed by a trusted key. */
function signed(handle: (serving: Serving, received: Received, response: ServerResponse) => Promise<void>): Handler {
  return async (serving, incoming, response) => {
    const received = await receiveSigned(incoming, serving.receive)
    if (received.ok) return handle(serving, { ...received, key: serving.config.signingKey }, response)
    serving.state.refused++
    serving.log("request_refused", { status: received.status, reason: received.reason.slice(0, 200) })
    // Closing the connection avoids reading the rest of the body.
    response.setHeader("connection", "close")
    sendJson(response, received.status, { detail: received.detail, code: received.code, serverTime: Date.now() })
  }
}

async function probe(
  { engine, state, runs, log }: Serving,
  received: Received,
  response: ServerResponse,
): Promise<void> {
  if (state.draining) return sendSigned(response, { status: 503, body: { detail: "node is shutting down" } }, received)
  const request = parseProbe(received.request.body)
  if (!request) return sendSigned(response, { status: 422, body: { detail: "not a probe request" } }, received)
  state.requests++
  const writer = await startStream(response, received)
  const run = new ProbeRun(engine, request, (line) => {
    countRecipient(state, line)
    writer.write(line)
  })
  runs.add(run)
  const cancel = () => run.cancel()
  if (response.destroyed) cancel()
  response.once("close", cancel)
  await run.done
  response.off("close", cancel)
  const recipients = writer.written
  writer.write({ type: "end", recipients })
  await writer.end()
  runs.delete(run)
  const ms = Math.round(performance.now() - run.startedAt)
  log("probe", { request: request.requestId, recipients, ms, keyid: received.keyid })
}

async function queryBlocklists({ rbl, log }: Serving, received: Received, response: ServerResponse): Promise<void> {
  const request = RblRequest.safeParse(parseJson(received.request.body))
  if (!request.success)
    return sendSigned(response, { status: 422, body: { detail: "not a blocklist request" } }, received)
  const answer = await rbl.lookUpAll(request.data)
  log("rbl", { request: answer.requestId, zones: answer.zones.length, ips: request.data.ips.length })
  return sendSigned(response, { status: 200, body: answer }, received)
}

function countRecipient({ recipients, durations }: NodeState, { outcome, totalMs }: RecipientLine): void {
  durations.observe(totalMs)
  const result = outcome.kind === "reply" ? `${Math.floor(outcome.reply.code / 100)}xx` : outcome.failure
  recipients.set(result, (recipients.get(result) ?? 0) + 1)
}

async function drain(server: Server, { state, runs }: Serving, boundMs: number): Promise<void> {
  state.draining = true
  const deadlineAt = performance.now() + boundMs
  while (runs.size > 0 && performance.now() < deadlineAt) await setTimeout(DRAIN_CHECK_MS)
  for (const run of runs) run.cancel()
  await Promise.all([...runs].map((run) => run.done))
  await setTimeout(DRAIN_CHECK_MS)
  server.close()
  server.closeAllConnections()
}

function parseProbe(body: Uint8Array): ProbeRequest | null {
  const parsed = ProbeRequest.safeParse(parseJson(body))
  if (!parsed.success) return null
  const recipients = parsed.data.groups.reduce((sum, group) => sum + group.recipients.length, 0)
  return recipients <= PROBE_LIMITS.recipients ? parsed.data : null
}
