import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { readdir, rm, stat } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { inParallel } from "../../src/concurrency/in-parallel.ts"
import { MINUTE_MS } from "../../src/domain/time.ts"
import { MINUTE_CRON, MINUTE_PARTS } from "../../src/schedules/minute-cron.ts"
import { ASSETS, WORKER_CONFIG } from "../build/built.ts"
import { type Caps, DEFAULT_CAPS } from "./connection-caps.ts"
import { startConnectionFront } from "./connection-front.ts"
import { startDiskReport } from "./disk-report.ts"
import type { WorkerConfig } from "./worker-config.ts"
import { API_SOCKET, CRON_SOCKET, STATE_FOLDERS, workerdConfig } from "./workerd/workerd-config.ts"
import { startWorkerd, superviseWorkerd, type Workerd } from "./workerd/workerd-process.ts"

/** Time for open requests and cron runs at a stop. Progress streams of jobs have no end of their own. */
const STOP_WITHIN_MS = 12_000

const TIDY_EVERY_MS = 86_400_000

export interface WorkerHost {
  readonly url: string
  /** Rejects when workerd ends unexpectedly and cannot be restarted. */
  readonly failed: Promise<never>
  /** Accepts no more requests and waits for open ones. */
  stop(): Promise<void>
}

interface WorkerHostOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** By default those of `npm start` without settings. */
  readonly caps?: Caps
  /** The bundled Worker module. */
  readonly script: string
  /** The folder of the files that the Worker serves; by default those of the build. */
  readonly assets?: string
  /** Where KV, Durable Objects and queues store their state. */
  readonly stateDir: string
  /** The folder of all data, whose disk is reported; by default the same. */
  readonly dataDir?: string
  /** Variables and secrets of the Worker. */
  readonly vars: Readonly<Record<string, string>>
  readonly onLog: (line: string) => void
  /** Milliseconds that count as a minute of the crons; 60,000 by default. */
  readonly cronMinuteMs?: number
}

/** Runs the Worker in workerd with the bindings of wrangler.toml as the build stored them. */
export async function startWorkerHost(options: WorkerHostOptions): Promise<WorkerHost> {
  const worker = JSON.parse(readFileSync(WORKER_CONFIG, "utf8")) as WorkerConfig
  // Holds the configuration and the sockets. Only this user can enter it. The path is short enough for a socket.
  const runDir = mkdtempSync(join(tmpdir(), "mailverdict-"))
  const [apiSocket, cronSocket] = [join(runDir, "api.sock"), join(runDir, "cron.sock")]
  const diskSocket = join(runDir, "disk.sock")
  const diskReport = await startDiskReport(diskSocket, resolve(options.dataDir ?? options.stateDir))
  const prepared = { ...options, runDir, apiSocket, cronSocket, diskSocket }
  const { supervisor, front } = await startServing(worker, prepared).catch((error) => {
    diskReport.close().closeAllConnections()
    rmSync(runDir, { recursive: true, force: true })
    throw error
  })
  const crons = startCrons(localCrons(worker.crons, options.cronMinuteMs ?? MINUTE_MS), (name) =>
    runCron(cronSocket, name),
  )
  const tidying = setInterval(() => void tidy(options, MIN_AGE_MS.whileRunning), TIDY_EVERY_MS).unref()
  return {
    url: `http://${reachable(options.host)}:${front.port}`,
    failed: supervisor.failed,
    async stop() {
      clearInterval(tidying)
      await Promise.all([front.stop(STOP_WITHIN_MS), supervisor.stop(STOP_WITHIN_MS), crons.stop()])
      diskReport.close().closeAllConnections()
      rmSync(runDir, { recursive: true, force: true })
    },
  }
}

/** The crons, with that of the minute in its parts. @param minuteMs milliseconds that count as a minute */
function localCrons(crons: readonly string[], minuteMs: number): LocalCron[] {
  return crons.flatMap((cron) => {
    const parts = cron === MINUTE_CRON ? MINUTE_PARTS : { [cron]: MINUTE_MS }
    return Object.entries(parts).map(([name, periodMs]) => ({
      name,
      cron,
      everyMs: periodMs === MINUTE_MS ? minuteMs : Math.min(minuteMs, periodMs),
    }))
  })
}

/** A node is used from its first doctor report on. An unfit one must not delay the start. */
const NODE_WITHIN_MS = 6_000

/**
 * Waits until the service has a probe node, so that the first verification gets a verdict. Never rejects: the service runs
 * without one, too.
 */
export async function waitForNode(url: string): Promise<void> {
  const signal = AbortSignal.timeout(NODE_WITHIN_MS)
  while (!signal.aborted) {
    const health = await fetch(`${url}/health`, { signal })
      .then((response) => response.json() as Promise<{ probe_nodes?: number }>)
      .catch(() => null)
    if (health?.probe_nodes) return
    await sleep(100)
  }
}

interface Prepared extends WorkerHostOptions {
  readonly runDir: string
  readonly apiSocket: string
  readonly cronSocket: string
  readonly diskSocket: string
}

/** Starts workerd, and then the front that lets callers in. @throws Error when one of them does not start */
async function startServing(worker: WorkerConfig, options: Prepared) {
  const { host, port, caps = DEFAULT_CAPS, apiSocket, onLog } = options
  await tidy(options, MIN_AGE_MS.atStart)
  const supervisor = await superviseWorkerd({ start: prepare(worker, options), onLog })
  const { ready } = supervisor
  const front = await startConnectionFront({ host, port, caps, socketPath: apiSocket, ready, onLog }).catch(
    async (error) => {
      await supervisor.stop(0)
      throw error
    },
  )
  return { supervisor, front }
}

