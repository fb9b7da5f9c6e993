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

/** Follows the chain from its first row to its last. */
export async function verifyTrail({ audit }: Pick<Deps, "audit">): Promise<TrailCheck> {
  let head: ChainLink = CHAIN_START
  for (let checked = 0; ; ) {
    const rows = await audit.after(head.seq, PAGE)
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
