import { execFileSync } from "node:child_process"
import { readlinkSync } from "node:fs"
import { createServer } from "node:net"
import { basename } from "node:path"
import { lockFolder } from "../data/data-dir.ts"
import { type Child, startChild } from "./child.ts"
import type { EdgeLease } from "./claim-database.ts"
import type { WorkerHost } from "./worker-host.ts"

/** The running parts of the stack. */
export class Parts {
  readonly children: Child[] = []
  readonly failed: Promise<never>
  /** Receives each line that a part prints, with the name of its source. */
  readonly onLog: (source: string, line: string) => void
  #fail: (error: Error) => void = () => undefined
  #hosts: WorkerHost[] = []
  #lease: EdgeLease | null = null
  #unlock: () => void = () => undefined
  #stopping = false

  constructor({ onLog }: { readonly onLog: Parts["onLog"] }) {
    this.onLog = onLog
    this.failed = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    this.failed.catch(() => undefined)
  }

  async start(name: string, script: string, env: Record<string, string>): Promise<Child> {
    const child = await startChild(name, script, { env, onLine: (line) => this.onLog(name, line) })
    // The stack may be stopping because another part failed during this start.
    if (this.#stopping) await child.stop()
    this.children.push(child)
    child.ended.then((code) => {
      if (!this.#stopping) this.#fail(new Error(`${name} ended unexpectedly (exit code ${code})`))
    })
    return child
  }

  addHost(host: WorkerHost): void {
    this.#hosts.push(host)
    host.failed.catch((error: Error) => this.#fail(error))
  }

  addLease(lease: EdgeLease): void {
    this.#lease = lease
    lease.lost.catch((error: Error) => this.#fail(error))
  }

  /** @throws Error when another service uses the folder */
  lock(dataDir: string): void {
    this.#unlock = lockFolder(dataDir)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#hosts.map((host) => host.stop()))
    // Not before: another edge may start from now on.
    await this.#lease?.release()
    await Promise.all(this.children.map((child) => child.stop()))
    this.#unlock()
  }
}

/** The setting of each port. */
const SETTINGS = {
  api: "PORT",
  database: "LIBSQL_PORT",
  node: "PROBE_PORT",
  smtp: "SANDBOX_SMTP_PORT",
  dns: "SANDBOX_DNS_PORT",
  doh: "SANDBOX_DOH_PORT",
} as const
type Part = keyof typeof SETTINGS
/** Listening ports of the local stack; 0 picks a free port. */
type Ports = Readonly<Record<Part, number>>

interface Wanted {
  readonly port: number
  readonly settings: Readonly<Record<string, string | undefined>>
  readonly sandbox: boolean
}

/** The documented ports, or free ports for everything when the API's port is 0. Settings may override single ones. */
export function portsOf({ port, settings }: Omit<Wanted, "sandbox">): Ports {
  const fixed = (at: number) => (port === 0 ? 0 : at)
  return {
    api: port,
    database: Number(settings.LIBSQL_PORT || fixed(8080)),
    node: Number(settings.PROBE_PORT || fixed(8625)),
    smtp: Number(settings.SANDBOX_SMTP_PORT || fixed(2525)),
    dns: Number(settings.SANDBOX_DNS_PORT || fixed(5354)),
    doh: Number(settings.SANDBOX_DOH_PORT || fixed(8054)),
  }
}

/** The parts of a running stack. */
interface Running {
  readonly url: string
  readonly databaseUrl: string
  readonly nodeUrl: string
  readonly sandbox: { readonly smtpPort: number; readonly dnsAddress: string; readonly dohUrl: string } | null
}

/** The ports that the parts on this machine listen on, also those that the system chose. */
export function portsInUse({ url, databaseUrl, nodeUrl, sandbox }: Running): Partial<Ports> {
  const portIn = (address: string) => Number(/:(\d+)(?:\/|$)/.exec(address.replace(/^\w+:\/\//, ""))?.[1])
  const isHere = /^http:\/\/127\.0\.0\.1:/.test(databaseUrl)
  return {
    api: portIn(url),
    ...(isHere ? { database: portIn(databaseUrl) } : {}),
    ...(nodeUrl ? { node: portIn(nodeUrl) } : {}),
    ...(sandbox ? { smtp: sandbox.smtpPort, dns: portIn(sandbox.dnsAddress), doh: portIn(sandbox.dohUrl) } : {}),
  }
}

/** @throws Error that names the setting of the first port that is not available; called before the build */
export async function expectFreePorts(wanted: Wanted): Promise<void> {
  const { api, database, node, smtp, dns, doh } = portsOf(wanted)
  const { LIBSQL_URL, PROBE_NODES, HOST } = wanted.settings
  const needed = {
    api,
    ...(LIBSQL_URL ? {} : { database }),
    ...(PROBE_NODES ? {} : { node }),
    ...(wanted.sandbox ? { smtp, dns, doh } : {}),
  }
  for (const [part, port] of Object.entries(needed) as [Part, number][]) {
    const host = part === "smtp" ? SMTP_HOST : (part === "api" && HOST) || "127.0.0.1"
    const problem = await problemAt(port, host)
    if (problem?.code === "EADDRINUSE") throw new Error(usedPort(part, port))
    if (problem) throw new Error(`${part === "api" ? "HOST and PORT" : SETTINGS[part]} (${part}): ${problem.message}`)
  }
}

/** A mail host of the sandbox: each listens on its own address. */
const SMTP_HOST = "127.42.0.1"

function usedPort(part: Part, port: number): string {
  const ways = `Stop it, perhaps another \`npm start\`, or set ${SETTINGS[part]} to another port`
  return `Port ${port} (${part}) is taken: address already in use${holderOf(port)}.\n${ways}, or use free ports: \`PORT=0 npm start\`.`
}

/** " by process 123 (node)", as far as `ss` of iproute2 is installed and this user may see it. */
function holderOf(port: number): string {
  try {
    const listed = execFileSync("ss", ["-Hltnp", "sport", "=", `:${port}`], {
      encoding: "utf8",
      timeout: 2_000,
      stdio: ["ignore", "pipe", "ignore"],
    })
    const pid = /pid=(\d+)/.exec(listed)?.[1]
    return pid ? ` by process ${pid} (${basename(readlinkSync(`/proc/${pid}/exe`))})` : ""
  } catch {
    return ""
  }
}

/** Below the ports that Linux (32768 to 60999) and macOS give to connections and to servers on port 0. */
const [LOWEST, HIGHEST] = [10_000, 30_000]
/** Processes that start together begin far from each other. */
let candidate = (process.pid * 61) % (HIGHEST - LOWEST)

/** A free port that the system gives to no other process before the caller uses it. @throws Error for a foreign host */
export async function freePort(host: string): Promise<number> {
  for (;;) {
    candidate = (candidate + 1) % (HIGHEST - LOWEST)
    const problem = await problemAt(LOWEST + candidate, host)
    if (!problem) return LOWEST + candidate
    if (problem.code !== "EADDRINUSE") throw problem
  }
}

function problemAt(port: number, host: string): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", resolve)
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}
