import { dirname, join, relative } from "node:path"
import { getCACertificates } from "node:tls"
import { fileURLToPath } from "node:url"
import { modulesOf } from "../../build/built.ts"
import type { WorkerConfig } from "../worker-config.ts"

/** The socket for callers, and the one on which crons are started. Both are Unix sockets in the folder of one user. */
export const API_SOCKET = "api"
export const CRON_SOCKET = "cron"

/** Paths are absolute. */
interface WorkerdConfigOptions {
  readonly worker: WorkerConfig
  /** Names of the variables and secrets, which workerd reads from its own environment. */
  readonly variables: readonly string[]
  /** This configuration. Paths of embedded files are relative to it. */
  readonly file: string
  /** The entry module of the bundled Worker. */
  readonly script: string
  /** The folder of the built files. */
  readonly assets: string
  /** The folder for Durable Objects, KV and queues. Its subfolders exist. */
  readonly stateDir: string
  /** Unix sockets: for callers, for crons, and for the host process, which reports the disk. */
  readonly apiSocket: string
  readonly cronSocket: string
  readonly diskSocket: string
}

/** Subfolders of the state, one per storing service. `do` holds the objects of earlier releases. */
export const STATE_FOLDERS = ["do", "kv", "queues"] as const

/**
 * Frequent full collections. They free the memory that requests, headers and calls hold outside of V8's heap, which V8
 * hardly counts. Under ten minutes of mixed load they take 60 ms instead of 300, and the process 340 MB instead of 1,000.
 */
const V8_FLAGS = ["--max-semi-space-size=2", "--heap-growing-percent=20", "--initial-old-space-size=4"]

/** The Worker also trusts the extra certificates that Node is given. */
const TLS = { trustBrowserCas: true, trustedCertificates: getCACertificates("extra") }

/**
 * The configuration of workerd for one machine, as Cap'n Proto text (schema: workerd.capnp).
 *
 * The socket for callers has no `cfBlobHeader` and no `capnpConnectHost`: no header of a caller becomes metadata, and no
 * CONNECT reaches an internal port. KV, queues and assets are services of workerd itself. Variables and secrets come
 * from workerd's environment, so the file contains none.
 */
