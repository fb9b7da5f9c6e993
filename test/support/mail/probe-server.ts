import type { NodeConfig } from "../../../probe-node/config.ts"
import type { EngineDeps } from "../../../probe-node/probe.ts"
import { type NodeServer, startServer } from "../../../probe-node/server.ts"
import {
  generateKeyPair,
  importSigningKey,
  importTrustedKey,
  type SigningKey,
  type TrustedKey,
} from "../../../schema/wire/keys.ts"
import { PROBE_PATH, ProbeLine } from "../../../schema/wire/probe.ts"
import {
  openLine,
  signRequest,
  type Verified,
  verifyResponse,
  type WireRequest,
} from "../../../schema/wire/signature.ts"

export interface TestNode extends NodeServer {
  readonly edgeKey: SigningKey
  readonly nodeKeys: readonly TrustedKey[]
  readonly logs: string[]
}

/** Starts a node's HTTP server on a free port, with new keys. */
export async function startTestNode(engine: EngineDeps, changes: Partial<NodeConfig> = {}): Promise<TestNode> {
  const [edge, node] = await Promise.all([generateKeyPair("edge-1"), generateKeyPair("node-1")])
  const logs: string[] = []
  const config: NodeConfig = {
    id: "node-1",
    region: "test",
    host: "127.0.0.1",
    port: 0,
    metricsToken: null,
    publicUrl: null,
    heloName: engine.heloName,
    envelopeSender: engine.envelopeSender,
    dns: null,
    rblZones: [],
    sourceIps: [],
    proxy: null,
    policy: { allowPrivate: true, sandbox: null, smtpPort: 25 },
    trustedKeys: [await importTrustedKey(edge.publicKey)],
    signingKey: await importSigningKey(node.signingKey),
    concurrency: 100,
    queue: 100,
    ratePerSlot: 100,
    budget: { perDay: null, warmUpFromMs: null },
    doctor: { hosts: [], clockUrls: [] },
    ...changes,
  }
  const log = (event: string, fields: object = {}) => logs.push(JSON.stringify({ event, ...fields }))
  const server = await startServer({ config, engine, log, doctor: { last: null, reported: async () => undefined } })
  return {
    ...server,
    edgeKey: await importSigningKey(edge.signingKey),
    nodeKeys: [await importTrustedKey(node.publicKey)],
    logs,
  }
}

export interface SignOptions {
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly key?: SigningKey
  readonly nowSeconds?: number
  readonly nonce?: string
}

export async function signFor(node: TestNode, options: SignOptions = {}): Promise<WireRequest & { nonce: string }> {
  const nonce = options.nonce ?? crypto.randomUUID()
  const unsigned: WireRequest = {
    method: options.method ?? "POST",
    url: node.url + (options.path ?? PROBE_PATH),
    headers: new Headers({ "content-type": "application/json" }),
    body: Uint8Array.from(Buffer.from(options.body ?? "")),
  }
  const nowSeconds = options.nowSeconds ?? Math.floor(Date.now() / 1000)
  const headers = await signRequest(unsigned, options.key ?? node.edgeKey, { nowSeconds, nonce })
  return { ...unsigned, headers, nonce }
}

export async function send(request: WireRequest, changes: Partial<WireRequest> = {}): Promise<Response> {
  const { method, url, headers, body } = { ...request, ...changes }
  return fetch(url, { method, headers: [...headers], ...(method === "GET" ? {} : { body }) })
}

/** Verifies that the node signed the answer to this request. A streamed body is not covered. */
export async function verifyAnswer(node: TestNode, request: WireRequest, answer: Response): Promise<Verified> {
  const streamed = answer.headers.get("content-type") === "application/x-ndjson"
  const body = streamed ? null : new Uint8Array(await answer.clone().arrayBuffer())
  const wire = { status: answer.status, headers: answer.headers, body }
  return verifyResponse(wire, request, node.nodeKeys, Math.floor(Date.now() / 1000))
}

/** The lines of a streamed answer. Null for a line with an invalid signature. */
export async function linesOf(node: TestNode, nonce: string, answer: Response): Promise<(ProbeLine | null)[]> {
  const texts = (await answer.text()).trimEnd().split("\n")
  return Promise.all(
    texts.map(async (text, seq) => {
      const payload = await openLine(text, seq, nonce, node.nodeKeys)
      return payload === null ? null : ProbeLine.parse(JSON.parse(payload))
    }),
  )
}
