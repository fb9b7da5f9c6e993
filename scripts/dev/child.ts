import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** A part of the stack that runs as a child process. */
export interface Child {
  readonly name: string
  readonly pid: number
  /** The first line on stdout: the process is ready and listens at this address. */
  readonly readyLine: string
  /** Resolves when the process has ended. */
  readonly ended: Promise<number | null>
  stop(): Promise<void>
}

const END_WITH_PARENT = new URL("end-with-parent.ts", import.meta.url).href
/** Node's compile cache: with it processes start in half the time. */
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url))
const READY_WITHIN_MS = 20_000
const STOP_WITHIN_MS = 12_000

/** Starts `node <script>` and waits for its first line on stdout. @throws Error with the text from stderr */
export async function startChild(
  name: string,
  script: string,
  options: { env: Record<string, string>; onLine: (line: string) => void },
): Promise<Child> {
  const path = fileURLToPath(new URL(`../../${script}`, import.meta.url))
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, path], {
    env: { ...inherited(), ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const errorLines: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (errorLines.length < 50) errorLines.push(line)
    options.onLine(line)
  })
  const readyLine = await firstLine(child, { ended, name, errorLines, onLine: options.onLine })
  return { name, pid: child.pid!, readyLine, ended, stop: () => stop(child, ended) }
}

/** Runs `node <script> <args>` to its end and passes its output through. @throws Error when it fails */
export async function runScript(script: string, args: readonly string[]): Promise<void> {
  const path = fileURLToPath(new URL(`../../${script}`, import.meta.url))
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, path, ...args], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: inherited(),
    stdio: ["pipe", "inherit", "inherit"],
  })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${script} failed (exit code ${code}); see its output above`)
}

/** The environment of a child. Settings are passed by name, so that no other setting reaches it by accident. */
function inherited(): Record<string, string> {
  const { PATH = "", HOME = "", TZ } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE, ...(TZ ? { TZ } : {}) }
}

interface Starting {
  readonly ended: Promise<number | null>
  readonly name: string
  readonly errorLines: readonly string[]
  readonly onLine: (line: string) => void
}

async function firstLine(child: ChildProcess, { ended, name, errorLines, onLine }: Starting): Promise<string> {
  let ready = false
  const timer = setTimeout(() => child.kill("SIGKILL"), READY_WITHIN_MS)
  const line = new Promise<string>((resolve) =>
    createInterface({ input: child.stdout! }).on("line", (text) => {
      if (ready) return onLine(text)
      ready = true
      resolve(text)
    }),
  )
  const died = ended.then((code) => {
    throw new Error(`${name} did not start (exit code ${code}).\n${errorLines.join("\n")}`)
  })
  died.catch(() => undefined)
  try {
    return await Promise.race([line, died])
  } finally {
    clearTimeout(timer)
  }
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS)
  await ended
  clearTimeout(timer)
}
