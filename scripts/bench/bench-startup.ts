import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { percentile } from "./http-client.ts"

/** The part of a CPU profile (Chrome DevTools Protocol) that is read here. Times are microseconds. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9)
const root = fileURLToPath(new URL("../..", import.meta.url))
const wrangler = join(root, "node_modules/.bin/wrangler")
const run = promisify(execFile)

/** Profiles the evaluation of the upload's entry as Cloudflare's tool does. @returns milliseconds of work, and its report */
async function profileStart(folder: string): Promise<{ activeMs: number; report: string }> {
  const file = join(folder, "start.cpuprofile")
  const { stdout } = await run(wrangler, ["check", "startup", "--outfile", file], { cwd: root, timeout: 120_000 })
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id))
  const activeUs = timeDeltas.reduce((sum, delta, at) => (idle.has(samples[at] ?? 0) ? sum : sum + delta), 0)
  return { activeMs: activeUs / 1_000, report: stdout }
}

const folder = mkdtempSync(join(tmpdir(), "mailverdict-startup-"))
try {
  const times: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const { activeMs, report } = await profileStart(folder)
    if (round === 1) console.log(/Bundle: .*/.exec(report)?.[0] ?? "wrangler reported no size")
    times.push(activeMs)
  }
  const at = (share: number) => percentile(times, share).toFixed(0)
  console.log(`start-up: median ${at(0.5)} ms of work, ${at(0)} to ${at(1)} in ${ROUNDS} rounds. Target: 120 ms.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
