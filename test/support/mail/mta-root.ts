import { type ChildProcess, spawn } from "node:child_process"
import { createHash, randomInt } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { connect } from "node:net"
import { basename, join, relative } from "node:path"
import { expect, test } from "vitest"
import { until } from "../time/until.ts"

/** The chroot with Debian's mail servers, unpacked by scripts/ci-install.sh. It needs the superuser. */
const ROOT = new URL("../../../.cache/mta/root", import.meta.url).pathname

const INSTALLER = new URL("../../../scripts/ci-install.sh", import.meta.url).pathname

/** Whether the current installer has unpacked the root, and this process may chroot into it. */
export const hasMailServers = process.getuid?.() === 0 && stampOfRoot() === stampOfInstaller()

const HOW_TO = "the mail servers are missing or outdated: run scripts/ci-install.sh as root, and the tests as root"
const START_MS = 60_000
const STOP_MS = 4_000

/** A folder in the root for one server's configuration and spool. */
export interface ServerHome {
  /** Path outside the root. */
  readonly path: string
  /** Path inside the root. */
  readonly inside: string
}

export interface Listener {
  readonly address: string
  readonly port: number
}

export interface RunningServer {
  stop(): Promise<void>
}

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly home: ServerHome
  /** The server is ready when all of these accept connections. */
  readonly listeners: readonly Listener[]
  /** The spool path is fixed, so only one instance can run. A second one waits for the first to end. */
  readonly alone?: boolean
}

function stampOfRoot(): string | null {
  const stamp = join(ROOT, ".stamp")
  return existsSync(stamp) ? readFileSync(stamp, "utf8").trim() : null
}

function stampOfInstaller(): string {
  return createHash("sha256").update(readFileSync(INSTALLER)).digest("hex").slice(0, 16)
}

/** Reports a missing server. With `MTA_REQUIRED`, as on CI, this is a failure. */
export function testInstalled(server: string): void {
  test(`${server} is installed on CI`, () => {
    if (!hasMailServers) console.log(`test/mta: ${server}: ${HOW_TO}`)
    expect(hasMailServers || !process.env.MTA_REQUIRED, HOW_TO).toBe(true)
  })
}

/** An unused loopback address, so that fixed ports are free on it. */
export function ownLoopback(): string {
  return `127.91.${randomInt(1, 255)}.${randomInt(1, 255)}`
}

export async function makeHome(name: string): Promise<ServerHome> {
  await mkdir(join(ROOT, "srv"), { recursive: true })
  const path = await mkdtemp(join(ROOT, "srv", `${name}-`))
  await chmod(path, 0o755)
  return { path, inside: `/${relative(ROOT, path)}` }
}

/** The id of an account or a group inside the root. */
export async function accountOf(name: string, file: "passwd" | "group" = "passwd"): Promise<number> {
  const text = await readFile(join(ROOT, "etc", file), "utf8")
  return Number(new RegExp(`^${name}:x:(\\d+):`, "m").exec(text)?.[1])
}

/** Starts a server inside the root and waits until it listens. Its process group ends with it. */
export async function startInRoot({ command, args, home, listeners, alone }: ServerCommand): Promise<RunningServer> {
  const lock = alone ? ["flock", "--no-fork", `${ROOT}.${basename(command)}.lock`] : []
  const [program, ...rest] = [...lock, "chroot", ROOT, command, ...args] as [string, ...string[]]
  const child = spawn(program, rest, {
    detached: true,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", TZ: "UTC" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let log = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      log += text
    })
  const killGroup = () => signalGroup(child, "SIGKILL")
  process.once("exit", killGroup)
  const stop = async () => {
    process.off("exit", killGroup)
    await endGroup(child)
    await rm(home.path, { recursive: true, force: true })
  }
  try {
    for (const listener of listeners) await untilListening(listener, child)
  } catch (error) {
    await stop()
    throw new Error(`${command} did not start: ${log.slice(-2_000)}`, { cause: error })
  }
  return { stop }
}

async function untilListening({ address, port }: Listener, child: ChildProcess): Promise<void> {
  const read = async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    return (await isListening(address, port)) ? "listening" : `nothing listens on ${address}:${port}`
  }
  await until(read, (state) => state === "listening", { withinMs: START_MS })
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once("connect", () => resolve(true))
    socket.once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })
}

async function endGroup(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("close", resolve))
  if (child.exitCode === null && child.signalCode === null) {
    signalGroup(child, "SIGTERM")
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_MS)
    await ended
    clearTimeout(timer)
  }
  signalGroup(child, "SIGKILL")
}

/** The group may have ended already. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}
