import type { Deps } from "../deps.ts"
import { announceLists } from "../services/suppression/announce-lists.ts"
import { expireSuppressions } from "../services/suppression/expire-suppressions.ts"
import { EVERY_MINUTE } from "./sweep-jobs.ts"

/** Each minute: what has expired leaves the lists, and single-use tokens that are too old anyway are forgotten. */
export const expireSuppressionsEachMinute = { cron: EVERY_MINUTE, run: (deps: Deps) => expireSuppressions(deps) }

/** Each minute: an edge whose namespace is new learns which lists have entries. */
export const announceListsEachMinute = { cron: EVERY_MINUTE, run: (deps: Deps) => announceLists(deps) }
