import { open } from "node:fs/promises"
import { basename } from "node:path"
import { UsageError } from "./config.ts"
import { listBody } from "./list-body.ts"
import type { Terminal } from "./terminal.ts"

/** Files that the service parses. Any other file without a choice for tables holds one address per line. */
const TABLE = /\.(?:csv|tsv|xlsx?)$/i
/** The service's limits in bytes. Cloudflare enforces the list limit without an error message. */
const [TABLE_BYTES, LIST_BYTES] = [20_000_000, 100_000_000]
const SPLIT_TABLE = "Split it, or use a .txt file with one address per line (at most 100 MB)."

/** The caller's choices for a table. */
export interface TableChoices {
  readonly column?: string
  readonly sheet?: string
  readonly encoding?: string
}

/** The choices as the interface names them. */
export function tableInput({ column, sheet, encoding }: TableChoices) {
  return {
    ...(column ? { email_column: column } : {}),
    ...(sheet ? { sheet } : {}),
    ...(encoding ? { encoding } : {}),
  }
}

/** A file to upload: a table as it is, or the request body for a text with one address per line. */
export interface ListFile {
  readonly kind: "table" | "lines"
  readonly body: Blob
}

/**
 * Reads a list. `-` is standard input.
 * @param choices any of them makes the file a table
 * @throws UsageError for a file that is missing, too large, or no list
 */
export async function readListFile(terminal: Terminal, file: string, choices: TableChoices): Promise<ListFile> {
  const isTable = TABLE.test(file) || Object.keys(tableInput(choices)).length > 0
  if (isTable) return { kind: "table", body: await readTable(terminal, file) }
  const body = await listBody(await sourceOf(terminal, file), { file, maxBytes: LIST_BYTES })
  return { kind: "lines", body }
}

/** Reads a file as it is, with its name, at most 20 MB. @throws UsageError for a file that is missing or too large */
export async function readTable(terminal: Terminal, file: string): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  // The size is counted on the way, so that endless input is not read into memory.
  for await (const bytes of (await sourceOf(terminal, file)) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += bytes.length
    if (size > TABLE_BYTES) throw new UsageError(`${file} is too large (at most 20 MB). ${SPLIT_TABLE}`)
    parts.push(bytes)
  }
  return file === "-" ? new Blob(parts) : new File(parts, basename(file))
}

async function sourceOf(terminal: Terminal, file: string) {
  if (file === "-") return terminal.stdin
  const opened = await open(file).catch(() => null)
  if (!opened) throw new UsageError(`<file>: cannot read ${file}`)
  return opened.createReadStream()
}
