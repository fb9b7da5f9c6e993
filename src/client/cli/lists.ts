import { type Command, Option } from "commander"
import type { Answer } from "../caller.ts"
import type { ListProgress } from "../resources/lists.ts"
import { type Cli, LIST_TIMEOUT_MS, printFacts, printRows, printTable } from "./cli.ts"
import { firstOf, limitOption, wholeNumber } from "./flags.ts"
import { readTable, type TableChoices, tableInput } from "./list-file.ts"
import { downloadList, stateOf, uploadList, watchList } from "./list-run.ts"
import {
  type Cell,
  counted,
  grouped,
  inWords,
  moment,
  paint,
  percent,
  print,
  type Style,
  type Terminal,
} from "./terminal.ts"

const FILTERS = [
  "all",
  "can_send",
  "valid",
  "risky",
  "accept_all",
  "disposable",
  "unknown",
  "invalid",
  "role",
  "free",
] as const
const FORMATS = ["csv", "json", "ndjson", "xlsx"] as const

/** The interval of progress requests. "5s" or a value too large for a timer would otherwise poll without pause. */
const pollOption = () =>
  new Option("--poll <seconds>", "seconds between progress requests")
    .default(5)
    .argParser(wholeNumber(1, 3_600, "seconds"))

/** How a table is read. */
function withTableOptions(command: Command): Command {
  return command
    .option("--column <name>", "the table's email column; needed on standard input or when detection fails")
    .option("--sheet <name>", "the workbook's sheet; without it, the one with most addresses")
    .option("--encoding <name>", "the text's encoding, such as windows-1251, when detection fails")
}

function withFileOptions(command: Command): Command {
  return command
    .option("--out <file>", "write the results to this file")
    .addOption(new Option("--filter <filter>", "only these results").choices(FILTERS))
    .addOption(new Option("--format <format>", "format of the results; --json has every field").choices(FORMATS))
}

export function addListCommands(program: Command, cli: Cli): void {
  const lists = program.command("lists").description("verify lists of addresses, and read their results")
  withFileOptions(withTableOptions(lists.command("upload")))
    .argument("<file>", "CSV, Excel or one address per line; - reads standard input")
    .description("verify a list, wait for its end and write the results")
    .option("--no-wait", "print the list's job id and return at once")
    .addOption(pollOption())
    .addHelpText("after", UPLOAD_EXAMPLES)
    .action((file: string, options) => cli.end(uploadList(cli, file, options)))
  lists
    .command("watch <job-id>")
    .description("show the progress of a list until its end; exit code 0 when it is complete")
    .addOption(pollOption())
    .action((jobId: string, options) => cli.end(watchList(cli, jobId, options)))
  lists
    .command("report <job-id>")
    .description("show the figures of a list: results, risk, problems and advice")
    .action((jobId: string) => reportList(cli, jobId))
  withFileOptions(lists.command("download <job-id>"))
    .description("write the results of a list to a file, or to standard output")
    .action((jobId: string, options) => downloadList(cli, jobId, options))
  lists
    .command("list")
    .description("show the account's lists, newest first")
    .option("--name <text>", "only lists with this text in the file's name")
    .addOption(limitOption())
    .action(async ({ name, limit }: { name?: string; limit: number }) => {
      const lists = await firstOf(cli.client().lists.all(name ? { name } : {}), limit)
      printTable(cli, lists, { columns: COLUMNS, none: "No lists yet. To verify one: mailverdict lists upload <file>" })
    })
  lists
    .command("cancel <job-id>")
    .description("stop a list; it keeps its finished results, and only these are charged")
    .action(async (jobId: string) => {
      const list = await cli.client().lists.cancel(jobId)
      printFacts(cli, list, [
        ["list", jobId],
        ["state", ["canceled", "grey"]],
        ["finished", `${grouped(list.progress)} of ${grouped(list.total)}`],
        ["credits used", grouped(list.credits_used)],
      ])
    })
  withTableOptions(lists.command("sample <file>"))
    .description("verify a small sample and project it to the whole list; costs credits for the sample only")
    .action((file: string, options) => sampleList(cli, file, options))
  withTableOptions(lists.command("cost <file>"))
    .description("show how a list is read and its highest cost; nothing is verified or stored")
    .action((file: string, options) => costOfList(cli, file, options))
}

