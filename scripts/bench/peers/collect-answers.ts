import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { inParallel } from "../in-parallel.ts"
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
export async function collectAnswers(
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
