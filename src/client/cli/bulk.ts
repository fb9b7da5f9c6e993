import { createWriteStream } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { Client } from "../client.ts"
import { jobResults, waitForJob } from "../jobs.ts"
import { clientFor, UsageError } from "./config.ts"
import { print, progressBar, say, type Terminal } from "./terminal.ts"

/** `mailverdict bulk FILE --out RESULTS`: one address a line in; one JSON line, or CSV row, an address out. */
export async function bulk(
  terminal: Terminal,
  file: string,
  { out, json, pollMs }: { out?: string; json?: boolean; pollMs: number },
): Promise<number> {
  const emails = readAddresses(await readFile(file, "utf8").catch(() => null), file)
  // Before anything is paid for. What the file holds stays until there are results.
  if (out) await (await open(out, "a")).close()
  const client = clientFor(terminal)
  const job = await client.call("validateAsync", { emails, sample: false })
  if (!("job_id" in job)) throw new UsageError("the service gave a sample where a job was asked for")
  say(terminal, `Job ${job.job_id}: ${job.total} addresses`)
  const bar = progressBar(terminal, "verified")
  const ended = await waitForJob(client, job.job_id, {
    pollMs,
    onProgress: ({ progress, total }) => bar(progress, total),
  })
  const target = out ? createWriteStream(out) : terminal.stdout
  await pipeline(resultLines(client, job.job_id, json), target, { end: target !== terminal.stdout })
  if (out) print(terminal, out)
  return ended.status === "failed" ? 1 : 0
}

async function* resultLines(client: Client, jobId: string, json: boolean | undefined): AsyncGenerator<string> {
  if (!json) yield "email,status,score,can_send\n"
  for await (const { checks } of jobResults(client, jobId)) {
    const { email, status, score, can_send } = checks
    yield json ? `${JSON.stringify(checks)}\n` : `${csvCell(email)},${status},${score},${can_send}\n`
  }
}

/** `mailverdict job watch ID`. */
export async function watchJob(terminal: Terminal, jobId: string, { pollMs }: { pollMs: number }): Promise<number> {
  const bar = progressBar(terminal, "verified")
  const job = await waitForJob(clientFor(terminal), jobId, {
    pollMs,
    onProgress: ({ progress, total }) => bar(progress, total),
  })
  print(terminal, job.status)
  return job.status === "failed" ? 1 : 0
}

function readAddresses(text: string | null, file: string): [string, ...string[]] {
  if (text === null) throw new UsageError(`cannot read ${file}`)
  const emails = text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))
  const [first, ...rest] = emails
  if (first === undefined) throw new UsageError(`${file} holds no addresses; write one a line`)
  return [first, ...rest]
}

/** A cell that a spreadsheet takes as text, whatever it begins with. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
