import { parseJson } from "../../../schema/wire/json.ts"
import type { TrustedKey } from "../../../schema/wire/keys.ts"
import { LINE_LIMITS, ProbeLine, type RecipientLine } from "../../../schema/wire/probe.ts"
import { openLine } from "../../../schema/wire/signature.ts"

/** How a line can violate the protocol. */
export type ProtocolViolation = "signature" | "shape" | "foreign_recipient" | "duplicate_recipient"

interface ExpectedLines {
  readonly nonce: string
  readonly keys: readonly TrustedKey[]
  /** Indexes of the requested recipients. */
  readonly requested: ReadonlySet<number>
  /** Whether the node signed the head of the answer. Called at most once, and only without a line that it signed. */
  readonly isSignedHead: () => Promise<boolean>
  readonly onViolation: (violation: ProtocolViolation) => void
  /** The stream ended without its `end` line, and recipients are missing. @param lines lines received before that */
  readonly onCut: (lines: number) => void
}

/** After this many violations the stream is no longer read. */
const MAX_VIOLATIONS = 3

/**
 * The recipient lines of an answer. Each is signed, was requested, and is the first for its recipient.
 * An invalid line is dropped. Lines before a cut stay valid.
 * A signed line proves that the node answered. Without one, an answer of another server is no violation of the node.
 */
export async function* recipientLines(
  body: ReadableStream<Uint8Array>,
  expected: ExpectedLines,
): AsyncGenerator<RecipientLine> {
  const { requested, onViolation, onCut } = expected
  const lines = new SignedLines(expected)
  const seen = new Set<number>()
  let violations = 0
  for await (const text of readLines(body)) {
    // No further line can be yielded, so the end line is not verified.
    if (seen.size === requested.size) return
    const line = await lines.open(text)
    if (typeof line === "object" && line.type === "end") return
    const violation = typeof line === "string" ? line : violationOf(line.index, { requested, seen })
    if (violation === null && typeof line === "object") {
      seen.add(line.index)
      yield line
      continue
    }
    if (violation === null || !(await lines.areFromNode())) return
    onViolation(violation)
    if (++violations >= MAX_VIOLATIONS) break
  }
  if (seen.size < requested.size && (await lines.areFromNode())) onCut(lines.opened)
}

/** The lines of one answer, and whether they are from the node. */
class SignedLines {
  /** Lines opened so far. */
  opened = 0
  readonly #expected: ExpectedLines
  #areFromNode = false

  constructor(expected: ExpectedLines) {
    this.#expected = expected
  }

  /** Verifies the next line. @param text null for an oversized line */
  async open(text: string | null): Promise<ProbeLine | ProtocolViolation> {
    const seq = this.opened++
    if (text === null) return "shape"
    const payload = await openLine(text, seq, this.#expected.nonce, this.#expected.keys)
    if (payload === null) return "signature"
    this.#areFromNode = true
    const line = ProbeLine.safeParse(parseJson(payload))
    return line.success ? line.data : "shape"
  }

  async areFromNode(): Promise<boolean> {
    this.#areFromNode ||= await this.#expected.isSignedHead()
    return this.#areFromNode
  }
}

function violationOf(
  index: number,
  { requested, seen }: { requested: ReadonlySet<number>; seen: ReadonlySet<number> },
): ProtocolViolation | null {
  if (!requested.has(index)) return "foreign_recipient"
  return seen.has(index) ? "duplicate_recipient" : null
}

/** Characters that a node may send in oversized lines before reading stops. */
const MAX_SKIPPED_CHARS = 4 * LINE_LIMITS.chars
/** A node that sent its last line closes the body at once. */
const CLOSING_MS = 100

/** Yields complete lines of a byte stream without "\
", null for an oversized line. An incomplete last line is dropped. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string | null> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let skipped = 0
  let isOversized = false
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done || !value) return
      // Only new text is searched: a long line may arrive in many chunks.
      const lines = decoder.decode(value, { stream: true }).split("\n")
      lines[0] = rest + lines[0]
      rest = lines.pop()!
      for (const line of lines) {
        yield isOversized || line.length > LINE_LIMITS.chars ? null : line
        isOversized = false
      }
      if (rest.length <= LINE_LIMITS.chars) continue
      isOversized = true
      skipped += rest.length
      rest = ""
      if (skipped > MAX_SKIPPED_CHARS) return
    }
  } finally {
    await leave(reader)
  }
}

/** A body that is read to its end leaves the connection reusable. Canceling the body closes the connection. */
async function leave(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, CLOSING_MS, false)
  const isAtEnd = await Promise.race([reader.read().then(({ done }) => done), isLate]).catch(() => true)
  clearTimeout(timer)
  if (!isAtEnd) await reader.cancel().catch(() => undefined)
}

/** A queue with several writers and one reader. Items come out in order until `end` is called. */
export class LineQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #isEnded = false
  #wake: () => void = () => undefined

  push(item: T): void {
    this.#waiting.push(item)
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      yield* this.#waiting.splice(0)
      if (this.#waiting.length > 0) continue
      if (this.#isEnded) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
