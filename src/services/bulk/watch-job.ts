import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import { findJob, isOver } from "./find-job.ts"

const LOOK_MS = 1_000
/** Proxies close connections that stay silent; clients reconnect after the end. */
const KEEP_ALIVE_LOOKS = 15
const LOOKS = 600

/** The job each time it has moved on, until it is over or ten minutes have passed; null when it has long not moved. */
export async function* watchJob(
  needs: Pick<Deps, "jobs" | "clock">,
  which: { jobId: string; accountId: string },
): AsyncGenerator<Job | null> {
  let shown = ""
  let silent = 0
  for (let look = 0; look < LOOKS; look++) {
    const job = await findJob(needs, which)
    const state = `${job.status} ${job.done}`
    if (state !== shown || ++silent >= KEEP_ALIVE_LOOKS) {
      yield state === shown ? null : job
      silent = 0
    }
    shown = state
    if (isOver(job)) return
    await needs.clock.sleep(LOOK_MS)
  }
}