/** Deletes the files of objects that store nothing. A failure is no reason not to run. */
async function tidy({ stateDir, onLog }: WorkerHostOptions, minAgeMs: number): Promise<void> {
  const objects = join(resolve(stateDir), "do")
  await deleteEmptyObjects(objects, { now: Date.now(), minAgeMs }).then(
    (deleted) => deleted > 0 && onLog(`deleted ${deleted} files of limiters that store nothing`),
    (error: NodeJS.ErrnoException) =>
      error.code !== "ENOENT" && onLog(`cannot delete files of limiters: ${error.message}`),
  )
}

/** @returns a function that writes the configuration and starts workerd with it */
function prepare(worker: WorkerConfig, options: Prepared): () => Promise<Workerd> {
  const { runDir, apiSocket, cronSocket, onLog } = options
  const stateDir = resolve(options.stateDir)
  for (const folder of STATE_FOLDERS) mkdirSync(join(stateDir, folder), { recursive: true, mode: 0o700 })
  // Earlier releases stored copies of results here. Nothing reads or expires them.
  for (const folder of ["cache", "kv/miniflare-KVNamespaceObject"])
    rmSync(join(stateDir, folder), { recursive: true, force: true })
  const file = join(runDir, "workerd.capnp")
  const env = { ...worker.vars, ...options.vars }
  const variables = Object.keys(env)
  return function start() {
    // A killed process leaves its socket files behind, which would block the next one.
    for (const socket of [apiSocket, cronSocket]) rmSync(socket, { force: true })
    const { assets = ASSETS } = options
    writeFileSync(file, workerdConfig({ ...options, worker, variables, file, assets, stateDir }))
    return startWorkerd({ configFile: file, env, sockets: [API_SOCKET, CRON_SOCKET], onLog })
  }
}

/** The host in URLs on this machine; a wildcard address becomes the loopback address. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

/** Calls the Worker's scheduled handler and waits for it. @throws Error when workerd ends during the run */
function runCron(socketPath: string, cron: string): Promise<void> {
  return new Promise((done, reject) => {
    const path = `/?cron=${encodeURIComponent(cron)}`
    const call = request({ socketPath, path, method: "POST" }, (response) => {
      text(response).then(() => done(), reject)
    })
    call.once("error", reject)
    call.end()
  })
}

interface LocalCron {
  /** What the Worker runs: the cron, or a part of it. */
  readonly name: string
  /** Five fields, UTC: numbers and "*". */
  readonly cron: string
  /** Milliseconds between two looks at whether it is due. */
  readonly everyMs: number
}

/**
 * Runs each cron when it is due: at once, so that nodes are checked when the service starts, and then in its period. A
 * cron that still runs is not started again. workerd does not fire crons itself.
 */
export function startCrons(crons: readonly LocalCron[], run: (name: string) => Promise<void>) {
  const running = new Map<string, Promise<void>>()
  function runIfDue({ name, cron }: LocalCron): void {
    if (running.has(name) || !isDue(cron, new Date())) return
    const ended = run(name)
      .catch(() => undefined)
      .finally(() => running.delete(name))
    running.set(name, ended)
  }
  crons.forEach(runIfDue)
  const timers = crons.map((one) => setInterval(() => runIfDue(one), one.everyMs))
  return {
    /** Starts no further runs and waits for those under way. */
    async stop() {
      timers.forEach(clearInterval)
      await Promise.all(running.values())
    },
  }
}

/** Whether a cron of numbers and "*" is due in this minute (UTC). Other forms never are. */
export function isDue(cron: string, at: Date): boolean {
  const fields = cron.split(" ")
  const values = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()]
  return fields.length === values.length && fields.every((field, n) => field === "*" || field === String(values[n]))
}

/** A SQLite file of one page has no table: any table has a page of its own (sqlite.org/fileformat2.html, 1.2 and 1.6). */
const EMPTY_BYTES = 4_096
/** A younger file may belong to an object that just starts. */
export const MIN_AGE_MS = { atStart: 60_000, whileRunning: 86_400_000 } as const
/** workerd's list of alarms, beside the objects. */
const NOT_AN_OBJECT = "metadata.sqlite"

/** Files that are inspected at the same time. */
const WIDTH = 64

/**
 * Deletes the files of Durable Objects that store nothing. workerd creates a file when an object starts, and keeps it when
 * the object deletes its state, so a limiter of each network would leave one. A `-shm` or `-wal` file belongs to an object
 * that runs, or is from a crash: its object keeps its file. An object that starts in the same moment loses the counts of
 * that moment at most.
 * @param folder where workerd stores Durable Objects, one subfolder for each class
 * @param now Unix milliseconds
 * @returns the number of deleted files
 */
export async function deleteEmptyObjects(
  folder: string,
  { now, minAgeMs }: { now: number; minAgeMs: number },
): Promise<number> {
  let deleted = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const files = new Set(await readdir(join(folder, entry.name)))
    await inParallel([...files], WIDTH, async (file) => {
      if (!file.endsWith(".sqlite") || file === NOT_AN_OBJECT) return
      if (files.has(`${file}-wal`) || files.has(`${file}-shm`)) return
      const path = join(folder, entry.name, file)
      const { size, mtimeMs } = await stat(path)
      if (size > EMPTY_BYTES || now - mtimeMs < minAgeMs) return
      await rm(path)
      deleted++
    })
  }
  return deleted
}
