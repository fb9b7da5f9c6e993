import { parseJson } from "../../../schema/wire/json.ts"
import type { TrustedKey } from "../../../schema/wire/keys.ts"
import { openLine } from "../../../schema/wire/line.ts"
import { ProbeLine, type RecipientLine } from "../../../schema/wire/probe.ts"
import { readLines } from "./read-lines.ts"

/** What a line of an honest node never is. */
export type Lie = "signature" | "shape" | "foreign_recipient" | "duplicate_recipient"

export interface ExpectedLines {
  readonly nonce: string
  readonly keys: readonly TrustedKey[]
  /** Indexes that were asked about. */
  readonly asked: ReadonlySet<number>
  readonly onLie: (lie: Lie) => void
  /** The stream ended without its `end` line. @param lines how many had come */
  readonly onCut: (lines: number) => void
}

/** A node that goes on lying is not listened to. */
const MAX_LIES = 3

/**
 * The recipient lines of an answer, each signed, asked for, and the first about its recipient. A bad line is dropped;
 * what came before a cut stays good.
 */
export async function* recipientLines(
  body: ReadableStream<Uint8Array>,
  { nonce, keys, asked, onLie, onCut }: ExpectedLines,
): AsyncGenerator<RecipientLine> {
  const seen = new Set<number>()
  let seq = 0
  let lies = 0
  for await (const text of readLines(body)) {
    const line = text === null ? "shape" : await open(text, { seq, nonce, keys })
    seq++
    if (typeof line === "object" && line.type === "end") return
    const lie = typeof line === "string" ? line : lieAbout(line.index, { asked, seen })
    if (lie === null && typeof line === "object") {
      seen.add(line.index)
      yield line
    } else if (lie !== null) {
      onLie(lie)
      if (++lies >= MAX_LIES) break
    }
  }
  onCut(seq)
}

async function open(
  text: string,
  { seq, nonce, keys }: { seq: number; nonce: string; keys: readonly TrustedKey[] },
): Promise<ProbeLine | Lie> {
  const payload = await openLine(text, seq, nonce, keys)
  if (payload === null) return "signature"
  const line = ProbeLine.safeParse(parseJson(payload))
  return line.success ? line.data : "shape"
}

function lieAbout(
  index: number,
  { asked, seen }: { asked: ReadonlySet<number>; seen: ReadonlySet<number> },
): Lie | null {
  if (!asked.has(index)) return "foreign_recipient"
  return seen.has(index) ? "duplicate_recipient" : null
}
