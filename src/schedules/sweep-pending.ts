import type { Deps } from "../deps.ts"
import { sweepPending } from "../services/verification/sweep-pending.ts"

/** A quick verification whose request died is taken up again. */
export const sweepPendingEachMinute = { cron: "* * * * *", run: (deps: Deps) => sweepPending(deps) }
