import { join } from "node:path"
import { publicKeyOf } from "../../schema/wire/keys.ts"
import { RBL_ZONES } from "../../src/adapters/sandbox/zone.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { ensureBuilt, WORKER_SCRIPT } from "../build/built.ts"
import { openDataDir } from "../data/data-dir.ts"
import type { LocalSecrets } from "../data/data-files.ts"
import { migrate } from "../data/migrate.ts"
import type { Child } from "./child.ts"
import { claimDatabase, edgeIdOf, holdEdgeLease, type WorkerSecrets } from "./claim-database.ts"
import { type Caps, capsOf, DEFAULT_CAPS } from "./connection-caps.ts"
import { expectFreePorts, freePort, Parts, portsOf } from "./parts.ts"
import { fileLimit, problemsOf, type Settings, SettingsError, workerSettings } from "./settings.ts"
import { startWorkerHost, waitForNode } from "./worker-host.ts"

export interface StackOptions {
  /** Port of the API; 0 picks a free one. */
  readonly port: number
  readonly dataDir: string
  /** Start the sandbox internet and let the node and the Worker use it. */
  readonly sandbox: boolean
  readonly settings: Settings
  /** Build first unless dist/ matches the sources. Off when the caller has just built. */
  readonly build: boolean
  /** Another entry than src/worker.ts, relative to the project: benches add routes to the service. */
  readonly workerEntry?: string
  readonly onLog: (source: string, line: string) => void
  /** Reports each step of the start. */
  readonly onStep: (step: string) => void
}

