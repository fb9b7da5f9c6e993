import type { DoneItem, Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { passes, type ResultFilter } from "../../domain/lists/download.ts"
import { pageOf } from "../../domain/page.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { assessItems } from "./assess-items.ts"

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

/** A finished item with its judgment for the account. */
export interface JobResult extends DoneItem {
  readonly verification: Verification
}

type Which = Pick<Job, "jobId" | "accountId">

const PAGE = 500
/** Items that one page with a filter may read. */
const MAX_READ = 10 * PAGE

/** Yields the results of a job that pass a filter, in the order of its list, page by page, in constant memory. */
export async function* jobItems(ctx: Context, job: Which, filter: ResultFilter): AsyncGenerator<JobResult[]> {
  for (let afterIdx = -1; ; ) {
    const page = await ctx.store.jobs.items(job.jobId, { afterIdx, limit: PAGE })
    const results = await resultsAmong(ctx, job, { items: page, filter })
    if (results.length > 0) yield results
    if (page.length < PAGE) return
    afterIdx = page.at(-1)!.idx
  }
}

export interface PageRequest {
  /** The index of the last item read, opaque to callers. */
  readonly cursor: string | undefined
  readonly limit: number
  readonly filter?: ResultFilter
  readonly onlyFailed?: boolean
}

/**
 * Returns one page of results and the cursor of the next page. A filter applies after reading, because it depends on the
 * account's flags. The page is short, with a cursor, when few of the first `MAX_READ` items pass.
 */
export async function jobPage(
  ctx: Context,
  job: Which,
  { cursor, limit, filter = "all", onlyFailed = false }: PageRequest,
): Promise<{ items: JobResult[]; nextCursor: string | null }> {
  const atOnce = filter === "all" ? limit : PAGE
  const items: JobResult[] = []
  let afterIdx = cursor === undefined ? -1 : Number(cursor)
  for (let read = 0; read < MAX_READ; read += atOnce) {
    const found = await ctx.store.jobs.items(job.jobId, { afterIdx, limit: atOnce + 1, onlyFailed })
    const { page, last } = pageOf(found, atOnce)
    items.push(...(await resultsAmong(ctx, job, { items: page, filter })))
    if (items.length > limit) {
      const shown = items.slice(0, limit)
      return { items: shown, nextCursor: String(shown.at(-1)!.idx) }
    }
    if (!last) return { items, nextCursor: null }
    afterIdx = last.idx
    if (items.length === limit) break
  }
  return { items, nextCursor: String(afterIdx) }
}

async function resultsAmong(
  ctx: Context,
  { accountId }: Which,
  { items, filter }: { items: readonly DoneItem[]; filter: ResultFilter },
): Promise<JobResult[]> {
  const verifications = await assessItems(ctx, accountId, items)
  return items
    .map((item, index) => ({ ...item, verification: verifications[index]! }))
    .filter(({ verification }) => passes(filter, verification))
}
