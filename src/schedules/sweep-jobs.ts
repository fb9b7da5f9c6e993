import type { Deps } from "../deps.ts"
import { sweepJobs } from "../services/bulk/sweep-jobs.ts"

export const EVERY_MINUTE = "* * * * *"

/** Nothing of a job is lost or forgotten. */
export const sweepJobsEachMinute = { cron: EVERY_MINUTE, run: (deps: Deps) => sweepJobs(deps) }
