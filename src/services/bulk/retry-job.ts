import type { JobOptions } from "../../adapters/store/job-intake.ts"
import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { findJob, isOver } from "./find-job.ts"
import { newJobId, planChunks, type ReceiveNeeds } from "./receive-job.ts"
import { type StartNeeds, startReceived } from "./start-received.ts"

type Needs = ReceiveNeeds & StartNeeds & Pick<Deps, "jobs">

/**
 * Makes a child job of a job's failed addresses, with its options and a fresh budget of attempts. An address is taken
 * over once; `unfinished` also takes those a cancelled job never came to.
 * @throws AppError conflict when the job is still going on or has nothing left to retry
 */
export async function retryJob(
  needs: Needs,
  { jobId: parentId, caller, unfinished }: { jobId: string; caller: Member; unfinished: boolean },
): Promise<Pick<Job, "jobId" | "total">> {
  const { jobIntake, clock } = needs
  const parent = await findJob(needs, { jobId: parentId, accountId: caller.accountId })
  if (!isOver(parent)) throw new AppError("conflict", "the job is still going on; wait for its end or cancel it")
  await needs.meter.admit()
  const [jobId, createdAt] = [newJobId(needs), clock.now()]
  const { accountId } = caller
  await jobIntake.open({ jobId, accountId, kind: "retry", parentId, fileName: parent.fileName, createdAt })
  try {
    const total = await jobIntake.takeOver(jobId, { parentId, unfinished })
    if (total === 0) throw new AppError("conflict", "no failed addresses are left to retry")
    await planChunks(needs, { jobId, createdAt })
    const { smtp, deduplicate, webhookUrl } = parent
    const start = (options: JobOptions) => jobIntake.start(jobId, { ...options, submitted: total, total })
    await startReceived(needs, { jobId, start }, { total, options: { smtp, deduplicate, webhookUrl } })
    return { jobId, total }
  } catch (error) {
    await jobIntake.drop(jobId)
    throw error
  }
}
