import type { Deps } from "../deps.ts"
import { recheckDue } from "../services/verification/recheck-due.ts"

/** Servers that asked us to come back are asked again when the time they want has passed. */
export const recheckEachMinute = { cron: "* * * * *", run: (deps: Deps) => recheckDue(deps) }
