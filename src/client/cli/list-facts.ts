import type { Answer } from "../caller.ts"
import { type Cli, LIST_TIMEOUT_MS, printFacts, printRows } from "./cli.ts"
import { readTable, type TableChoices, tableInput } from "./list-file.ts"
import type { Cell } from "./table.ts"
import { paint, print, type Style, type Terminal } from "./terminal.ts"
import { counted, grouped, inWords, percent } from "./words.ts"

const RISKS: Readonly<Record<Answer<"bulkReport">["sending_risk"]["level"], Style>> = {
  low: "green",
  moderate: "yellow",
  high: "red",
  unknown: "grey",
}

/** `mailverdict lists report JOB_ID`. */
export async function reportList(cli: Cli, jobId: string): Promise<number> {
  const report = await cli.client().lists.report(jobId)
  const { health, sending_risk, composition, projected_bounce_rate: bounces } = report
  printFacts(cli, report, [
    ["list", jobId],
    ["grade", `${health.grade} (${health.score}/100)`],
    ["risk", [sending_risk.level, RISKS[sending_risk.level]]],
    ["", sending_risk.reason],
    ["bounces", `${percent(bounces.rate)} expected (${percent(bounces.low)} to ${percent(bounces.high)})`],
    ["can send", `${grouped(composition.sendable)} of ${grouped(report.analyzed)}`],
    ["pending", report.pending === 0 ? null : counted(report.pending, "address", "addresses")],
  ])
  if (cli.isJson) return 0
  printSection(cli.terminal, ["RESULT", "COUNT", "SHARE"], resultRows(report))
  const problems = report.top_problems.map(({ message, count, share }): Cell[] => [message, count, percent(share)])
  if (problems.length > 0) printSection(cli.terminal, ["PROBLEM", "COUNT", "SHARE"], problems)
  if (report.recommendations.length > 0) print(cli.terminal, "")
  for (const { message } of report.recommendations)
    print(cli.terminal, `${paint(cli.terminal, "grey", "→")} ${message}`)
  return 0
}

const resultRows = ({ composition }: Answer<"bulkReport">): Cell[][] =>
  composition.statuses.map(({ status, count, share }) => [inWords(status), count, percent(share)])

/** `mailverdict lists cancel JOB_ID`. */
export async function cancelList(cli: Cli, jobId: string): Promise<number> {
  const list = await cli.client().lists.cancel(jobId)
  printFacts(cli, list, [
    ["list", jobId],
    ["state", ["canceled", "grey"]],
    ["finished", `${grouped(list.progress)} of ${grouped(list.total)}`],
    ["credits used", grouped(list.credits_used)],
  ])
  return 0
}

/** `mailverdict lists sample FILE`. */
export async function sampleList(cli: Cli, file: string, choices: TableChoices): Promise<number> {
  const body = await readTable(cli.terminal, file)
  const client = cli.client({ timeoutMs: LIST_TIMEOUT_MS })
  const sample = await client.lists.sample(body, tableInput(choices))
  printFacts(cli, sample, [
    ["list", `${file}, ${counted(sample.total, "address", "addresses")}`],
    ["sample", counted(sample.sampled, "address", "addresses")],
    ["confidence", percent(sample.confidence)],
  ])
  if (cli.isJson) return 0
  const rows = sample.projection.map(({ status, expected, low, high }): Cell[] => [
    inWords(status),
    Math.round(expected),
    `${percent(low)} to ${percent(high)}`,
  ])
  printSection(cli.terminal, ["RESULT", "EXPECTED", "SHARE"], rows)
  return 0
}

/** `mailverdict lists cost FILE`. */
export async function costOfList(cli: Cli, file: string, choices: TableChoices): Promise<number> {
  const body = await readTable(cli.terminal, file)
  const client = cli.client({ timeoutMs: LIST_TIMEOUT_MS })
  const preview = await client.call("previewList", { file: body, ...tableInput(choices) })
  const { file: read } = preview
  printFacts(cli, preview, [
    ["file", `${file} (${[read.format, read.encoding].filter(Boolean).join(", ")})`],
    ["sheet", read.sheet],
    ["email column", read.email_column],
    ["not verified", namesOf([...read.other_address_columns, ...read.other_sheets.map(({ name }) => `sheet ${name}`)])],
    ["left out above", read.skipped_rows === 0 ? null : counted(read.skipped_rows, "row")],
    [
      "several in a cell",
      read.cells_with_several_addresses === 0 ? null : counted(read.cells_with_several_addresses, "cell"),
    ],
    ["unreadable", read.unreadable_characters === 0 ? null : counted(read.unreadable_characters, "character")],
    ["rows", grouped(preview.rows)],
    ["addresses", grouped(preview.addresses)],
    ["cost", `at most ${counted(preview.credits_at_most, "credit")}`],
    ["sample", `at most ${counted(preview.sample_credits_at_most, "credit")}: mailverdict lists sample ${file}`],
  ])
  return 0
}

const namesOf = (names: readonly string[]) => (names.length === 0 ? null : names.join(", "))

function printSection(terminal: Terminal, header: readonly string[], rows: readonly Cell[][]): void {
  print(terminal, "")
  printRows(terminal, header, rows)
}
