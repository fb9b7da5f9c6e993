import { createWriteStream } from "node:fs"
import { open, realpath, rename, rm, stat } from "node:fs/promises"
import { basename } from "node:path"
import { pipeline } from "node:stream/promises"
import { UsageError } from "./config.ts"
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

/**
 * Reads a list: a table as it is, or the request body for a text with one address per line. `-` is standard input.
 * @param choices any of them makes the file a table
 * @throws UsageError for a file that is missing, too large, or no list
 */
export async function readListFile(terminal: Terminal, file: string, choices: TableChoices) {
  const isTable = TABLE.test(file) || Object.keys(tableInput(choices)).length > 0
  const body = isTable
    ? await readTable(terminal, file)
    : await listBody(await sourceOf(terminal, file), { file, maxBytes: LIST_BYTES })
  return { isTable, body }
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

/** Matches a table row, but not a separator inside a quoted local part or a display name. */
const TABLE_ROW = /^(?!"[^"]*"@|[^<>]*<[^<>]*>$).*[,;\t]/

/**
 * Builds a job's request body from a text with one address per line.
 * Lines become bytes as they are read: three million strings took 870 MB.
 * @param file name for error messages
 * @throws UsageError for a table, an empty file, text that is not UTF-8, and as soon as the body is too large
 */
export async function listBody(
  source: AsyncIterable<Uint8Array>,
  { file, maxBytes }: { readonly file: string; readonly maxBytes: number },
): Promise<Blob> {
  const parts: (string | Buffer<ArrayBuffer>)[] = []
  let size = 0
  const refuseTooLarge = (bytes: number) => {
    if (bytes > maxBytes) throw new UsageError(`${file} is too large (at most ${maxBytes / 1e6} MB). Split it.`)
  }
  const add = (lines: readonly string[]) => {
    const emails = lines.map(addressOf).filter((line) => line !== "")
    if (emails.length === 0) return
    if (parts.length === 0 && TABLE_ROW.test(emails[0]!))
      throw new UsageError(`${file} looks like a table. Name its email column, for example --column email`)
    const bytes = Buffer.from(JSON.stringify(emails).slice(1, -1))
    size += bytes.length + 1
    refuseTooLarge(size)
    parts.push(parts.length === 0 ? '{"emails":[' : ",", bytes)
  }
  let unfinished = ""
  for await (const text of textOf(source, file)) {
    const lines = text.split(/[\r\n]+/)
    lines[0] = unfinished + lines[0]
    unfinished = lines.pop() ?? ""
    refuseTooLarge(size + unfinished.length)
    add(lines)
  }
  add([unfinished])
  if (parts.length === 0) throw new UsageError(`${file} contains no addresses. Write one address per line`)
  return new Blob([...parts, '],"sample":false}'])
}

/** Removes spaces and one trailing separator, which pasted lists often contain. */
const addressOf = (line: string) => line.trim().replace(/[,;]$/, "").trimEnd()

/** Decodes UTF-8, or UTF-16 with a byte order mark, and drops the mark. */
async function* textOf(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? ""
    } catch {
      throw new UsageError(`${file} is not UTF-8 text`)
    }
  }
  for await (const bytes of source) {
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    decoder ??= new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true })
    yield decode(bytes)
  }
  yield decode()
}

export type Pieces = AsyncGenerator<string | Uint8Array, void>

/** An unwritable file must fail before any credit is used. @throws a file error */
export async function checkWritable(path: string): Promise<void> {
  const { draft, file } = await placeOf(path)
  await (await open(draft, "a")).close()
  if (draft !== file) await rm(draft)
}

/**
 * Writes pieces as they arrive to stdout, or to a file. A file is complete or not there at all: the pieces go to a draft
 * beside it, which takes its place at the end.
 */
export async function writePieces(terminal: Terminal, pieces: Pieces, path: string | undefined): Promise<void> {
  if (path === undefined) return pipeline(pieces, terminal.stdout, { end: false })
  const { draft, file, mode } = await placeOf(path)
  try {
    await pipeline(pieces, createWriteStream(draft, { mode }))
    if (draft !== file) await rename(draft, file)
  } catch (error) {
    if (draft !== file) await rm(draft, { force: true })
    throw error
  }
}

/**
 * A link stays a link: the file that it names is replaced.
 * @returns `draft`: where the pieces go first. It is the file itself for a device or a pipe
 */
async function placeOf(path: string) {
  const file = await realpath(path).catch(() => path)
  const old = await stat(file).catch(() => null)
  const draft = old && !old.isFile() ? file : `${file}.${process.pid}`
  return { draft, file, mode: old?.mode }
}
