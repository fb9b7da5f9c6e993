import type { DoneItem, Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import { pageOf } from "../../domain/page.ts"
import { type Standing, standingAmong } from "../../domain/suppression/mark.ts"
import { AppError } from "../../errors.ts"
import { findStandings, type StandingNeeds } from "../suppression/find-standing.ts"

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

/** A result as its owner may see it now: whether it may be sent to changes after the job is over. */
export interface JobResult extends DoneItem {
  readonly standing: Standing
}

type ReadNeeds = StandingNeeds & Pick<Deps, "jobs">
type Which = Pick<Job, "jobId" | "accountId">

const PAGE = 500

/** All results of a job in the order of its list, a page at a time; memory does not grow with their number. */
export async function* jobItems(needs: ReadNeeds, job: Which): AsyncGenerator<JobResult[]> {
  for (let afterIdx = -1; ; ) {
    const page = await needs.jobs.items(job.jobId, { afterIdx, limit: PAGE })
    if (page.length > 0) yield await withStanding(needs, job, page)
    if (page.length < PAGE) return
    afterIdx = page.at(-1)!.idx
  }
}

export interface PageAsk {
  /** The index of the last item seen, opaque to callers. */
  readonly cursor: string | undefined
  readonly limit: number
  readonly onlyFailed?: boolean
}

/** One page of results, and where the next begins. */
export async function jobPage(
  needs: ReadNeeds,
  job: Which,
  { cursor, limit, onlyFailed = false }: PageAsk,
): Promise<{ items: JobResult[]; nextCursor: string | null }> {
  const afterIdx = cursor === undefined ? -1 : Number(cursor)
  const { page, last } = pageOf(await needs.jobs.items(job.jobId, { afterIdx, limit: limit + 1, onlyFailed }), limit)
  return { items: await withStanding(needs, job, page), nextCursor: last && String(last.idx) }
}

async function withStanding(needs: ReadNeeds, { accountId }: Which, items: readonly DoneItem[]): Promise<JobResult[]> {
  const addresses = items.flatMap(({ evidence: { address } }) => (address.ok ? [address] : []))
  const standings = await findStandings(needs, { accountId, addresses })
  return items.map((item) => ({ ...item, standing: standingAmong(standings, item.evidence.address) }))
}
