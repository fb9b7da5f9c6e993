import { runTestFiles } from "../dev/run-test-files.ts"
import { CHAOS_CASES, type ChaosCase, type Counted, type Proof } from "./cases.ts"

/** CHAOS_SEEDS and CHAOS_LONG_LIST determine the duration. */
const SIZES = { CHAOS_SEEDS: "20", CHAOS_LONG_LIST: "100000", FUZZ_RUNS: "20" }

const files = [...new Set(CHAOS_CASES.flatMap(({ proofs }) => proofs.map(({ file }) => file)))]
const outcomes = await runTestFiles(files, SIZES)
const rows = CHAOS_CASES.map((one, at) => rowOf(at + 1, one, outcomes))
console.log(
  table([["case", "", "runs", "survived", "lost items", "wrong bills", "leaks"], ...rows.map(({ cells }) => cells)]),
)
const failed = rows.filter(({ isWhole }) => !isWhole).length
console.log(`${rows.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** A failed run counts in every column of its case, because its actual effect is unknown. */
function rowOf(number: number, { name, counts, proofs }: ChaosCase, all: typeof outcomes) {
  const belongs = (outcome: (typeof outcomes)[number], { file, titles }: Proof) =>
    outcome.file === file && (titles?.some((title) => outcome.name.includes(title)) ?? true)
  const own = all.filter((outcome) => proofs.some((proof) => belongs(outcome, proof)))
  const bad = own.filter(({ passed }) => !passed).length
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
