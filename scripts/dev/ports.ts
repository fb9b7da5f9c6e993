import { createServer } from "node:net"

/** Listening ports of the local stack; 0 picks a free port. */
export type Ports = Readonly<Record<"api" | "database" | "node" | "smtp" | "dns" | "doh", number>>

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
    smtp: fixed(2525),
    dns: fixed(5354),
    doh: fixed(8054),
  }
}

/** @throws Error that names the first port that is not available; called before the build */
export async function expectFreePorts(wanted: Wanted): Promise<void> {
  const { api, database, node, dns, doh } = portsOf(wanted)
  const { LIBSQL_URL, PROBE_NODES, HOST } = wanted.settings
  const needed = {
    api,
    ...(LIBSQL_URL ? {} : { database }),
    ...(PROBE_NODES ? {} : { node }),
    ...(wanted.sandbox ? { dns, doh } : {}),
  }
  for (const [part, port] of Object.entries(needed)) {
    const problem = await problemAt(port, (part === "api" && HOST) || "127.0.0.1")
    if (problem?.code === "EADDRINUSE") throw new Error(`Port ${port} (${part}) is taken: address already in use`)
    if (problem) throw new Error(`${part === "api" ? "HOST and PORT" : `Port ${port}`} (${part}): ${problem.message}`)
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
