import type { Stores } from "../../adapters/store/stores.ts"
import type { Context } from "../../context.ts"
import { CHAIN_START, type ChainLink, findBreak } from "../../domain/compliance/audit-chain.ts"

export interface TrailCheck {
  readonly verified: boolean
  /** Number of the first row that was altered, null when none was. */
  readonly brokenAt: number | null
  /** Rows checked. */
  readonly checked: number
  /** The last intact row. A copy stored elsewhere shows later whether the end of the trail was cut off. */
  readonly head: ChainLink
}

const PAGE = 1_000
/** Rows that one check reads: a million take a minute. */
export const MAX_CHECKED = 20_000

/** Verifies the hash chain up to the row before `before`. @param atMost rows */
export async function verifyTrail(
  ctx: Context,
  { before = Number.MAX_SAFE_INTEGER, atMost = MAX_CHECKED }: { before?: number | undefined; atMost?: number } = {},
): Promise<TrailCheck> {
  const end = Math.min(before - 1, (await ctx.store.audit.head()).seq)
  let head = await linkAt(ctx.store.audit, end - atMost)
  for (let checked = 0; ; ) {
    const rows = (await ctx.store.audit.after(head.seq, PAGE)).filter(({ seq }) => seq <= end)
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

/** Returns the link that the row after `seq` must follow. A missing row has an empty hash, which matches no row. */
async function linkAt(audit: Stores["audit"], seq: number): Promise<ChainLink> {
  if (seq <= CHAIN_START.seq) return CHAIN_START
  const [row] = await audit.after(seq - 1, 1)
  return { seq, hash: row?.seq === seq ? row.hash : "" }
}
