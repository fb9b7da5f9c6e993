import { UsageError } from "./config.ts"

/** Cells, and no quoted local part that has such a sign in it. */
const ROW = /^(?!"[^"]*"@).*[,;\t]/

/**
 * The body of a job of addresses that stand one a line. They go into bytes as they are read: as strings, three million took
 * 870 MB. @param file what they come from, for people @throws UsageError for a table, whose lines are no addresses
 */
export async function listBody(source: AsyncIterable<Uint8Array>, file: string): Promise<Blob> {
  const parts: (string | Buffer<ArrayBuffer>)[] = []
  const add = (lines: readonly string[]) => {
    const emails = lines.map(bare).filter((line) => line !== "")
    if (emails.length === 0) return
    if (parts.length === 0 && ROW.test(emails[0]!))
      throw new UsageError(`${file} looks like a table: name its column of addresses, as in --column email`)
    parts.push(parts.length === 0 ? '{"emails":[' : ",", Buffer.from(JSON.stringify(emails).slice(1, -1)))
  }
  let unfinished = ""
  for await (const text of textOf(source, file)) {
    const lines = text.split(/[\r\n]+/)
    lines[0] = unfinished + lines[0]
    unfinished = lines.pop() ?? ""
    add(lines)
  }
  add([unfinished])
  if (parts.length === 0) throw new UsageError(`${file} holds no addresses; write one a line`)
  return new Blob([...parts, '],"sample":false}'])
}

/** A line without what stands around its address: a pasted list may have a sign behind each. */
const bare = (line: string) => line.trim().replace(/[,;]$/, "").trimEnd()

/** UTF-8, or UTF-16 by its mark; a mark in front is no part of the text. */
async function* textOf(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? ""
    } catch {
      throw new UsageError(`${file} is no UTF-8 text`)
    }
  }
  for await (const bytes of source) {
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    decoder ??= new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true })
    yield decode(bytes)
  }
  yield decode()
}
