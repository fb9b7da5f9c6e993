import type { Deps } from "../deps.ts"
import { runCanaries } from "../services/fleet/run-canaries.ts"
import { EVERY_MINUTE } from "./sweep-jobs.ts"

/** Each minute those control addresses whose hour has come. */
export const canariesEachHour = { cron: EVERY_MINUTE, run: (deps: Deps) => runCanaries(deps) }
