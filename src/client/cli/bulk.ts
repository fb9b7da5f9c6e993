import { createWriteStream } from "node:fs"
import { open, stat, truncate } from "node:fs/promises"
import { buffer } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import type { Client } from "../client.ts"
import { jobResults, waitForJob } from "../jobs.ts"
import { clientFor, LIST_TIMEOUT_MS, UsageError } from "./config.ts"
import { listBody } from "./list-body.ts"
import { print, progressBar, say, type Terminal } from "./terminal.ts"

interface Output {
  /** A file instead of stdout. */
  readonly out?: string
  readonly json?: boolean
}

/** Their format is the service's to read, as is what a column is named of; everything else is one address a line. */
const TABLE = /\.(?:csv|tsv|xlsx?)$/i
/** The service takes no larger ones; of a list Cloudflare does not either, nor does it say so. */
const [TABLE_BYTES, LIST_BYTES] = [20_000_000, 100_000_000]

/**
 * `mailverdict bulk FILE --out RESULTS`: one address a line in, or a table; one JSON line, or CSV row, an address out. A table
 * comes back with its own columns.
 */
export async function bulk(
  terminal: Terminal,
  file: string,
  { out, json, column, pollMs }: Output & { column?: string; pollMs: number },
): Promise<number> {
  const isTable = TABLE.test(file) || column !== undefined
  const [most, advice] = isTable
    ? [TABLE_BYTES, "split it, or put its addresses into a .txt file, one a line: that may have 100 MB"]
    : [LIST_BYTES, "split it"]
  if (isTable) refuseLarger({ name: file, size: (await stat(file).catch(() => null))?.size ?? 0 }, most, advice)
  const source = file === "-" ? terminal.stdin : (await open(file).catch(() => null))?.createReadStream()
  if (!source) throw new UsageError(`cannot read ${file}`)
  const list = isTable ? new Blob([await buffer(source)]) : await listBody(source, file)
  refuseLarger({ name: file, size: list.size }, most, advice)
  // Before anything is paid for.
  if (out) await (await open(out, "a")).close()
  const client = clientFor(terminal, { timeoutMs: LIST_TIMEOUT_MS })
  const job = isTable
    ? await client.call("uploadList", { file: list, ...(column ? { email_column: column } : {}) })
    : await client.call("validateAsync", list)
  if (!("job_id" in job)) throw new UsageError("the service gave a sample where a job was asked for")
  say(terminal, `Job ${job.job_id}: ${job.total === 1 ? "1 address" : `${job.total} addresses`}`)
  say(terminal, `It goes on without this command: mailverdict job watch ${job.job_id}, and then job results`)
  const status = await untilEnded(terminal, job.job_id, pollMs)
  const lines = isTable && !json ? tableOf(client, job.job_id) : resultLines(client, job.job_id, json)
  await write(terminal, lines, out)
  return codeOf(status)
}

/** `mailverdict job results ID`: what a job found, as the service's own CSV or as JSON lines. */
export async function jobOutput(terminal: Terminal, jobId: string, { out, json }: Output): Promise<number> {
  const client = clientFor(terminal, { timeoutMs: LIST_TIMEOUT_MS })
  await write(terminal, json ? resultLines(client, jobId, json) : tableOf(client, jobId), out)
  return 0
}

async function write(terminal: Terminal, lines: AsyncGenerator<string, void>, out: string | undefined): Promise<void> {
  // What the file holds stays until there are results.
  const first = await lines.next()
  const target = out ? createWriteStream(out) : terminal.stdout
  async function* all() {
    if (first.value !== undefined) yield first.value
    yield* lines
  }
  await pipeline(all, target, { end: target !== terminal.stdout }).catch(async (error) => {
    // Half a list looks like a whole one.
    if (out) await truncate(out).catch(() => undefined)
    throw error
  })
  if (out) print(terminal, out)
}

const tableOf = (client: Client, jobId: string) => client.stream("downloadResults", { job_id: jobId })

async function* resultLines(client: Client, jobId: string, json: boolean | undefined): AsyncGenerator<string, void> {
  let header = json ? "" : "email,status,score,can_send\n"
  for await (const { checks } of jobResults(client, jobId)) {
    const { email, status, score, can_send } = checks
    yield header + (json ? `${JSON.stringify(checks)}\n` : `${csvCell(email)},${status},${score},${can_send}\n`)
    header = ""
  }
  yield header
}

/** `mailverdict job watch ID`. */
export async function watchJob(terminal: Terminal, jobId: string, { pollMs }: { pollMs: number }): Promise<number> {
  const status = await untilEnded(terminal, jobId, pollMs)
  print(terminal, status)
  return codeOf(status)
}

/** Shows progress until the job ends. @returns how it ended */
async function untilEnded(terminal: Terminal, jobId: string, pollMs: number): Promise<string> {
  const bar = progressBar(terminal, "verified")
  try {
    const onProgress = ({ progress, total }: { progress: number; total: number }) => bar.show(progress, total)
    const job = await waitForJob(clientFor(terminal), jobId, { pollMs, onProgress })
    return job.status
  } finally {
    bar.end()
  }
}

/** A job that failed or was cancelled has not done all that was asked for. */
const codeOf = (status: string) => (status === "complete" || status === "completed" ? 0 : 1)

function refuseLarger({ name, size }: { name: string; size: number }, most: number, advice: string): void {
  if (size <= most) return
  const [has, may] = [size, most].map((bytes) => `${Math.ceil(bytes / 1e5) / 10} MB`)
  throw new UsageError(`${name} comes to ${has} and may have ${may}: ${advice}`)
}

/** A cell that a spreadsheet takes as text, whatever it begins with. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
