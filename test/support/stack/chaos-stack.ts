import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createClient, type InValue } from "@libsql/client/web"
import { generateKeyPair } from "../../../schema/wire/keys.ts"
import { type Child, startChild } from "../../../scripts/dev/child.ts"
import { type Sandbox, type Stack, startStack } from "../../../scripts/dev/stack.ts"
import { FaultyNode } from "../mail/faulty-node.ts"
import { until } from "../time/until.ts"
import { type DatabaseServer, startDatabaseServer } from "./database-server.ts"
import { FaultProxy } from "./fault-proxy.ts"

const ADMIN_SECRET = "chaos".repeat(8)

export interface ChaosNode {
  readonly id: string
  /** Between the Worker and the node. */
  readonly proxy: FaultProxy
  /** Between the proxy and the node, with the node's key. Passes answers on unchanged until a test sets a fault. */
  readonly faultyNode: FaultyNode
  readonly child: Child
}

export interface ChaosOptions {
  /** Clock skew of each node in ms; by default one node without skew. */
  readonly clocks?: readonly number[]
  readonly settings?: Readonly<Record<string, string>>
  /** DNS over HTTPS for names outside .test. */
  readonly upstreamUrl?: string
}

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** The whole service with a fault proxy in front of its database and of each node. */
export class ChaosStack {
  readonly stack: Stack
  readonly database: FaultProxy
  readonly nodes: readonly ChaosNode[]
  readonly sandbox: Sandbox
  readonly log: readonly string[]
  readonly adminSecret = ADMIN_SECRET
  readonly #stop: () => Promise<void>
  readonly #server: DatabaseServer

  private constructor(
    parts: Pick<ChaosStack, "stack" | "database" | "nodes" | "sandbox" | "log">,
    more: {
      stop: () => Promise<void>
      server: DatabaseServer
    },
  ) {
    this.stack = parts.stack
    this.database = parts.database
    this.nodes = parts.nodes
    this.sandbox = parts.sandbox
    this.log = parts.log
    this.#stop = more.stop
    this.#server = more.server
  }

