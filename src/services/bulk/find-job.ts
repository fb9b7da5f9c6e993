import type { DoneItem, Job } from "../../adapters/store/jobs/jobs.ts"
import type { Context } from "../../context.ts"
import { type AccountFlags, accountFlagsAmong } from "../../domain/feedback/flags.ts"
import { pageOf } from "../../domain/page.ts"
import { AppError } from "../../errors.ts"
import { findManyAccountFlags } from "../suppression/find-flags.ts"

/** Finds a job of the account. @throws AppError not_found for an unknown job and for another account's job */
export async function findJob(ctx: Context, { jobId, accountId }: { jobId: string; accountId: string }): Promise<Job> {
  const job = await ctx.store.jobs.find(jobId, accountId)
  if (!job) throw new AppError("not_found", "there is no such job")
  return job
}

/** Finds a job that the operator started. @throws AppError not_found, also for an account's job */
export async function findOperatorJob(ctx: Context, jobId: string): Promise<Job> {
  const job = await ctx.store.jobs.byId(jobId)
  if (job?.kind !== "reverify" || job.status === "receiving") throw new AppError("not_found", "there is no such job")
  return job
}

export function isOver({ status }: Pick<Job, "status">): boolean {
  return status === "complete" || status === "failed" || status === "cancelled"
}

/** A result with the account's current flags: whether mail may be sent can change after the job is over. */
export interface JobResult extends DoneItem {
  readonly accountFlags: AccountFlags
}

type Which = Pick<Job, "jobId" | "accountId">

const PAGE = 500

/** Yields all results of a job in the order of its list, page by page, in constant memory. */
export async function* jobItems(ctx: Context, job: Which): AsyncGenerator<JobResult[]> {
  for (let afterIdx = -1; ; ) {
    const page = await ctx.store.jobs.items(job.jobId, { afterIdx, limit: PAGE })
    if (page.length > 0) yield await withFlags(ctx, job, page)
    if (page.length < PAGE) return
    afterIdx = page.at(-1)!.idx
  }
}

export interface PageRequest {
  /** The index of the last item seen, opaque to callers. */
  readonly cursor: string | undefined
  readonly limit: number
  readonly onlyFailed?: boolean
}

/** Returns one page of results and the cursor of the next page. */
export async function jobPage(
  ctx: Context,
  job: Which,
  { cursor, limit, onlyFailed = false }: PageRequest,
): Promise<{ items: JobResult[]; nextCursor: string | null }> {
  const afterIdx = cursor === undefined ? -1 : Number(cursor)
  const { page, last } = pageOf(
    await ctx.store.jobs.items(job.jobId, { afterIdx, limit: limit + 1, onlyFailed }),
    limit,
  )
  return { items: await withFlags(ctx, job, page), nextCursor: last && String(last.idx) }
}

async function withFlags(ctx: Context, { accountId }: Which, items: readonly DoneItem[]): Promise<JobResult[]> {
  const addresses = items.flatMap(({ evidence: { address } }) => (address.ok ? [address] : []))
  const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
  return items.map((item) => ({ ...item, accountFlags: accountFlagsAmong(flagsByKey, item.evidence.address) }))
}
