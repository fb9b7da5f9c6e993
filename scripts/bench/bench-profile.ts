import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureBuilt, modulesOf, WORKER_FOLDER, WORKER_SCRIPT } from "../build/built.ts"
import { startChild } from "../dev/child.ts"
import { freePort } from "../dev/parts.ts"
import { type CpuProfile, functionTimes } from "./cpu-profile.ts"
import { HttpClient, inParallel } from "./http-client.ts"
import { cpuMsOf } from "./process-stats.ts"
import type { Service } from "./service.ts"

/**
 * Shows where the Worker spends its processor time: `npm run bench:profile -- new-domain`. V8's profiler runs while calls
 * of one case run. `(program)` is native code of workerd. The profile is also stored, for Chrome's DevTools.
 */

const CALLERS = 4
const CALLS = Number(process.env.BENCH_CALLS ?? 200)
const SHOWN = 45
const KNOWN_DOMAINS = 100
const INTERVAL_MICROSECONDS = 200
const domain = (n: number) => `d${String(n).padStart(4, "0")}.test`
let drawn = 0
let domains = KNOWN_DOMAINS

const CASES: Readonly<Record<string, () => string>> = {
  stored: () => `/validate?email=user1@${domain(drawn++ % KNOWN_DOMAINS)}`,
  "new-address": () => `/validate?email=new${drawn++}@${domain(drawn % KNOWN_DOMAINS)}`,
  "new-domain": () => `/validate?email=user1@${domain(domains++)}`,
}
const name = process.argv[2] ?? "new-domain"
const path = CASES[name]
if (!path) throw new Error(`No case "${name}". Cases: ${Object.keys(CASES).join(", ")}`)

await ensureBuilt({ entry: "scripts/bench/edge-worker.ts", onBuild: () => console.error("... building the Worker") })
const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-profile-"))
const inspectorPort = await freePort("127.0.0.1")
const child = await startChild("service", "scripts/bench/service.ts", {
  env: {
    DATA_DIR: dataDir,
    INSPECTOR_PORT: String(inspectorPort),
    LOG_LEVEL: "warn",
    RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/",
    GRAVATAR_URL: "http://127.0.0.1:9/",
  },
  onLine: (line) => console.error(line),
})
const service = JSON.parse(child.readyLine) as Service
const client = new HttpClient(service.url)
try {
  const warmUp = await newKey()
  await inParallel(CALLERS, KNOWN_DOMAINS, (n) => get(`/validate?email=user1@${domain(n)}`, warmUp))
  await inParallel(CALLERS, CALLS / 2, () => get(path(), warmUp))
  // A key has 500 calls a minute.
  const key = await newKey()
  const inspector = await connect()
  await inspector.send("Profiler.enable")
  await inspector.send("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS })
  await inspector.send("Profiler.start")
  const before = cpuMsOf(service.pids.workerd!)
  await inParallel(CALLERS, CALLS, () => get(path(), key))
  const cpuMs = (cpuMsOf(service.pids.workerd!) - before) / CALLS
  const { profile } = (await inspector.send("Profiler.stop")) as { profile: CpuProfile }
  inspector.close()
  report(profile, cpuMs)
} finally {
  client.close()
  await child.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function report(profile: CpuProfile, cpuMs: number): void {
  const file = join(tmpdir(), `mailverdict-${name}.cpuprofile`)
  writeFileSync(file, JSON.stringify(profile))
  const times = functionTimes(profile, sourceMaps())
  console.log(`${name}: ${CALLS} calls, ${cpuMs.toFixed(2)} ms CPU of workerd a call. Microseconds a call; ${file}`)
  for (const kind of ["self", "inclusive", "file"] as const) {
    console.log(`\n${kind}`)
    const sorted = [...times[kind]].filter(([where]) => where !== "(idle)").sort((a, b) => b[1] - a[1])
    for (const [where, microseconds] of sorted.slice(0, SHOWN))
      console.log(`${(microseconds / CALLS).toFixed(0).padStart(7)}  ${where}`)
  }
}

/** The source map of each module of the bundle, by the module's name. */
function sourceMaps(): Map<string, SourceMap> {
  const read = (name: string) => JSON.parse(readFileSync(join(WORKER_FOLDER, `${name}.map`), "utf8"))
  return new Map(modulesOf(WORKER_SCRIPT).map((name) => [name, new SourceMap(read(name))]))
}

/** Connects to the isolate of the service by the Chrome DevTools protocol. */
async function connect() {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as Target[]
  const target = targets.find(({ id }) => id.includes("mailverdict"))
  if (!target) throw new Error(`no isolate of the service: ${JSON.stringify(targets)}`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const pending = new Map<number, (result: unknown) => void>()
  let sent = 0
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) pending.get(id)?.(result)
  })
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  return {
    send: (method: string, params = {}) =>
      new Promise<unknown>((resolve) => {
        pending.set(++sent, resolve)
        socket.send(JSON.stringify({ id: sent, method, params }))
      }),
    close: () => socket.close(),
  }
}

interface Target {
  readonly id: string
  readonly webSocketDebuggerUrl: string
}

async function get(path: string, key: string): Promise<void> {
  const { status, body } = await client.call({ method: "GET", path, headers: { "x-api-key": key } })
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`)
}

async function newKey(): Promise<string> {
  const { body } = await client.call({
    method: "POST",
    path: "/keys",
    headers: { "content-type": "application/json", "x-admin-secret": service.adminSecret },
    body: { name: "bench", owner_email: `bench${drawn++}@mailbox.test`, tier: "enterprise" },
  })
  return (JSON.parse(body) as { api_key: string }).api_key
}