export function workerdConfig(options: WorkerdConfigOptions): string {
  const { worker, stateDir } = options
  const config = {
    services: [
      { name: worker.name, worker: mainWorker(options) },
      { name: "kv", worker: kvWorker(worker) },
      { name: "queues", worker: queuesWorker(worker) },
      { name: "cron", worker: cronWorker(options) },
      {
        name: "assets",
        assets: { path: options.assets, config: "{}", compatibilityDate: worker.compatibilityDate },
      },
      // The sandbox and local nodes have private addresses.
      { name: "internet", network: { allow: ["public", "private"], tlsOptions: TLS } },
      // For hosts that callers name. workerd resolves a name again, and the second answer may be a private address.
      { name: "public-internet", network: { allow: ["public"], tlsOptions: TLS } },
      { name: "host", external: { address: `unix:${options.diskSocket}`, http: {} } },
      ...STATE_FOLDERS.map((folder) => ({
        name: `disk:${folder}`,
        disk: { path: join(stateDir, folder), writable: true },
      })),
    ],
    sockets: [
      { name: API_SOCKET, address: `unix:${options.apiSocket}`, http: {}, service: worker.name },
      { name: CRON_SOCKET, address: `unix:${options.cronSocket}`, http: {}, service: "cron" },
    ],
    v8Flags: V8_FLAGS,
    structuredLogging: true,
  }
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${capnpText(config)};\n`
}

function mainWorker({ worker, variables, script, file }: WorkerdConfigOptions): CapnpValue {
  return {
    modules: modulesOf(script).map((name) => ({ name, esModule: embed(join(dirname(script), name), file) })),
    compatibilityDate: worker.compatibilityDate,
    compatibilityFlags: worker.compatibilityFlags,
    bindings: [
      ...variables.map((name) => ({ name, fromEnvironment: name })),
      ...worker.kvNamespaces.map(({ binding, id }) => ({
        name: binding,
        kvNamespace: { name: "kv", props: { json: JSON.stringify({ namespace: id }) } },
      })),
      ...worker.queueProducers.map(({ binding, queue }) => ({
        name: binding,
        queue: { name: "queues", props: { json: JSON.stringify({ queue }) } },
      })),
      ...worker.durableObjects.map(({ binding, className }) => ({
        name: binding,
        durableObjectNamespace: className,
      })),
      ...worker.entrypoints.map(({ binding, entrypoint }) => ({
        name: binding,
        service: { name: worker.name, entrypoint },
      })),
      { name: worker.assetsBinding, service: { name: "assets", entrypoint: "AssetWorker" } },
      { name: "OUTBOUND", service: "internet" },
      { name: "OUTBOUND_PUBLIC", service: "public-internet" },
      { name: "HOST", service: "host" },
    ],
    durableObjectNamespaces: worker.durableObjects.map(({ className }) => ({
      className,
      // Must never change: workerd finds stored objects by it.
      uniqueKey: `${worker.name}-${className}`,
      enableSql: true,
    })),
    durableObjectStorage: { localDisk: "disk:do" },
  }
}

/**
 * workerd's own KV Worker. With CLUSTERED it caches reads for the reader's `cacheTtl` and applies its own writes at
 * once: a hit costs half the CPU of a read from SQLite. This process is the only writer, so no value is stale.
 */
function kvWorker({ compatibilityDate }: WorkerConfig): CapnpValue {
  return {
    modules: [{ name: "kv.js", bundled: "/workerd/kv.js" }],
    compatibilityDate,
    bindings: [
      { name: "SHARD", durableObjectNamespace: "KVNamespace" },
      { name: "BLOBS", service: "disk:kv" },
      { name: "CLUSTERED", json: "true" },
    ],
    durableObjectNamespaces: [{ className: "KVNamespace", uniqueKey: "kv", enableSql: true }],
    durableObjectStorage: { localDisk: "disk:kv" },
  }
}

/** workerd's own Queues Worker. Messages survive a stop. One batch at a time leaves the thread to callers. */
function queuesWorker({ name, queueConsumers, compatibilityDate }: WorkerConfig): CapnpValue {
  const consumers = queueConsumers.map(({ queue, ...one }) => [
    queue,
    { consumer: "WORKER", maxConcurrency: 1, ...one },
  ])
  return {
    modules: [{ name: "queues.js", bundled: "/workerd/queues.js" }],
    compatibilityDate,
    compatibilityFlags: ["service_binding_extra_handlers"],
    bindings: [
      { name: "SHARD", durableObjectNamespace: "QueueShard" },
      { name: "CONSUMERS", json: JSON.stringify(Object.fromEntries(consumers)) },
      { name: "WORKER", service: name },
    ],
    durableObjectNamespaces: [{ className: "QueueShard", uniqueKey: "queues", enableSql: true }],
    durableObjectStorage: { localDisk: "disk:queues" },
  }
}

function cronWorker({ worker: { name, compatibilityDate }, file }: WorkerdConfigOptions): CapnpValue {
  return {
    modules: [
      { name: "cron-worker.mjs", esModule: embed(fileURLToPath(new URL("cron-worker.mjs", import.meta.url)), file) },
    ],
    compatibilityDate,
    compatibilityFlags: ["service_binding_extra_handlers"],
    bindings: [{ name: "WORKER", service: name }],
  }
}

/** A file whose content becomes the value, by its path relative to the configuration's own folder. */
function embed(path: string, file: string): { embed: string } {
  return { embed: relative(dirname(file), path) }
}

/** A value of workerd's configuration, or an embedded file. A field that is undefined is left out. */
type CapnpValue =
  | string
  | number
  | boolean
  | readonly CapnpValue[]
  | { readonly [field: string]: CapnpValue | undefined }

/** Writes a value in Cap'n Proto's text format: `(field = value)`, `[item, item]`, `"text"`, `embed "path"`. */
export function capnpText(value: CapnpValue): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object") return String(value)
  if (isList(value)) return `[${value.map(capnpText).join(", ")}]`
  if (typeof value.embed === "string") return `embed ${quoted(value.embed)}`
  const fields = Object.entries(value).flatMap(([name, one]) =>
    one === undefined ? [] : [`${name} = ${capnpText(one)}`],
  )
  return `(${fields.join(", ")})`
}

/** Cap'n Proto reads the escapes of C: a control character is written as its byte. */
function quoted(text: string): string {
  const escaped = text.replace(/[\\"\x00-\x1f\x7f]/g, (char) =>
    char === "\\" || char === '"' ? `\\${char}` : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )
  return `"${escaped}"`
}

function isList(value: object): value is readonly CapnpValue[] {
  return Array.isArray(value)
}