const UPLOAD_EXAMPLES = `
The list continues on the service when you stop this command: see "lists watch" and "lists download".
In a pipe, the results go to standard output, and messages to standard error.

Examples:
  $ mailverdict lists cost customers.csv
  $ mailverdict lists upload customers.csv --out results.csv
  $ mailverdict lists upload customers.xlsx --column Mail --filter can_send --format xlsx --out good.xlsx
  $ cat addresses.txt | mailverdict lists upload - > results.csv`

const COLUMNS: Readonly<Record<string, (list: ListProgress) => Cell>> = {
  "JOB ID": ({ job_id }) => job_id,
  FILE: ({ file_name }) => file_name ?? "",
  STATE: stateOf,
  DONE: ({ progress }) => progress,
  TOTAL: ({ total }) => total,
  SENDABLE: ({ sendable }) => sendable,
  CREDITS: ({ credits_used }) => credits_used,
  SUBMITTED: ({ submitted_at }) => moment(submitted_at),
}

const RISKS: Readonly<Record<Answer<"bulkReport">["sending_risk"]["level"], Style>> = {
  low: "green",
  moderate: "yellow",
  high: "red",
  unknown: "grey",
}

/** `mailverdict lists report JOB_ID`. */
async function reportList(cli: Cli, jobId: string): Promise<void> {
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
  if (cli.isJson) return
  const results = composition.statuses.map(({ status, count, share }): Cell[] => [
    inWords(status),
    count,
    percent(share),
  ])
  printSection(cli.terminal, ["RESULT", "COUNT", "SHARE"], results)
  const problems = report.top_problems.map(({ message, count, share }): Cell[] => [message, count, percent(share)])
  if (problems.length > 0) printSection(cli.terminal, ["PROBLEM", "COUNT", "SHARE"], problems)
  if (report.recommendations.length > 0) print(cli.terminal, "")
  for (const { message } of report.recommendations)
    print(cli.terminal, `${paint(cli.terminal, "grey", "→")} ${message}`)
}

/** `mailverdict lists sample FILE`. */
async function sampleList(cli: Cli, file: string, choices: TableChoices): Promise<void> {
  const body = await readTable(cli.terminal, file)
  const client = cli.client({ timeoutMs: LIST_TIMEOUT_MS })
  const sample = await client.lists.sample(body, tableInput(choices))
  printFacts(cli, sample, [
    ["list", `${file}, ${counted(sample.total, "address", "addresses")}`],
    ["sample", counted(sample.sampled, "address", "addresses")],
    ["confidence", percent(sample.confidence)],
  ])
  if (cli.isJson) return
  const rows = sample.projection.map(({ status, expected, low, high }): Cell[] => [
    inWords(status),
    Math.round(expected),
    `${percent(low)} to ${percent(high)}`,
  ])
  printSection(cli.terminal, ["RESULT", "EXPECTED", "SHARE"], rows)
}

/** `mailverdict lists cost FILE`. */
async function costOfList(cli: Cli, file: string, choices: TableChoices): Promise<void> {
  const body = await readTable(cli.terminal, file)
  const client = cli.client({ timeoutMs: LIST_TIMEOUT_MS })
  const preview = await client.call("previewList", { file: body, ...tableInput(choices) })
  const { file: read } = preview
  printFacts(cli, preview, [
    ["file", `${file} (${[read.format, read.encoding].filter(Boolean).join(", ")})`],
    ["sheet", read.sheet],
    ["email column", read.email_column],
    [
      "not verified",
      [...read.other_address_columns, ...read.other_sheets.map(({ name }) => `sheet ${name}`)].join(", "),
    ],
    ["left out above", countedOrNull(read.skipped_rows, "row")],
    ["several in a cell", countedOrNull(read.cells_with_several_addresses, "cell")],
    ["unreadable", countedOrNull(read.unreadable_characters, "character")],
    ["rows", grouped(preview.rows)],
    ["addresses", grouped(preview.addresses)],
    ["cost", `at most ${counted(preview.credits_at_most, "credit")}`],
    ["sample", `at most ${counted(preview.sample_credits_at_most, "credit")}: mailverdict lists sample ${file}`],
  ])
}

const countedOrNull = (count: number, noun: string) => (count === 0 ? null : counted(count, noun))

function printSection(terminal: Terminal, header: readonly string[], rows: readonly Cell[][]): void {
  print(terminal, "")
  printRows(terminal, header, rows)
}
