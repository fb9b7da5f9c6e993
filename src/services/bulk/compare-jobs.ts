import type { ChangedItem, StatusChange } from "../../adapters/store/lists/job-results.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"

export interface Comparison {
  /** Mailboxes of the newer list by their status then and now. */
  readonly changes: readonly StatusChange[]
  /** Mailboxes that only the earlier list has. */
  readonly gone: number
  /** The first mailboxes of the newer list with another status, or new. */
  readonly changed: readonly ChangedItem[]
}

/** Items read by one statement, well below the database's time limit. */
const ITEMS_AT_ONCE = 20_000
const EXAMPLES = 200

/** Compares a list with an earlier one by mailbox. Memory does not grow with the lists. */
export async function compareJobs(ctx: Context, newer: Job, earlier: Job): Promise<Comparison> {
  const pair = { jobId: newer.jobId, otherId: earlier.jobId }
  const totals = new Map<string, StatusChange>()
  const changed: ChangedItem[] = []
  for (let from = 0; from < newer.submitted; from += ITEMS_AT_ONCE) {
    const range = { from, count: ITEMS_AT_ONCE }
    for (const change of await ctx.store.jobReports.changes(pair, range)) add(totals, change)
    if (changed.length < EXAMPLES)
      changed.push(...(await ctx.store.jobReports.changed(pair, range, EXAMPLES - changed.length)))
  }
  return { changes: [...totals.values()], gone: await countGone(ctx, newer, earlier), changed }
}

async function countGone(ctx: Context, newer: Job, earlier: Job): Promise<number> {
  const pair = { jobId: earlier.jobId, otherId: newer.jobId }
  let gone = 0
  for (let from = 0; from < earlier.submitted; from += ITEMS_AT_ONCE)
    for (const { isInOther, count } of await ctx.store.jobReports.changes(pair, { from, count: ITEMS_AT_ONCE }))
      if (!isInOther) gone += count
  return gone
}

function add(totals: Map<string, StatusChange>, change: StatusChange): void {
  const key = `${change.status} ${change.other} ${change.isInOther}`
  totals.set(key, { ...change, count: change.count + (totals.get(key)?.count ?? 0) })
}
