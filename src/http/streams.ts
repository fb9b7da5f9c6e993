import { round } from "./fields.ts"

const encoder = new TextEncoder()

type Fields = Readonly<Record<string, unknown>>

/** A response body that produces its text only as fast as the client reads. */
export function textStream(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  return byteStream(encoded(pieces))
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield encoder.encode(piece)
}

/** A response body that produces its bytes only as fast as the client reads. */
export function byteStream(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** Waits for the first piece, so that an early error becomes an error response instead of a truncated body. */
export async function hasBegun<T>(pieces: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await pieces.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* pieces
  })()
}

/** The JSON of an object with a long array in its field `results`, piece by piece. @param head everything before it */
export async function* jsonWithResults(head: Fields, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"results":[`
  let isFirst = true
  for await (const page of pages) {
    if (page.length === 0) continue
    yield `${isFirst ? "" : ","}${page.map((row) => JSON.stringify(row)).join(",")}`
    isFirst = false
  }
  yield "]}"
}

/** The JSON of an object with long arrays in its field `data`, array by array. @param head everything before it */
export async function* jsonWithData(
  head: Fields,
  pages: AsyncIterable<{ readonly name: string; readonly rows: readonly unknown[] }>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":{`
  let last: string | null = null
  for await (const { name, rows } of pages) {
    const before = name === last ? "," : `${last === null ? "" : "],"}${JSON.stringify(name)}:[`
    yield `${before}${rows.map((row) => JSON.stringify(row, shortened)).join(",")}`
    last = name
  }
  yield `${last === null ? "" : "]"}}}`
}

/** Six decimals are enough for any stored number. */
function shortened(_: string, value: unknown): unknown {
  return typeof value === "number" ? round(value, 6) : value
}

/** One server-sent event (WHATWG HTML §9.2). */
export function serverSentEvent(event: string, payload: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`
}
