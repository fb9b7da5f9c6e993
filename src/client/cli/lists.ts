import { type Command, Option } from "commander"
import type { ListProgress } from "../resources/lists.ts"
import { type Cli, printTable } from "./cli.ts"
import { firstOf, limitOption, wholeNumber } from "./flags.ts"
import { cancelList, costOfList, reportList, sampleList } from "./list-facts.ts"
import { downloadList, uploadList, watchList } from "./list-run.ts"
import { stateOf } from "./list-summary.ts"
import type { Cell } from "./table.ts"
import { moment } from "./words.ts"

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

const COLUMN = "the table's email column; needed on standard input or when detection fails"
const FILE = "CSV, Excel or one address per line; - reads standard input"

/** The interval of progress requests. "5s" or a value too large for a timer would otherwise poll without pause. */
const pollOption = () =>
  new Option("--poll <seconds>", "seconds between progress requests")
    .default(5)
    .argParser(wholeNumber(1, 3_600, "seconds"))

/** How a table is read. */
function withTableOptions(command: Command): Command {
  return command
    .option("--column <name>", COLUMN)
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
    .argument("<file>", FILE)
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
    .action((jobId: string) => cli.end(reportList(cli, jobId)))
  withFileOptions(lists.command("download <job-id>"))
    .description("write the results of a list to a file, or to standard output")
    .action((jobId: string, options) => cli.end(downloadList(cli, jobId, options)))
  lists
    .command("list")
    .description("show the account's lists, newest first")
    .option("--name <text>", "only lists with this text in the file's name")
    .addOption(limitOption())
    .action((options) => cli.end(listLists(cli, options)))
  lists
    .command("cancel <job-id>")
    .description("stop a list; it keeps its finished results, and only these are charged")
    .action((jobId: string) => cli.end(cancelList(cli, jobId)))
  withTableOptions(lists.command("sample <file>"))
    .description("verify a small sample and project it to the whole list; costs credits for the sample only")
    .action((file: string, options) => cli.end(sampleList(cli, file, options)))
  withTableOptions(lists.command("cost <file>"))
    .description("show how a list is read and its highest cost; nothing is verified or stored")
    .action((file: string, options) => cli.end(costOfList(cli, file, options)))
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

async function listLists(cli: Cli, { name, limit }: { name?: string; limit: number }): Promise<number> {
  const lists = await firstOf(cli.client().lists.all(name ? { name } : {}), limit)
  printTable(cli, lists, { columns: COLUMNS, none: "No lists yet. To verify one: mailverdict lists upload <file>" })
  return 0
}
