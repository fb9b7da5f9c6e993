import { parseJson } from "../../../schema/wire/json.ts"
import type { TrustedKey } from "../../../schema/wire/keys.ts"
import { openLine } from "../../../schema/wire/line.ts"
import { ProbeLine, type RecipientLine } from "../../../schema/wire/probe.ts"
import { readLines } from "./read-lines.ts"

/** How a line can violate the protocol. */
export type ProtocolViolation = "signature" | "shape" | "foreign_recipient" | "duplicate_recipient"

export interface ExpectedLines {
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
