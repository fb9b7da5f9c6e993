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
  readonly onViolation: (violation: ProtocolViolation) => void
  /** The stream ended without its `end` line. @param lines lines received before that */
  readonly onCut: (lines: number) => void
}

/** After this many violations the stream is no longer read. */
const MAX_VIOLATIONS = 3

/**
 * The recipient lines of an answer. Each is signed, was requested, and is the first for its recipient.
 * An invalid line is dropped. Lines before a cut stay valid.
 */
export async function* recipientLines(
  body: ReadableStream<Uint8Array>,
  { nonce, keys, requested, onViolation, onCut }: ExpectedLines,
): AsyncGenerator<RecipientLine> {
  const seen = new Set<number>()
  let seq = 0
  let violations = 0
  for await (const text of readLines(body)) {
    const line = text === null ? "shape" : await open(text, { seq, nonce, keys })
    seq++
    if (typeof line === "object" && line.type === "end") return
    const violation = typeof line === "string" ? line : violationOf(line.index, { requested, seen })
    if (violation === null && typeof line === "object") {
      seen.add(line.index)
      yield line
    } else if (violation !== null) {
      onViolation(violation)
      if (++violations >= MAX_VIOLATIONS) break
    }
  }
  onCut(seq)
}

async function open(
  text: string,
  { seq, nonce, keys }: { seq: number; nonce: string; keys: readonly TrustedKey[] },
): Promise<ProbeLine | ProtocolViolation> {
  const payload = await openLine(text, seq, nonce, keys)
  if (payload === null) return "signature"
  const line = ProbeLine.safeParse(parseJson(payload))
  return line.success ? line.data : "shape"
}

function violationOf(
  index: number,
  { requested, seen }: { requested: ReadonlySet<number>; seen: ReadonlySet<number> },
): ProtocolViolation | null {
  if (!requested.has(index)) return "foreign_recipient"
  return seen.has(index) ? "duplicate_recipient" : null
}
