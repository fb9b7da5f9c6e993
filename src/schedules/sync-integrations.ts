import type { Deps } from "../deps.ts"
import { sweepSyncs } from "../services/integrations/sweep-syncs.ts"

/**
 * Contacts of integrations are read, verified and written back; what a dead Worker has left lying is taken up again. Each
 * minute in other words: a run of its own, so that nothing waits for it.
 */
export const syncIntegrationsEachMinute = { cron: "*/1 * * * *", run: (deps: Deps) => sweepSyncs(deps) }