export interface Stack {
  readonly url: string
  readonly sandbox: Sandbox | null
  readonly nodeUrl: string
  readonly databaseUrl: string
  readonly secrets: LocalSecrets
  readonly children: readonly Child[]
  /** Rejects when a part ends without a call of `stop`. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

export interface Sandbox {
  readonly smtpPort: number
  readonly smtpNetwork: string
  readonly dnsAddress: string
  readonly dohUrl: string
}

/** Starts the whole service on this machine: database, sandbox, one probe node and the Worker in workerd. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const parts = new Parts(options)
  try {
    return await start(options, parts)
  } catch (error) {
    await parts.stop()
    throw error
  }
}

async function start(options: StackOptions, parts: Parts): Promise<Stack> {
  const { settings, dataDir, onStep, onLog } = options
  const secrets = await openDataDir(dataDir, {
    usesDatabase: !settings.LIBSQL_URL,
    onNotice: (line) => onLog("data", line),
  })
  const problems = await problemsOf(settings, secrets)
  if (problems.length > 0) throw new SettingsError(`Fix these settings:\n  ${problems.join("\n  ")}`)
  await expectFreePorts(options)
  if (options.build)
    await ensureBuilt({ entry: options.workerEntry, onBuild: () => onStep("building, about 15 seconds") })

  onStep(options.sandbox ? "starting database, sandbox internet and probe node" : "starting database and probe node")
  const [database, sandbox] = await Promise.all([startDatabase(parts, options, secrets), startSandbox(parts, options)])
  const node = settings.PROBE_NODES ? null : await startNode(parts, { options, secrets, sandbox })
  await migrate(database)
  const worker = { ...workerSettings(settings), ...workerSecrets(settings, secrets) }
  await acquireDatabase(parts, { options, database, worker })

  onStep("starting the Worker")
  const address = settings.HOST || "127.0.0.1"
  // BASE_URL contains the port, so a free port is chosen before the Worker starts.
  const port = options.port || (await freePort(address))
  const nodes = node ? [{ id: "local-1", region: "local", url: node.url, public_keys: [node.publicKey] }] : []
  const host = await startWorkerHost({
    host: address,
    port,
    caps: openCaps(options),
    script: WORKER_SCRIPT,
    stateDir: stateDirOf(dataDir),
    dataDir,
    onLog: (line) => onLog("worker", line),
    cronMinuteMs: Number(settings.CRON_MINUTE_MS || 60_000),
    vars: {
      BASE_URL: `http://127.0.0.1:${port}`,
      ...worker,
      LIBSQL_URL: database.url,
      ...(database.authToken ? { LIBSQL_AUTH_TOKEN: database.authToken } : {}),
      ...(sandbox && !settings.MAIL_API_URL
        ? { MAIL_API_URL: new URL("/sandbox/mail", sandbox.dohUrl).href, MAIL_FROM: "sign-in@mailverdict.test" }
        : {}),
      // Without a proxy no header states the client's address reliably; the operator names one where there is a proxy.
      CLIENT_IP_HEADER: settings.CLIENT_IP_HEADER ?? "",
      // One machine is one anonymous caller. These limits let it try every sandbox address within a minute.
      ANONYMOUS_PER_MINUTE: settings.ANONYMOUS_PER_MINUTE || "60",
      ANONYMOUS_PER_MONTH: settings.ANONYMOUS_PER_MONTH || "1000",
      ...(sandbox ? { DOH_URL: sandbox.dohUrl, SANDBOX: "1" } : {}),
      PROBE_NODES: settings.PROBE_NODES || JSON.stringify(nodes),
    },
  })
  parts.addHost(host)
  if (node) await waitForNode(host.url)
  return {
    url: host.url,
    sandbox,
    nodeUrl: node?.url ?? "",
    databaseUrl: database.url,
    secrets: { ...secrets, adminSecret: worker.ADMIN_SECRET },
    children: parts.children,
    failed: parts.failed,
    stop: () => parts.stop(),
  }
}

function openCaps({ settings, onLog }: StackOptions): Caps {
  const files = fileLimit()
  const caps = capsOf(settings, files)
  if (!settings.CONNECTIONS && caps.total < DEFAULT_CAPS.total)
    onLog("start", `at most ${caps.total} connections are open at once, because a process may open ${files} files`)
  return caps
}

const stateDirOf = (dataDir: string) => join(dataDir, "workerd")

function workerSecrets(settings: Settings, { edge, keyPepper, adminSecret }: LocalSecrets) {
  return {
    EDGE_SIGNING_KEY: settings.EDGE_SIGNING_KEY || edge.signingKey,
    KEY_PEPPER: settings.KEY_PEPPER || keyPepper,
    ...(settings.KEY_PEPPER_PREVIOUS ? { KEY_PEPPER_PREVIOUS: settings.KEY_PEPPER_PREVIOUS } : {}),
    ADMIN_SECRET: settings.ADMIN_SECRET || adminSecret,
  }
}

/** Makes sure that the database belongs to this installation, and that this is its only edge. */
async function acquireDatabase(
  parts: Parts,
  {
    options,
    database,
    worker,
  }: { options: StackOptions; database: Awaited<ReturnType<typeof startDatabase>>; worker: WorkerSecrets },
): Promise<void> {
  const { settings, dataDir, onLog } = options
  const onNotice = (line: string) => onLog("data", line)
  const opened = openDatabase(database)
  await claimDatabase(opened, worker, onNotice)
  const lease = { edgeId: edgeIdOf(stateDirOf(dataDir)), isTakeover: settings.EDGE_TAKEOVER === "1", onNotice }
  parts.addLease(await holdEdgeLease(opened, lease))
}

async function startDatabase(parts: Parts, options: StackOptions, { libsqlToken }: LocalSecrets) {
  const { settings, dataDir } = options
  if (settings.LIBSQL_URL) {
    // The database of this machine locks its folder itself.
    parts.lock(dataDir)
    return { url: settings.LIBSQL_URL, authToken: settings.LIBSQL_AUTH_TOKEN }
  }
  const child = await parts.start("database", "scripts/libsql-server/main.ts", {
    DATA_DIR: dataDir,
    LIBSQL_PORT: String(portsOf(options).database),
    LIBSQL_AUTH_TOKEN: libsqlToken,
  })
  return { url: urlIn(child.readyLine), authToken: libsqlToken }
}

async function startSandbox(parts: Parts, options: StackOptions): Promise<Sandbox | null> {
  const { settings, sandbox } = options
  if (!sandbox) return null
  const { smtp, dns, doh } = portsOf(options)
  const child = await parts.start("sandbox", "scripts/sandbox/main.ts", {
    SANDBOX_SMTP_PORT: String(smtp),
    SANDBOX_DNS_PORT: String(dns),
    SANDBOX_DOH_PORT: String(doh),
    ...pick(settings, ["SANDBOX_GREYLIST_SECONDS", "SANDBOX_LATENCY_MS"]),
    ...(settings.DOH_URL ? { SANDBOX_UPSTREAM: settings.DOH_URL } : {}),
  })
  return JSON.parse(child.readyLine) as Sandbox
}

/** Settings of the Worker, and of a node elsewhere: the Worker calls the local node at its listening address. */
const NOT_FOR_NODE = ["PROBE_NODES", "PROBE_PUBLIC_URL"]

async function startNode(
  parts: Parts,
  { options, secrets, sandbox }: { options: StackOptions; secrets: LocalSecrets; sandbox: Sandbox | null },
) {
  const { settings } = options
  const signingKey = settings.PROBE_SIGNING_KEY || secrets.node.signingKey
  const child = await parts.start("probe-node", "probe-node/main.ts", {
    PROBE_PORT: String(portsOf(options).node),
    PROBE_NODE_ID: "local-1",
    PROBE_REGION: "local",
    PROBE_HELO: "probe.mailverdict.test",
    PROBE_MAIL_FROM: "probe@mailverdict.test",
    ...(sandbox
      ? {
          PROBE_DNS: sandbox.dnsAddress,
          PROBE_SANDBOX: `${sandbox.smtpNetwork}:${sandbox.smtpPort}`,
          PROBE_SOURCE_IPS: "127.0.0.1,127.0.0.2",
          PROBE_RBL_ZONES: RBL_ZONES.join(","),
          PROBE_DOCTOR_HOSTS: "mailbox.test,catch-all.test",
        }
      : {}),
    ...pick(
      settings,
      Object.keys(settings).filter((name) => name.startsWith("PROBE_") && !NOT_FOR_NODE.includes(name)),
    ),
    PROBE_SIGNING_KEY: signingKey,
    PROBE_TRUSTED_KEYS: await publicKeyOf(settings.EDGE_SIGNING_KEY || secrets.edge.signingKey),
  })
  return { url: urlIn(child.readyLine), publicKey: await publicKeyOf(signingKey) }
}

function urlIn(line: string): string {
  const url = /https?:\/\/[^\s"',]+/.exec(line)?.[0]
  if (!url) throw new Error(`expected a URL in: ${line}`)
  return url
}

function pick(settings: Settings, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (settings[name] ? [[name, settings[name]]] : [])))
}
