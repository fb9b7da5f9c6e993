import { UsageError } from "./config.ts"

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
