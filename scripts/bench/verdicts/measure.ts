import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { startChild } from "../../dev/child.ts"
import { SANDBOX_ADDRESSES } from "../../sandbox/addresses.ts"
import { startService, temporaryFolder } from "../bench-run.ts"
import { inParallel } from "../http-client.ts"
import type { Installed } from "./peers.ts"
import type { Answer } from "./score.ts"

/** Addresses that a verifier works on at once. */
const AT_ONCE = 8
/** Limit for one address. A verifier's own limit of 20 s applies to each of its steps. */
const ANSWER_WITHIN_MS = 90_000
const SETTINGS = {
  PEER_HELO: "probe.mailverdict.test",
  PEER_MAIL_FROM: "probe@mailverdict.test",
  PEER_TIMEOUT_MS: "20000",
  // py3-validate-email: no download of its blocklist.
  PY3VE_IGNORE_UPDATER: "1",
}

/**
 * Sends each address once to an adapter, which reads addresses from stdin and prints one line of JSON for each.
 * @throws Error when the adapter ends early
 */
async function collectAnswers(
  [program, ...args]: readonly string[],
  { addresses, env }: { addresses: readonly string[]; env: Readonly<Record<string, string>> },
): Promise<Answer[]> {
  const child = spawn(program!, args, {
    env: { ...process.env, ...SETTINGS, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const waiting = new Map<string, (answer: Answer) => void>()
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject)
    child.stdin.once("error", reject)
    child.once("exit", (code, signal) =>
      reject(new Error(`the verifier ended early (${signal ?? `exit code ${code}`})`)),
    )
  })
  createInterface({ input: child.stdout }).on("line", (line) => {
    // Packages print notices, too.
    if (!line.startsWith("{")) return
    const answer = JSON.parse(line) as Answer
    waiting.get(answer.address)?.(answer)
  })
  const answers: Answer[] = []
  const verify = async (n: number) => {
    const address = addresses[n]!
    let timer: NodeJS.Timeout | undefined
    answers[n] = await new Promise<Answer>((resolve) => {
      waiting.set(address, resolve)
      const raw = `no answer within ${ANSWER_WITHIN_MS / 1_000} s`
      timer = setTimeout(() => resolve({ address, verdict: "unknown", raw }), ANSWER_WITHIN_MS)
      child.stdin.write(`${address}\n`)
    })
    clearTimeout(timer)
  }
  try {
    await Promise.race([inParallel(AT_ONCE, addresses.length, verify), ended])
    return answers
  } finally {
    child.kill("SIGKILL")
  }
}

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
const runs: Run[] = []
for (const installed of JSON.parse(process.argv[2]!) as Installed[]) runs.push(await measure(installed))
console.log(JSON.stringify(runs))

async function measure({ name, version, command, problem }: Installed): Promise<Run> {
  if (!command) return { name, version, seconds: 0, answers: [], problem }
  console.error(`... ${name}: ${ADDRESSES.length} addresses`)
  // A new sandbox each time: greylisting remembers senders.
  const internet = await (name === "mailverdict" ? startOwnService() : startSandbox())
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

/** Mail hosts on port 25, and the system's resolver. */
async function startSandbox() {
  const env = { SANDBOX_SMTP_PORT: "25", SANDBOX_DNS_PORT: "53", SANDBOX_UPSTREAM: "" }
  const onLine = (line: string) => console.error(line)
  const child = await startChild("sandbox", "scripts/sandbox/main.ts", { env, onLine })
  return { env: {}, stop: () => child.stop() }
}

/** The service as `npm start` runs it, with its own sandbox. */
async function startOwnService() {
  const dataDir = temporaryFolder("peers-data")
  const { child, service } = await startService({ DATA_DIR: dataDir.path, ANONYMOUS_PER_MINUTE: "1000" })
  return { env: { MAILVERDICT_URL: service.url }, stop: () => child.stop().finally(() => dataDir.remove()) }
}
