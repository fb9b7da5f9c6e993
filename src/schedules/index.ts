import type { Deps } from "../deps.ts"
import { tidyAccounts } from "../services/accounts/tidy-accounts.ts"
import { refreshBySchedule } from "../services/admin/refresh-lists.ts"
import { sweepJobs } from "../services/bulk/sweep-jobs.ts"
import { purgeBySchedule } from "../services/compliance/purge.ts"
import { checkBlocklists } from "../services/fleet/check-blocklists.ts"
import { lookAtNodes } from "../services/fleet/look-at-nodes.ts"
import { runCanaries } from "../services/fleet/run-canaries.ts"
import { sweepSyncs } from "../services/integrations/sweep-syncs.ts"
import { keepLearning, resumeTrainings } from "../services/learning/keep-learning.ts"
import { announceLists } from "../services/suppression/announce-lists.ts"
import { expireSuppressions } from "../services/suppression/expire-suppressions.ts"
import { rehashSuppressions } from "../services/suppression/rehash-suppressions.ts"
import { recheckDue } from "../services/verification/recheck-due.ts"
import { sweepPending } from "../services/verification/sweep-pending.ts"
import { sweepWebhooks } from "../services/webhooks/sweep-webhooks.ts"

/** What is done side by side at the times of each cron, which are those of wrangler.toml. */
export const SCHEDULES: Readonly<Record<string, readonly ((deps: Deps) => Promise<unknown>)[]>> = {
  "* * * * *": [
    lookAtNodes,
    checkBlocklists,
    runCanaries,
    sweepJobs,
    sweepPending,
    deliverWebhooks,
    tidyAccounts,
    recheckDue,
    expireSuppressions,
    announceLists,
    resumeTrainings,
  ],
  // Each minute in other words: a run of its own, so that nothing waits for it.
  "*/1 * * * *": [sweepSyncs],
  "17 3 * * *": [keepLearning, purgeBySchedule, rehashSuppressions, refreshBySchedule],
}

/** In calls of their own where there is a courier: a receiver that hangs would hold up everything else. */
async function deliverWebhooks(deps: Deps): Promise<void> {
  await (deps.courier?.sweep() ?? sweepWebhooks(deps))
}