  static async start({ clocks = [0], settings = {}, upstreamUrl = "" }: ChaosOptions = {}): Promise<ChaosStack> {
    const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-chaos-"))
    const log: string[] = []
    const server = await startDatabaseServer(dataDir)
    const database = await FaultProxy.start(hostOf(server.url))
    const edge = await generateKeyPair("edge-1")
    const sandboxProcess = await startChild("sandbox", "scripts/sandbox/main.ts", {
      env: {
        ...{ SANDBOX_SMTP_PORT: "0", SANDBOX_DNS_PORT: "0", SANDBOX_DOH_PORT: "0", SANDBOX_GREYLIST_SECONDS: "2" },
        SANDBOX_LATENCY_MS: settings.SANDBOX_LATENCY_MS ?? "0",
        SANDBOX_UPSTREAM: upstreamUrl,
      },
      onLine: () => undefined,
    })
    const sandbox = JSON.parse(sandboxProcess.readyLine) as Sandbox
    const nodes = await Promise.all(
      clocks.map((skewMs, n) =>
        startNode({ id: `node-${n}`, skewMs, sandbox, edgeKey: edge.publicKey, onLine: (line) => log.push(line) }),
      ),
    )
    const stack = await startStack({
      port: 0,
      dataDir,
      sandbox: false,
      build: false,
      settings: {
        ...{ LIBSQL_URL: database.url, LIBSQL_AUTH_TOKEN: server.authToken, ADMIN_SECRET, CRON_MINUTE_MS: "500" },
        ...{ DOH_URL: sandbox.dohUrl, SANDBOX: "1", EDGE_SIGNING_KEY: edge.signingKey },
        ...{ CLIENT_IP_HEADER: "x-real-ip", ANONYMOUS_PER_MINUTE: "100000", ANONYMOUS_PER_MONTH: "1000000" },
        ...{ RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/", GRAVATAR_URL: "http://127.0.0.1:9/" },
        ...settings,
        PROBE_NODES: JSON.stringify(
          nodes.map(({ id, proxy, publicKey }) => ({ id, region: "local", url: proxy.url, public_keys: [publicKey] })),
        ),
      },
      onLog: (source, line) => log.push(`${source} ${line}`),
      onStep: () => undefined,
    })
    const stop = async () => {
      await stack.stop()
      await Promise.all(nodes.map(({ child }) => child.stop()))
      await Promise.all([
        ...nodes.flatMap(({ proxy, faultyNode }) => [proxy.stop(), faultyNode.stop()]),
        sandboxProcess.stop(),
      ])
      await database.stop()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
    return new ChaosStack({ stack, database, nodes, sandbox, log }, { stop, server })
  }

  /** Calls the service. Sends a body as JSON. */
  async call<T = Record<string, unknown>>(
    at: string,
    { key, body, ...init }: Omit<RequestInit, "body"> & { key?: string; body?: unknown } = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.stack.url}${at}`, {
      ...init,
      ...(body === undefined ? {} : { method: init.method ?? "POST", body: JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key ? { "x-api-key": key } : {}),
        ...(init.headers as Record<string, string> | undefined),
      },
    })
    const text = await response.text()
    const parsed = (response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text) as T
    return { status: response.status, headers: response.headers, body: parsed }
  }

  /** A key of a new account. */
  async newKey(tier = "enterprise"): Promise<string> {
    const { body, status } = await this.call<{ api_key: string }>("/keys", {
      body: { name: "chaos", owner_email: "chaos@mailbox.test", tier },
      headers: { "x-admin-secret": ADMIN_SECRET },
    })
    if (status !== 200) throw new Error(`no key: ${status}`)
    return body.api_key
  }

  /** Waits until the fleet reports a node in a state. */
  async nodeIs(id: string, state: string): Promise<void> {
    await until(
      () => this.nodeStates(),
      (states) => states[id] === state,
    )
  }

  async nodeStates(): Promise<Record<string, string>> {
    const rows = await this.rows("SELECT node_id AS id, state FROM fleet_health")
    return Object.fromEntries(rows.map(({ id, state }) => [String(id), String(state)]))
  }

  /** Starts another edge on the same database, with the secrets of this one unless settings replace them. */
  async secondEdge(settings: Readonly<Record<string, string>> = {}): Promise<Stack> {
    const { keyPepper } = this.stack.secrets
    const dataDir = mkdtempSync(join(dirname(this.databaseFile), "second-"))
    return startStack({
      ...{ port: 0, dataDir, sandbox: false, build: false, onStep: () => undefined },
      settings: {
        ...{
          LIBSQL_URL: this.#server.url,
          LIBSQL_AUTH_TOKEN: this.#server.authToken,
          ADMIN_SECRET,
          KEY_PEPPER: keyPepper,
        },
        ...{ PROBE_NODES: "[]", DOH_URL: this.sandbox.dohUrl, SANDBOX: "1" },
        ...settings,
      },
      onLog: () => undefined,
    })
  }

  get databaseFile(): string {
    return this.#server.file
  }

  /** Queries the database without its proxy. */
  async rows(sql: string, args: InValue[] = []): Promise<Record<string, unknown>[]> {
    const client = createClient(this.#server)
    const { rows } = await client.execute({ sql, args })
    client.close()
    return rows as Record<string, unknown>[]
  }

  /** Log lines about unhandled errors of the Worker. */
  get bugs(): readonly string[] {
    return this.log.filter((line) => line.includes('"unhandled_error"') || line.includes("Unhandled"))
  }

  stop(): Promise<void> {
    return this.#stop()
  }
}

async function startNode({
  id,
  skewMs,
  sandbox,
  edgeKey,
  onLine,
}: {
  id: string
  skewMs: number
  sandbox: Sandbox
  edgeKey: string
  onLine: (line: string) => void
}) {
  const keys = await generateKeyPair(id)
  const proxy = await FaultProxy.start()
  const clock = new URL("../mail/skewed-clock.ts", import.meta.url).href
  const child = await startChild(id, "probe-node/main.ts", {
    env: {
      ...{ PROBE_PORT: "0", PROBE_NODE_ID: id, PROBE_REGION: "local", PROBE_PUBLIC_URL: proxy.url },
      ...{ PROBE_HELO: "probe.mailverdict.test", PROBE_MAIL_FROM: "probe@mailverdict.test" },
      ...{ PROBE_TRUSTED_KEYS: edgeKey, PROBE_SIGNING_KEY: keys.signingKey, PROBE_DNS: sandbox.dnsAddress },
      ...{ PROBE_SANDBOX: `${sandbox.smtpNetwork}:${sandbox.smtpPort}`, PROBE_DOCTOR_HOSTS: "mailbox.test" },
      ...(skewMs === 0 ? {} : { NODE_OPTIONS: `--import=${clock}`, CLOCK_SKEW_MS: String(skewMs) }),
    },
    onLine,
  })
  const nodeUrl = /http:\/\/[^\s"',]+/.exec(child.readyLine)![0]
  const faultyNode = await FaultyNode.start(nodeUrl, keys.signingKey)
  proxy.target = hostOf(faultyNode.url)
  return { id, proxy, faultyNode, child, publicKey: keys.publicKey }
}

const hostOf = (url: string) => new URL(url).host
