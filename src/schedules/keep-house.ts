import type { Deps } from "../deps.ts"
import { refreshBySchedule } from "../services/admin/refresh-lists.ts"
import { purgeBySchedule } from "../services/compliance/purge.ts"

const NIGHTLY = "17 3 * * *"

/** What is past the retention policy goes. */
export const purgeEachNight = { cron: NIGHTLY, run: (deps: Deps) => purgeBySchedule(deps) }

/** New disposable domains and free providers become known. */
export const refreshListsEachNight = { cron: NIGHTLY, run: (deps: Deps) => refreshBySchedule(deps) }
