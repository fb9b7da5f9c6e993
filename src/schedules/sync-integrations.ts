import type { Deps } from "../deps.ts"
import { sweepSyncs } from "../services/integrations/sweep-syncs.ts"

/** Contacts of integrations are read, verified and written back; what a dead Worker has left lying is taken up again. */
export const syncIntegrationsEachMinute = { cron: "* * * * *", run: (deps: Deps) => sweepSyncs(deps) }
