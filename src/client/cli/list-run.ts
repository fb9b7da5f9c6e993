import type { Client } from "../client.ts"
import { UnfinishedJobError } from "../errors.ts"
import type { DownloadOptions, ListProgress } from "../resources/lists.ts"
import { type Cli, LIST_TIMEOUT_MS, printFacts } from "./cli.ts"
import { UsageError } from "./config.ts"
import { checkWritable, type Pieces, readListFile, type TableChoices, tableInput, writePieces } from "./list-file.ts"
import { type Cell, counted, grouped, inWords, progressBar, report } from "./terminal.ts"

interface UploadOptions extends FileOptions, PollOption, TableChoices {
  readonly wait: boolean
}

/** `mailverdict lists upload FILE`. @returns 0 for a complete list, 1 for one that failed or was canceled */
export async function uploadList(cli: Cli, file: string, options: UploadOptions): Promise<number> {
  const { terminal } = cli
  const { out, wait } = options
  checkFileOptions(cli, options)
  const { isTable, body } = await readListFile(terminal, file, options)
  if (out) await checkWritable(out)
  const client = cli.client({ timeoutMs: LIST_TIMEOUT_MS })
  const job = isTable ? await client.lists.upload(body, tableInput(options)) : await client.call("validateAsync", body)
  if (!("job_id" in job)) throw new UsageError("the service returned a sample instead of a list")
  report(terminal, `List ${job.job_id}: ${counted(job.total, "address", "addresses")}`)
  if (!wait) {
    report(terminal, `To follow it: mailverdict lists watch ${job.job_id}`)
    printSummary(cli, await client.lists.get(job.job_id))
    return 0
  }
  report(terminal, `It continues without this command: mailverdict lists watch ${job.job_id}`)
  const list = await waitForEnd(cli, job.job_id, options)
  // A file for a terminal would scroll away: the summary says how to download it.
  if (out || terminal.columns === null) await writeResults(cli, client, job.job_id, options)
  summarize(cli, list, options)
  return exitCodeOf(list)
}

/** `mailverdict lists watch JOB_ID`. @returns 0 for a complete list, 1 for one that failed or was canceled */
export async function watchList(cli: Cli, jobId: string, options: PollOption): Promise<number> {
  const list = await waitForEnd(cli, jobId, options)
  printSummary(cli, list)
  return exitCodeOf(list)
}

/** `mailverdict lists download JOB_ID`. @throws UnfinishedJobError for a running list: its file would look complete */
export async function downloadList(cli: Cli, jobId: string, options: FileOptions): Promise<void> {
  checkFileOptions(cli, options)
  const list = await cli.client().lists.get(jobId)
  if (list.status === "queued" || list.status === "running")
    throw new UnfinishedJobError(`${jobId} has not finished yet. To wait for it: mailverdict lists watch ${jobId}`)
  await writeResults(cli, cli.client({ timeoutMs: LIST_TIMEOUT_MS }), jobId, options)
  if (options.out) printSummary(cli, list, options.out)
}

/** Prints the summary where it is not in the way: stdout may already have the results. */
function summarize(cli: Cli, list: ListProgress, { out }: FileOptions): void {
  const { terminal } = cli
  if (out || terminal.columns !== null) printSummary(cli, list, out)
  else printSummary({ terminal: { ...terminal, stdout: terminal.stderr, hasColor: false }, isJson: false }, list)
}

function checkFileOptions({ wantsJson }: Cli, { out, format }: FileOptions): void {
  if (format === "xlsx" && !out) throw new UsageError("--format xlsx: a workbook needs --out <file>")
  if (format && wantsJson) throw new UsageError("--format: cannot be used with --json, which writes JSON lines")
}

async function writeResults(cli: Cli, client: Client, jobId: string, options: FileOptions): Promise<void> {
  const { out, filter = "all", format = "csv" } = options
  const pieces: Pieces = cli.wantsJson
    ? fullResults(client, jobId, filter)
    : client.lists.download(jobId, { filter, format })
  await writePieces(cli.terminal, pieces, out)
}

async function* fullResults(client: Client, jobId: string, filter: NonNullable<FileOptions["filter"]>): Pieces {
  for await (const { checks } of client.lists.results(jobId, { filter })) yield `${JSON.stringify(checks)}\n`
}

/** Shows progress until the list ends. */
async function waitForEnd(cli: Cli, jobId: string, { poll }: PollOption): Promise<ListProgress> {
  const client = cli.client()
  const bar = progressBar(cli.terminal, "verified")
  try {
    const onProgress = ({ progress, total }: { progress: number; total: number }) => bar.show(progress, total)
    await client.lists.wait(jobId, { pollMs: poll * 1_000, onProgress })
  } finally {
    bar.end()
  }
  return client.lists.get(jobId)
}

const exitCodeOf = ({ status }: ListProgress) => (status === "complete" ? 0 : 1)

interface PollOption {
  /** Seconds between requests. */
  readonly poll: number
}

interface FileOptions extends DownloadOptions {
  /** Path of the result file. */
  readonly out?: string
}

const STATES: Readonly<Record<ListProgress["status"], Cell>> = {
  queued: ["queued", "grey"],
  running: ["running", "yellow"],
  complete: ["complete", "green"],
  failed: ["failed", "red"],
}

export const stateOf = ({ status, cancelled_at }: ListProgress): Cell =>
  cancelled_at ? ["canceled", "grey"] : STATES[status]

/** Prints how a list ended: counts by result, its cost, and where the results are. @param file the written file */
function printSummary(cli: Pick<Cli, "terminal" | "isJson">, list: ListProgress, file?: string): void {
  printFacts(cli, file === undefined ? list : { ...list, file }, [
    ["list", list.job_id],
    ["state", stateOf(list)],
    ["addresses", grouped(list.total)],
    ...Object.entries(list.summary).map(([status, count]) => [`  ${inWords(status)}`, grouped(count)] as const),
    ["can send", [grouped(list.sendable), "green"]],
    ["credits used", grouped(list.credits_used)],
    ["results", file ?? `mailverdict lists download ${list.job_id} --out results.csv`],
  ])
}
