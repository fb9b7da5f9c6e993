import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { CHAOS_CASES, type ChaosCase, type Counted, type Proof } from "./cases.ts"

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** CHAOS_SEEDS and CHAOS_LONG_LIST determine the duration. */
const SIZES = { CHAOS_SEEDS: "20", CHAOS_LONG_LIST: "100000", FUZZ_RUNS: "20" }
const root = join(import.meta.dirname, "../..")

const outcomes = await runTests([...new Set(CHAOS_CASES.flatMap(({ proofs }) => proofs.map(({ file }) => file)))])
const rows = CHAOS_CASES.map((one, at) => rowOf(at + 1, one, outcomes))
console.log(
  table([["case", "", "runs", "survived", "lost items", "wrong bills", "leaks"], ...rows.map(({ cells }) => cells)]),
)
const failed = rows.filter(({ isWhole }) => !isWhole).length
console.log(`${rows.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** Runs whole test files. Their output goes to stderr. */
async function runTests(files: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), "mailverdict-chaos-report-"))
  const outputFile = join(directory, "report.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const flags = ["run", "--config", "test/vitest.config.ts", "--reporter=default", "--reporter=json"]
  try {
    const child = spawn(process.execPath, [vitest, ...flags, `--outputFile.json=${outputFile}`, ...files], {
      cwd: root,
      env: { ...SIZES, ...process.env },
      stdio: ["ignore", 2, 2],
    })
    await once(child, "exit")
    const { testResults } = JSON.parse(readFileSync(outputFile, "utf8")) as Report
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({
        file: relative(root, name),
        name: fullName,
        survived: status === "passed",
      })),
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A failed run counts in every column of its case, because its actual effect is unknown. */
function rowOf(number: number, { name, counts, proofs }: ChaosCase, all: typeof outcomes) {
  const belongs = (outcome: (typeof outcomes)[number], { file, titles }: Proof) =>
    outcome.file === file && (titles?.some((title) => outcome.name.includes(title)) ?? true)
  const own = all.filter((outcome) => proofs.some((proof) => belongs(outcome, proof)))
  const bad = own.filter(({ survived }) => !survived).length
  const column = (what: Counted) => (counts.includes(what) ? String(bad) : "-")
  const cells = [String(number), name, String(own.length), String(own.length - bad)]
  return { cells: [...cells, column("items"), column("bills"), column("leaks")], isWhole: bad === 0 && own.length > 0 }
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  // The names are text, and the other columns numbers.
  const pad = (text: string, column: number) =>
    column === 1 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
  return lines.map((line) => line.map(pad).join("  ")).join("\n")
}
