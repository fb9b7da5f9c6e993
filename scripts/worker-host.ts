import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { getCACertificates } from "node:tls"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import type { unstable_getMiniflareWorkerOptions } from "wrangler"
import { WORKER_OPTIONS } from "./built.ts"
import { type Crons, startCrons } from "./crons.ts"
import { type WorkerdWatch, watchWorkerd } from "./watch-workerd.ts"

const tlsOptions = { trustBrowserCas: true, trustedCertificates: getCACertificates("extra") }
/**
 * Where the Worker's calls go: as Miniflare's own network, without the Worker that Miniflare puts before it. The sandbox
 * and nodes on this machine are at private addresses. The hosts that strangers name must not be: the Worker looks at their
 * addresses over DNS, workerd resolves the name again, and a name server may answer the two differently.
 */
const NETWORKS = {
  OUTBOUND: { network: { allow: ["public", "private"], tlsOptions } },
  OUTBOUND_PUBLIC: { network: { allow: ["public"], tlsOptions } },
}
/**
 * Full collections early and often: only they free what workerd's requests, headers and calls leave behind, they stop every
 * request for as long as that takes, and V8 sees little of the memory behind it. On the mix of bench:soak they take 60 ms in
 * place of 300, and the process 340 MB in place of 1,000, for the same share of the processor.
 */
const V8_FLAGS = "--max-semi-space-size=2 --heap-growing-percent=20 --initial-old-space-size=4"
/** What workerd says at every start because of these flags; it costs some milliseconds and sounds like a failure. */
const NO_COMPILE_CACHE = "NOSENTRY per-isolate bootstrap compile cache"
/** How long calls and crons under way may take when it is told to stop; streams of a job's progress have no end of their own. */
const STOP_WITHIN_MS = 12_000
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

type WorkerOptions = ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"]

export interface WorkerHost {
  readonly url: string
  /** Takes no more calls, and lets those under way be answered. */
  stop(): Promise<void>
}

export interface WorkerHostOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** The bundled Worker module. */
  readonly script: string
  /** Where KV, Durable Objects and queues keep their state. */
  readonly stateDir: string
  readonly vars: Readonly<Record<string, string>>
  readonly onLog: (line: string) => void
  /** Milliseconds that pass for a minute of the crons; a minute when left out. */
  readonly cronMinuteMs?: number
}

/** Runs the Worker in workerd with the bindings of wrangler.toml, as the build has read it. */
export async function startWorkerHost(options: WorkerHostOptions): Promise<WorkerHost> {
  const ours = SIGNALS.map((signal) => process.listeners(signal))
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= V8_FLAGS
  const workerd = watchWorkerd()
  const workerOptions: WorkerOptions = JSON.parse(readFileSync(WORKER_OPTIONS, "utf8"))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: options.host,
      port: options.port,
      // A fixed object: without it Miniflare asks the network for one and complains when there is none.
      cf: { colo: "DEV", country: "XX" },
      resourcePersistencePath: options.stateDir,
      structuredWorkerdLogs: true,
      handleStructuredLogs: ({ message }) => message.startsWith(NO_COMPILE_CACHE) || options.onLog(message),
      workers: [
        {
          ...workerOptions,
          name: "mailverdict",
          modulesRoot: dirname(options.script),
          modules: [{ type: "ESModule", path: options.script }],
          bindings: { ...(workerOptions.bindings as object | undefined), ...options.vars },
          serviceBindings: { ...(workerOptions.serviceBindings as object | undefined), ...NETWORKS },
        },
      ],
    }),
  )
  // Miniflare ends the process at a signal, at once; the starter has other parts to stop first.
  for (const [i, signal] of SIGNALS.entries())
    for (const listener of process.listeners(signal)) if (!ours[i]!.includes(listener)) process.off(signal, listener)
  const url = await ready(miniflare)
  const worker = await miniflare.getWorker("mailverdict")
  const crons = startCrons({
    crons: (workerOptions.cronTriggers as readonly string[] | undefined) ?? [],
    run: async (cron) => void (await worker.scheduled({ cron })),
    minuteMs: options.cronMinuteMs ?? 60_000,
  })
  return { url, stop: () => stop({ miniflare, workerd, crons }) }
}

/** Miniflare ends workerd in the middle of its answers; told by a signal it lets them come to their end. */
async function stop(host: { miniflare: Miniflare; workerd: WorkerdWatch; crons: Crons }): Promise<void> {
  const child = host.workerd.current()
  host.workerd.end()
  let disposed: Promise<void> | undefined
  const dispose = () => {
    disposed ??= host.miniflare.dispose()
    return disposed
  }
  const answered = new Promise<void>((resolve) => {
    // In the very moment it ends: Miniflare takes that for a crash otherwise, and starts another.
    child?.once("exit", () => resolve(dispose()))
  })
  child?.kill("SIGTERM")
  const crons = host.crons.stop()
  await Promise.race([Promise.all([answered, crons]), sleep(child ? STOP_WITHIN_MS : 0, undefined, { ref: false })])
  await dispose()
}

/** Where it listens. @throws Error when it cannot, with nothing left behind that would keep the process alive */
async function ready(miniflare: Miniflare): Promise<string> {
  try {
    return (await miniflare.ready).href.replace(/\/$/, "")
  } catch (error) {
    await miniflare.dispose().catch(() => undefined)
    throw error
  }
}
