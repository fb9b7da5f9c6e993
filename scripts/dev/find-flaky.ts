import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"

const USAGE = `Usage: npm run test:flaky -- [--runs N] [--quiet] [files of npm test]

Runs \`npm test\` N times (default 3) with one core kept busy, and lists every test that failed even once.
--quiet  keep no core busy`

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message?: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

const ROOT = join(import.meta.dirname, "../..")
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "3" }, quiet: { type: "boolean" }, help: { type: "boolean" } },
})
const runs = /^[1-9]\d{0,2}$/.test(values.runs) ? Number(values.runs) : null
if (values.help || runs === null) {
  console.error(USAGE)
  process.exit(values.help ? 0 : 2)
}

const folder = mkdtempSync(join(tmpdir(), "mailverdict-flaky-"))
const failures = new Map<string, number>()
const ends: string[] = []
for (let run = 1; run <= runs; run++) {
  const startedAt = Date.now()
  const file = join(folder, `${run}.json`)
  const code = await test(file)
  const failed = failedIn(file)
  // A run can also fail by an unhandled error, which belongs to no test.
  for (const name of failed.length === 0 && code !== 0 ? ["no test: see the output of the run"] : failed)
    failures.set(name, (failures.get(name) ?? 0) + 1)
  const seconds = Math.round((Date.now() - startedAt) / 1_000)
  ends.push(`run ${run}: ${code === 0 ? "green" : `${failed.length} failed`} after ${seconds} s`)
  console.log(`[test:flaky] ${ends.at(-1)}`)
}
rmSync(folder, { recursive: true })

console.log(`\n${ends.join("\n")}`)
for (const [name, times] of failures) console.log(`failed ${times} of ${runs} times: ${name}`)
process.exitCode = failures.size > 0 ? 1 : 0

/** Runs `npm test` once. @returns its exit code */
async function test(outputFile: string): Promise<number> {
  const busy = values.quiet
    ? null
    : spawn("nice", ["-n", "5", process.execPath, "-e", "for (;;);"], { stdio: "ignore" })
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${outputFile}`]
  const child = spawn("npm", ["test", "--", ...flags, ...positionals], { cwd: ROOT, stdio: ["ignore", 2, 2] })
  try {
    const [code] = (await once(child, "close")) as [number | null]
    return code ?? 1
  } finally {
    busy?.kill("SIGKILL")
  }
}

function failedIn(file: string): string[] {
  // Without a report the run ended before its tests.
  if (!existsSync(file)) return []
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as Report
  return testResults.flatMap(({ name, assertionResults, message }) => {
    const path = relative(ROOT, name)
    const failed = assertionResults.filter(({ status }) => status === "failed")
    if (failed.length === 0 && message) return [`${path}: ${message.split("\n")[0]}`]
    return failed.map(({ fullName }) => `${path}: ${fullName}`)
  })
}
