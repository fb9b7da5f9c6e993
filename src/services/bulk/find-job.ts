import type { DoneItem, Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"

/** A job of that account. @throws AppError not_found for an unknown one and for another account's alike */
export async function findJob(
  { jobs }: Pick<Deps, "jobs">,
  { jobId, accountId }: { jobId: string; accountId: string },
): Promise<Job> {
  const job = await jobs.find(jobId, accountId)
  if (!job) throw new AppError("not_found", "there is no such job")
  return job
}

export function isOver({ status }: Pick<Job, "status">): boolean {
  return status === "complete" || status === "failed" || status === "cancelled"
}

const PAGE = 500

/** All results of a job in the order of its list, a page at a time; memory does not grow with their number. */
export async function* jobItems(
  { jobs }: Pick<Deps, "jobs">,
  { jobId, onlyFailed = false }: { jobId: string; onlyFailed?: boolean },
): AsyncGenerator<DoneItem[]> {
  for (let afterIdx = -1; ; ) {
    const page = await jobs.items(jobId, { afterIdx, limit: PAGE, onlyFailed })
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    afterIdx = page.at(-1)!.idx
  }
}

/** One page. A cursor is the index of the last item seen, opaque to callers. */
export async function jobPage(
  { jobs }: Pick<Deps, "jobs">,
  {
    jobId,
    cursor,
    limit,
    onlyFailed = false,
  }: { jobId: string; cursor: string | undefined; limit: number; onlyFailed?: boolean },
): Promise<{ items: DoneItem[]; nextCursor: string | null }> {
  const items = await jobs.items(jobId, {
    afterIdx: cursor === undefined ? -1 : Number(cursor),
    limit: limit + 1,
    onlyFailed,
  })
  const page = items.slice(0, limit)
  return { items: page, nextCursor: items.length > limit ? String(page.at(-1)!.idx) : null }
}
