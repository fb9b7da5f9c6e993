import type { Deps } from "../../deps.ts"
import { CHAIN_START, type ChainLink, findBreak } from "../../domain/compliance/audit-chain.ts"

export interface TrailCheck {
  readonly verified: boolean
  /** Number of the first row that is not what was written; null when all are. */
  readonly brokenAt: number | null
  /** Rows looked at. */
  readonly checked: number
  /** The last row that holds. Kept elsewhere, it shows later whether the end of the trail was cut off. */
  readonly head: ChainLink
}

const PAGE = 1_000
/** Rows that one check looks at: a million take a minute. */
export const MOST_CHECKED = 20_000

/** Follows the chain up to its last row, or the last before a number: from its first row, or as many as one check takes. */
export async function verifyTrail(
  { audit }: Pick<Deps, "audit">,
  { before = Number.MAX_SAFE_INTEGER }: { before?: number | undefined } = {},
): Promise<TrailCheck> {
  const end = Math.min(before - 1, (await audit.head()).seq)
  let head = await linkAt(audit, end - MOST_CHECKED)
  for (let checked = 0; ; ) {
    const rows = (await audit.after(head.seq, PAGE)).filter(({ seq }) => seq <= end)
    const brokenAt = await findBreak(rows, head)
    if (brokenAt !== null) {
      const { seq, hash } = rows[brokenAt - head.seq - 2] ?? head
      return { verified: false, brokenAt, checked: checked + rows.length, head: { seq, hash } }
    }
    checked += rows.length
    const last = rows.at(-1)
    if (last) head = { seq: last.seq, hash: last.hash }
    if (rows.length < PAGE) return { verified: true, brokenAt: null, checked, head }
  }
}

/** What the row behind a number has to follow; a row that is not there is followed by none. */
async function linkAt(audit: Deps["audit"], seq: number): Promise<ChainLink> {
  if (seq <= CHAIN_START.seq) return CHAIN_START
  const [row] = await audit.after(seq - 1, 1)
  return { seq, hash: row?.seq === seq ? row.hash : "" }
}
