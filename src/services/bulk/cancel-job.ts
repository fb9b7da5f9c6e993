import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { findJob } from "./find-job.ts"
import { type FinishNeeds, finishJob } from "./finish-job.ts"

/** Ends a job early: what is done stays and is paid for, the rest is never asked. @throws AppError conflict when it is over */
export async function cancelJob(
  needs: FinishNeeds & Pick<Deps, "randomToken">,
  which: { jobId: string; accountId: string },
): Promise<Job> {
  await findJob(needs, which)
  const end = { now: needs.clock.now(), eventId: `evt_${needs.randomToken()}` }
  if (!(await needs.jobs.cancel(which.jobId, end))) throw new AppError("conflict", "the job is over already")
  await finishJob(needs, which.jobId)
  return findJob(needs, which)
}
