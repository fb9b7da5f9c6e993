import type { Deps } from "../deps.ts"
import { sweepJobs } from "../services/bulk/sweep-jobs.ts"

/** Nothing of a job is lost or forgotten. */
export const sweepJobsEachMinute = { cron: "* * * * *", run: (deps: Deps) => sweepJobs(deps) }
