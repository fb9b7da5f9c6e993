import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import type { Socket } from "node:net"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"

export interface Workerd {
  readonly pid: number
  /** The port of each socket by its name; 0 for a Unix socket. */
  readonly ports: ReadonlyMap<string, number>
  /** Resolves when the process has ended, with how it ended. */
  readonly ended: Promise<string>
  /** Accepts no more requests and gives open ones `withinMs` to end. */
  stop(withinMs: number): Promise<void>
}

interface WorkerdOptions {
  /** A file in Cap'n Proto's text format. */
  readonly configFile: string
  /** Values for `fromEnvironment` bindings. Nothing else of this process's environment is passed on. */
  readonly env: Readonly<Record<string, string>>
  /** Names of the sockets to wait for. */
  readonly sockets: readonly string[]
  readonly onLog: (line: string) => void
}

/** Path of the workerd program for this platform. */
const workerdPath = createRequire(import.meta.url)("workerd").default as string
const READY_WITHIN_MS = 20_000
/** Number of output lines in the error of a failed start. */
const SHOWN_LINES = 5

/** Starts workerd and waits until it listens. @throws Error with its output when it does not */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { configFile, env, sockets, onLog } = options
  const child = spawn(workerdPath, ["serve", "--experimental", "--control-fd=3", configFile], {
    env: { ...(process.env.TZ ? { TZ: process.env.TZ } : {}), ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // Ctrl+C reaches the whole process group of a terminal: workerd would abort open requests.
    detached: true,
  })
  const kill = () => void child.kill("SIGKILL")
  if (child.pid !== undefined) endWithParent(child.pid, child)
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message))
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream! }).on("line", (line) => {
      const message = logLine(line)
      if (message === null) return
      if (printed.length < SHOWN_LINES) printed.push(message)
      onLog(message)
    })
  const ports = await Promise.race([
    portsOf(child.stdio[3] as Readable, sockets),
    ended.then((how) => {
      throw new Error(`workerd did not start (${how})\n${printed.join("\n")}`)
    }),
  ]).catch((error: unknown) => {
    kill()
    throw error
  })
  async function stop(withinMs: number): Promise<void> {
    child.kill("SIGTERM")
    const timer = setTimeout(kill, withinMs)
    await ended
    clearTimeout(timer)
  }
  return { pid: child.pid!, ports, ended, stop }
}

/**
 * Ends a process when this one ends for any reason: a shell reads from a pipe that only this process holds open. The
 * shell ignores signals from a terminal.
 */
function endWithParent(pid: number, child: ChildProcess): void {
  const script = `trap "" INT TERM HUP; read -r line; kill -KILL ${pid}`
  const watch = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"] })
  // The shell must not keep this process running.
  watch.unref()
  ;(watch.stdin as Socket).unref()
  child.once("exit", () => watch.kill("SIGKILL"))
}

/** Reads workerd's control messages, one per socket: `{"event":"listen","socket":"api","port":8787}`. */
function portsOf(control: Readable, sockets: readonly string[]): Promise<Map<string, number>> {
  return new Promise((resolve, reject) => {
    const ports = new Map<string, number>()
    const timer = setTimeout(() => reject(new Error("workerd did not listen in time")), READY_WITHIN_MS)
    createInterface({ input: control }).on("line", (line) => {
      const { event, socket, port } = JSON.parse(line) as { event: string; socket: string; port: number }
      if (event === "listen") ports.set(socket, port)
      if (!sockets.every((name) => ports.has(name))) return
      clearTimeout(timer)
      resolve(ports)
    })
  })
}

const MINUTE_MS = 60_000
/** With more restarts than this, a restart does not solve the problem. */
const RESTARTS_A_MINUTE = 5

/** Starts workerd, and restarts it when it ends unexpectedly, for example out of memory. */
export async function superviseWorkerd({
  start,
  onLog,
}: {
  start: () => Promise<Workerd>
  onLog: (line: string) => void
}) {
  let workerd = await start()
  let ready: Promise<unknown> = Promise.resolve()
  let isStopping = false
  let restarts: number[] = []

  async function keepRunning(): Promise<void> {
    for (;;) {
      const how = await workerd.ended
      if (isStopping) return
      const now = Date.now()
      restarts = [...restarts.filter((at) => at > now - MINUTE_MS), now]
      if (restarts.length > RESTARTS_A_MINUTE)
        throw new Error(`workerd ended ${restarts.length} times within a minute (${how})`)
      onLog(`workerd ended (${how}); restarting it`)
      const restarted = start()
      ready = restarted
      workerd = await restarted
      // `stop` was called during the restart and has ended the previous process.
      if (isStopping) await workerd.stop(0)
    }
  }
  const running = keepRunning()
  const failed = new Promise<never>((_, reject) => {
    running.catch(reject)
  })
  failed.catch(() => undefined)

  return {
    /** Resolves when workerd listens, during a restart with the new process. Rejects when it cannot be restarted. */
    ready: () => ready,
    /** Rejects when workerd ends unexpectedly and cannot be restarted. */
    failed,
    async stop(withinMs: number): Promise<void> {
      isStopping = true
      await workerd.stop(withinMs)
      // A restart may have begun before the stop.
      await running.catch(() => undefined)
    },
  }
}

/** Lines of workerd that an operator cannot act on. */
const DROPPED: readonly RegExp[] = [
  // Caused by our V8 flags at every start; it costs some milliseconds.
  /^NOSENTRY per-isolate bootstrap compile cache/,
  // The Worker logs the host that it cannot reach.
  /: failed: (?:failed to lookup address|.*(?:Network is unreachable|No route to host|Connection (?:refused|reset|timed out)))/,
  // Comes before the error below.
  /^Received a connect event but we lack a handler/,
]

/** Errors of workerd in plain words. */
const WORDED: readonly (readonly [RegExp, string])[] = [
  [/Handler does not export a connect\(\) function/, "a CONNECT request was refused: the service is not a proxy"],
]

/**
 * Turns a line that workerd prints into one line for the log.
 * @param line structured (`{"message": ...}`) or plain
 * @returns null when the line is not worth logging
 */
export function logLine(line: string): string | null {
  const message = messageOf(line)
  if (DROPPED.some((pattern) => pattern.test(message))) return null
  const worded = WORDED.find(([pattern]) => pattern.test(message))
  if (worded) return worded[1]
  // Code addresses are of no use without the program's symbols.
  return message.split(/\n?;? ?stack: \//, 1)[0]!
}

function messageOf(line: string): string {
  if (!line.startsWith("{")) return line
  try {
    const { message } = JSON.parse(line) as { message?: unknown }
    return typeof message === "string" ? message : line
  } catch {
    return line
  }
}
