import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startChild } from "../../dev/child.ts"
import { SANDBOX_ADDRESSES } from "../../sandbox/addresses.ts"
import type { Service } from "../service.ts"
import { collectAnswers } from "./collect-answers.ts"
import type { Installed } from "./peers.ts"
import type { Answer } from "./score.ts"

/** One verifier's answers, or the reason why there are none. */
export interface Run {
  readonly name: string
  readonly version: string
  readonly seconds: number
  readonly answers: readonly Answer[]
  readonly problem: string | null
}

/** Runs inside the sandbox network: `measure.ts <verifiers as JSON>`. Prints the runs as one line of JSON. */
const ADDRESSES = SANDBOX_ADDRESSES.map(({ address }) => address)
const onLine = (line: string) => console.error(line)
const runs: Run[] = []
for (const installed of JSON.parse(process.argv[2]!) as Installed[]) runs.push(await measure(installed))
console.log(JSON.stringify(runs))

async function measure({ name, version, command, problem }: Installed): Promise<Run> {
  if (!command) return { name, version, seconds: 0, answers: [], problem }
  console.error(`... ${name}: ${ADDRESSES.length} addresses`)
  // A new sandbox each time: greylisting remembers senders.
  const internet = await (name === "mailverdict" ? startService() : startSandbox())
  try {
    const startedAt = performance.now()
    const answers = await collectAnswers(command, { addresses: ADDRESSES, env: internet.env })
    return { name, version, seconds: (performance.now() - startedAt) / 1_000, answers, problem: null }
  } catch (error) {
    return { name, version, seconds: 0, answers: [], problem: `failed: ${(error as Error).message}` }
  } finally {
    await internet.stop()
  }
}

interface Internet {
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Mail hosts on port 25, and the system's resolver. */
async function startSandbox(): Promise<Internet> {
  const env = { SANDBOX_SMTP_PORT: "25", SANDBOX_DNS_PORT: "53", SANDBOX_UPSTREAM: "" }
  const child = await startChild("sandbox", "scripts/sandbox/main.ts", { env, onLine })
  return { env: {}, stop: () => child.stop() }
}

/** The service as `npm start` runs it, with its own sandbox. */
async function startService(): Promise<Internet> {
  const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-peers-data-"))
  const env = { DATA_DIR: dataDir, ANONYMOUS_PER_MINUTE: "1000" }
  const child = await startChild("service", "scripts/bench/service.ts", { env, onLine })
  const { url } = JSON.parse(child.readyLine) as Service
  const stop = async () => {
    await child.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { env: { MAILVERDICT_URL: url }, stop }
}
