import type { ChangedItem, StatusChange } from "../../adapters/store/lists/job-results.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { type HostGroup, type ItemGroup, type Report, reportOn } from "../../domain/lists/report.ts"
import { NO_ACCOUNT_FLAGS } from "../../domain/suppression/flags.ts"
import { maySend } from "../../domain/verification/send-decision.ts"
import { findManyAccountFlags, listsOf } from "../suppression/flags.ts"

/** Items that one statement reads, well below the database's time limit. */
const ITEMS_AT_ONCE = 20_000

/** Reports on the finished items of a job. Memory grows with the number of mail hosts, not with the list. */
export async function reportJob(ctx: Context, job: Job): Promise<Report> {
  const items = new Map<string, ItemGroup>()
  const hosts = new Map<string, HostGroup>()
  const { accountId } = job
  const hasFlags = await ctx.store.suppressions.haveFlags(listsOf(accountId))
  let forbidden = 0
  for (let from = 0; from < job.submitted; from += ITEMS_AT_ONCE) {
    const found = await ctx.store.jobReports.groups(job.jobId, { from, count: ITEMS_AT_ONCE })
    for (const { count, scoreSum, ...traits } of found.items) {
      const key = JSON.stringify(traits)
      const { count: n, scoreSum: sum } = items.get(key) ?? { count: 0, scoreSum: 0 }
      items.set(key, { ...traits, count: n + count, scoreSum: sum + scoreSum })
    }
    if (hasFlags) forbidden += await countForbidden(ctx, job, { from, count: ITEMS_AT_ONCE })
    for (const group of found.hosts) {
      const key = `${group.status} ${group.mxHost}`
      hosts.set(key, { ...group, count: group.count + (hosts.get(key)?.count ?? 0) })
    }
  }
  return reportOn([...items.values()], [...hosts.values()], forbidden)
}

/** Items in the range whose score allows sending, but the account's suppressions and reports do not. */
async function countForbidden(
  ctx: Context,
  { jobId, accountId }: Job,
  range: { from: number; count: number },
): Promise<number> {
  const emails = await ctx.store.jobReports.sendable(jobId, range)
  const addresses = emails.flatMap((email) => {
    const address = parseAddress(email)
    return address.ok ? [address] : []
  })
  const flags = await findManyAccountFlags(ctx, { accountId, addresses })
  return addresses.filter((address) => !maySend(true, flags.get(cacheKey(address)) ?? NO_ACCOUNT_FLAGS)).length
}

export interface Comparison {
  /** Mailboxes of the newer list by their status then and now. */
  readonly changes: readonly StatusChange[]
  /** Mailboxes that only the earlier list has. */
  readonly gone: number
  /** The first mailboxes of the newer list with another status, or new. */
  readonly changed: readonly ChangedItem[]
}

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
