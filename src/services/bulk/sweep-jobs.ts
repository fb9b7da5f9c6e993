import type { Deps } from "../../deps.ts"
import { type DispatchNeeds, dispatchChunks } from "./dispatch-chunks.ts"
import { type FinishNeeds, finishJob } from "./finish-job.ts"

type Needs = DispatchNeeds & FinishNeeds & Pick<Deps, "jobs" | "jobIntake">

/** Whoever ended a job gets this long to deal with its end. */
const FINISH_MS = 30_000
/** Rows of a list that stopped coming in are given up after this. */
const RECEIVE_MS = 30 * 60_000

/** Makes good what a crash or a lost queue left behind: ended leases go out again, ends are dealt with, torn lists are removed. */
export async function sweepJobs(needs: Needs): Promise<void> {
  const now = needs.clock.now()
  await dispatchChunks(needs)
  for (const { jobId } of await needs.jobs.unsettled(now - FINISH_MS)) await finishJob(needs, jobId)
  for (const jobId of await needs.jobs.giveUpReceiving(now - RECEIVE_MS, now)) {
    await needs.charges.settle(jobId, 0)
    await needs.jobIntake.drop(jobId)
  }
}
