import type { Deps } from "../deps.ts"
import { checkBlocklists } from "../services/fleet/check-blocklists.ts"
import { lookAtNodes } from "../services/fleet/look-at-nodes.ts"
import { EVERY_MINUTE } from "./sweep-jobs.ts"

/** Each minute: in which state every probe node is, and what blocklists have of its addresses. */
export const probeHealthEachMinute = {
  cron: EVERY_MINUTE,
  run: async (deps: Deps) => {
    await lookAtNodes(deps)
    await checkBlocklists(deps)
  },
}
