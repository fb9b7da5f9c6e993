import type { Deps } from "../deps.ts"
import { refreshBySchedule } from "../services/admin/refresh-lists.ts"
import { purgeBySchedule } from "../services/compliance/purge.ts"
import { rehashSuppressions } from "../services/suppression/rehash-suppressions.ts"

const NIGHTLY = "17 3 * * *"

/** What is past the retention policy goes. */
export const purgeEachNight = { cron: NIGHTLY, run: (deps: Deps) => purgeBySchedule(deps) }

/** After a change of the pepper, suppressions come under the new one. */
export const rehashEachNight = { cron: NIGHTLY, run: (deps: Deps) => rehashSuppressions(deps) }

/** New disposable domains and free providers become known. */
export const refreshListsEachNight = { cron: NIGHTLY, run: (deps: Deps) => refreshBySchedule(deps) }
