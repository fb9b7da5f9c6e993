import { createWriteStream } from "node:fs"
import { open, stat, truncate } from "node:fs/promises"
import { buffer } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import type { Client, Input } from "../client.ts"
import { jobResults, waitForJob } from "../jobs.ts"
import { clientFor, LIST_TIMEOUT_MS, UsageError } from "./config.ts"
import { listBody } from "./list-body.ts"
import { print, progressBar, report, type Terminal } from "./terminal.ts"

interface Output {
  /** Path of the output file; stdout when absent. */
  readonly out?: string
  readonly json?: boolean
}

type Download = Required<Pick<Input<"downloadResults">, "filter" | "format">>

const WHOLE: Download = { filter: "all", format: "csv" }

/** Files that the service parses. Any other file without --column holds one address per line. */
const TABLE = /\.(?:csv|tsv|xlsx?)$/i
/** The service's limits in bytes. Cloudflare enforces the list limit without an error message. */
const [TABLE_BYTES, LIST_BYTES] = [20_000_000, 100_000_000]

/**
 * `mailverdict bulk FILE --out RESULTS`: verifies a table or a file with one address per line.
 * The output is a CSV row or a JSON line per address. A table keeps its own columns in CSV.
 */
export async function bulk(
  terminal: Terminal,
  file: string,
  { out, json, column, pollMs }: Output & { column?: string; pollMs: number },
): Promise<number> {
  const isTable = TABLE.test(file) || column !== undefined
  const [maxBytes, advice] = isTable
    ? [TABLE_BYTES, "Split it, or use a .txt file with one address per line (at most 100 MB)."]
    : [LIST_BYTES, "Split it."]
  if (isTable) refuseTooLarge({ name: file, size: (await stat(file).catch(() => null))?.size ?? 0 }, maxBytes, advice)
  const source = file === "-" ? terminal.stdin : (await open(file).catch(() => null))?.createReadStream()
  if (!source) throw new UsageError(`cannot read ${file}`)
  const list = isTable ? new Blob([await buffer(source)]) : await listBody(source, file)
  refuseTooLarge({ name: file, size: list.size }, maxBytes, advice)
  // An unwritable file must fail before any credit is used.
  if (out) await (await open(out, "a")).close()
  const client = clientFor(terminal, { timeoutMs: LIST_TIMEOUT_MS })
  const job = isTable
    ? await client.call("uploadList", { file: list, ...(column ? { email_column: column } : {}) })
    : await client.call("validateAsync", list)
  if (!("job_id" in job)) throw new UsageError("the service returned a sample instead of a job")
  report(terminal, `Job ${job.job_id}: ${job.total === 1 ? "1 address" : `${job.total} addresses`}`)
  report(terminal, `The job continues without this command. See mailverdict job watch ${job.job_id}, then job results.`)
  const status = await waitUntilEnded(terminal, job.job_id, pollMs)
  const lines =
    isTable && !json ? downloadTable(client, job.job_id, WHOLE) : resultLines(client, job.job_id, { json, ...WHOLE })
  await write(terminal, lines, out)
  return exitCodeOf(status)
}

/** `mailverdict job results ID`: writes a job's results in a format of the service, or each full result as a JSON line. */
export async function jobOutput(
  terminal: Terminal,
  jobId: string,
  { out, json, filter, format }: Output & Download,
): Promise<number> {
  if (format === "xlsx" && !out) throw new UsageError("a workbook needs --out <file>")
  const client = clientFor(terminal, { timeoutMs: LIST_TIMEOUT_MS })
  const lines = json ? resultLines(client, jobId, { json, filter }) : downloadTable(client, jobId, { filter, format })
  await write(terminal, lines, out)
  return 0
}

type Pieces = AsyncGenerator<string | Uint8Array, void>

async function write(terminal: Terminal, lines: Pieces, out: string | undefined): Promise<void> {
  // An existing file is overwritten only when results arrive.
  const first = await lines.next()
  const target = out ? createWriteStream(out) : terminal.stdout
  async function* all() {
    if (first.value !== undefined) yield first.value
    yield* lines
  }
  await pipeline(all, target, { end: target !== terminal.stdout }).catch(async (error) => {
    // A partial file would look complete.
    if (out) await truncate(out).catch(() => undefined)
    throw error
  })
  if (out) print(terminal, out)
}

const downloadTable = (client: Client, jobId: string, options: Download) =>
  client.bytes("downloadResults", { job_id: jobId, ...options })

async function* resultLines(
  client: Client,
  jobId: string,
  { json, filter }: Pick<Download, "filter"> & { readonly json: boolean | undefined },
): AsyncGenerator<string, void> {
  let header = json ? "" : "email,status,score,can_send\n"
  for await (const { checks } of jobResults(client, jobId, { filter })) {
    const { email, status, score, can_send } = checks
    yield header + (json ? `${JSON.stringify(checks)}\n` : `${csvCell(email)},${status},${score},${can_send}\n`)
    header = ""
  }
  yield header
}

/** `mailverdict job watch ID`. */
export async function watchJob(terminal: Terminal, jobId: string, { pollMs }: { pollMs: number }): Promise<number> {
  const status = await waitUntilEnded(terminal, jobId, pollMs)
  print(terminal, status)
  return exitCodeOf(status)
}

/** Shows progress until the job ends. @returns the job's final status */
async function waitUntilEnded(terminal: Terminal, jobId: string, pollMs: number): Promise<string> {
  const bar = progressBar(terminal, "verified")
  try {
    const onProgress = ({ progress, total }: { progress: number; total: number }) => bar.show(progress, total)
    const job = await waitForJob(clientFor(terminal), jobId, { pollMs, onProgress })
    return job.status
  } finally {
    bar.end()
  }
}

/** @returns the exit code: 0 for a complete job, 1 for a failed or canceled job */
const exitCodeOf = (status: string) => (status === "complete" || status === "completed" ? 0 : 1)

function refuseTooLarge({ name, size }: { name: string; size: number }, maxBytes: number, advice: string): void {
  if (size <= maxBytes) return
  const [actual, limit] = [size, maxBytes].map((bytes) => `${Math.ceil(bytes / 1e5) / 10} MB`)
  throw new UsageError(`${name} is too large (${actual}, at most ${limit}). ${advice}`)
}

/** Quotes a CSV cell and prevents a spreadsheet from running it as a formula. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
