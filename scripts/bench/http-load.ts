import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

/** The output of a load generator. */
export interface Counted {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers with a status of 400 or more. */
  readonly refused: number
  /** Requests without an answer. */
  readonly broken: number
}

export interface LoadOptions {
  readonly url: string
  /** Paths to request, in turn and repeatedly. */
  readonly paths: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  /** Whole seconds. */
  readonly seconds: number
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** wrk needs a tenth of the CPU of autocannon, which leaves more for the service. */
export const GENERATOR = isInstalled("wrk") ? "wrk" : "autocannon"

/** Keeps connections busy with GET requests from a separate process. */
export async function generateLoad({ url, paths, headers, connections, seconds }: LoadOptions): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-load-"))
  const file = join(folder, "paths")
  writeFileSync(file, `${paths.join("\n")}\n`)
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const [command, args] =
    GENERATOR === "wrk"
      ? ["wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", here("wrk.lua"), url, "--", file, ...sent]]
      : [process.execPath, [here("autocannon-load.ts"), url, file, String(connections), String(seconds), ...sent]]
  try {
    const child = spawn(command as string, args as string[], { stdio: ["ignore", "pipe", "inherit"] })
    const output = await text(child.stdout)
    return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Counted
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isInstalled(command: string): boolean {
  try {
    execFileSync("which", [command], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
