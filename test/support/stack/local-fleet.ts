import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPair } from "../../../schema/wire/keys.ts"
import { type Child, startChild } from "../../../scripts/dev/child.ts"
import { type Stack, startStack } from "../../../scripts/dev/stack.ts"
import type { ConnectionRecord, SandboxLog } from "../../../scripts/sandbox/server-state.ts"
import { FaultyNode, type NodeFault } from "../mail/faulty-node.ts"
import { Contract } from "./contract.ts"
import { FaultProxy } from "./fault-proxy.ts"

/** A stack without a local node, and nodes that enroll with it. */
export interface LocalFleet {
  readonly stack: Stack
  /** Calls the stack and validates the answer against its published schema. */
  call<T = Record<string, unknown>>(
    method: string,
    template: string,
    init?: FleetCall,
  ): Promise<{ status: number; body: T }>
  startNode(options: NodeOptions): Promise<LocalNode>
  /** Settings of a node that sends from a source address in the sandbox. */
  sandboxOf(sourceIp: string): Record<string, string>
  /** Connections to a sandbox host, oldest first. */
  connections(host: string): Promise<readonly ConnectionRecord[]>
  stop(): Promise<void>
}

export interface FleetCall {
  readonly at?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface NodeOptions {
  readonly id: string
  readonly sourceIp: string
  readonly region?: string
  readonly env?: Record<string, string>
  /** How its answers are changed on their way. */
  readonly fault?: NodeFault
  /** Headers of the request for an enrollment token; the operator's by default. */
  readonly by?: Record<string, string>
}

export interface LocalNode {
  readonly id: string
  readonly url: string
  readonly child: Child
  /** Number of probe requests that the node received. */
  requests(): Promise<number>
}

export async function startLocalFleet(settings: Record<string, string> = {}): Promise<LocalFleet> {
  const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-fleet-"))
  const stack = await startStack({
    ...{ port: 0, dataDir, sandbox: true, build: false },
    settings: {
      CRON_MINUTE_MS: "1000",
      PROBE_NODES: "[]",
      FLEET_ALLOW_HOSTS: "127.0.0.1",
      CLIENT_IP_HEADER: "x-real-ip",
      ANONYMOUS_PER_MINUTE: "100000",
      ANONYMOUS_PER_MONTH: "1000000",
      ...settings,
    },
    onLog: () => undefined,
    onStep: () => undefined,
  })
  const contract = await Contract.of(stack.url)
  const admin = { "x-admin-secret": stack.secrets.adminSecret }
  const nodes: LocalNode[] = []
  const fronts: { stop(): Promise<unknown> }[] = []

  async function call<T>(method: string, template: string, { at = template, body, headers = {} }: FleetCall = {}) {
    const response = await fetch(`${stack.url}${at}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = { status: response.status, body: (await response.json()) as T }
    const problem = contract.problem(method, template, answer)
    if (problem) throw new Error(`${problem}\n${JSON.stringify(answer.body).slice(0, 500)}`)
    return answer
  }

  function sandboxOf(sourceIp: string): Record<string, string> {
    const { dnsAddress, smtpNetwork, smtpPort } = stack.sandbox!
    return {
      ...{ PROBE_HELO: heloOf(sourceIp), PROBE_MAIL_FROM: "probe@mailverdict.test" },
      ...{ PROBE_DNS: dnsAddress, PROBE_SANDBOX: `${smtpNetwork}:${smtpPort}`, PROBE_RBL_ZONES: "rbl.test" },
    }
  }

  async function startNode({
    id,
    sourceIp,
    region = "local",
    env = {},
    by = admin,
    fault,
  }: NodeOptions): Promise<LocalNode> {
    const keys = await generateKeyPair(`${id}.1`)
    const front = fault ? await FaultProxy.start() : null
    const child = await startChild(id, "probe-node/main.ts", {
      env: {
        ...{ PROBE_PORT: "0", PROBE_NODE_ID: id, PROBE_REGION: region, PROBE_SOURCE_IPS: sourceIp },
        ...{ PROBE_TRUSTED_KEYS: stack.secrets.edge.publicKey, PROBE_SIGNING_KEY: keys.signingKey },
        ...sandboxOf(sourceIp),
        ...(front ? { PROBE_PUBLIC_URL: front.url } : {}),
        ...env,
      },
      onLine: () => undefined,
    })
    const nodeUrl = /https?:\/\/\S+/.exec(child.readyLine)![0]
    if (front && fault) {
      const faulty = await FaultyNode.start(nodeUrl, keys.signingKey)
      faulty.fault = fault
      front.target = new URL(faulty.url).host
      fronts.push(front, faulty)
    }
    const url = front?.url ?? nodeUrl
    const { token } = (await call<{ token: string }>("POST", "/fleet/tokens", { headers: by })).body
    const body = {
      token,
      id,
      region,
      url,
      public_key: keys.publicKey,
      source_ips: [sourceIp],
      capacity: 100,
      version: "0",
    }
    const enrolled = await call("POST", "/fleet/nodes/enrol", { body })
    if (enrolled.status !== 200) throw new Error(`${id}: ${JSON.stringify(enrolled.body)}`)
    const node = { id, url, child, requests: () => requestsOf(nodeUrl) }
    nodes.push(node)
    return node
  }

  return {
    stack,
    call,
    startNode,
    sandboxOf,
    async connections(host) {
      const { connections } = (await (await fetch(new URL("/sandbox/log", stack.sandbox!.dohUrl))).json()) as SandboxLog
      return connections.filter((connection) => connection.host === host)
    },
    async stop() {
      await Promise.all([...nodes.map(({ child }) => child), ...fronts].map((one) => one.stop()))
      await stack.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The reverse name of a sandbox address. */
function heloOf(sourceIp: string): string {
  return `${["127.0.0.1", "127.0.0.2"].includes(sourceIp) ? "probe" : "fleet"}.mailverdict.test`
}

async function requestsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^probe_requests_total (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

/** Settings that skew the clock of a node, including its Date header. */
export function skewedClockEnv(ms: number): Record<string, string> {
  const script = `import http from "node:http"
    const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + ${ms}) }
      static now() { return Real.now() + ${ms} }
    }
    const { writeHead } = http.ServerResponse.prototype
    http.ServerResponse.prototype.writeHead = function (...given) {
      this.setHeader("date", new Date().toUTCString())
      return writeHead.apply(this, given)
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}
