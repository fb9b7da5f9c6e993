import type { Context } from "../context.ts"
import { tidyAccounts } from "../services/accounts/tidy-accounts.ts"
import { refreshBySchedule } from "../services/admin/refresh-lists.ts"
import { sweepJobs } from "../services/bulk/sweep-jobs.ts"
import { purgeBySchedule } from "../services/compliance/purge.ts"
import { checkNodeBlocklists } from "../services/fleet/check-node-blocklists.ts"
import { checkNodes } from "../services/fleet/check-nodes.ts"
import { runCanaries } from "../services/fleet/run-canaries.ts"
import { sweepSyncs } from "../services/integrations/sweep-syncs.ts"
import { resumeTrainings, trainDue } from "../services/learning/train-due.ts"
import { expireSuppressions } from "../services/suppression/expire-suppressions.ts"
import { publishListChanges } from "../services/suppression/publish-list-changes.ts"
import { rehashSuppressions } from "../services/suppression/rehash-suppressions.ts"
import { sweepPending } from "../services/verification/pending.ts"
import { recheckDue } from "../services/verification/recheck-due.ts"
import { sweepWebhooks } from "../services/webhooks/sweep-webhooks.ts"

/** Tasks that each cron of wrangler.toml runs in parallel. */
export const SCHEDULES: Readonly<Record<string, readonly ((ctx: Context) => Promise<unknown>)[]>> = {
  "* * * * *": [
    checkNodes,
    checkNodeBlocklists,
    runCanaries,
    sweepJobs,
    sweepPending,
    deliverWebhooks,
    tidyAccounts,
    recheckDue,
    expireSuppressions,
    publishListChanges,
    resumeTrainings,
  ],
  // Also every minute, but in an invocation of its own, so that no other task waits for it.
  "*/1 * * * *": [sweepSyncs],
  "17 3 * * *": [trainDue, purgeBySchedule, rehashSuppressions, refreshBySchedule],
}

/** Sends webhooks in separate invocations where WEBHOOK_DISPATCHER is bound, so that a slow receiver delays no other task. */
async function deliverWebhooks(ctx: Context): Promise<void> {
  await (ctx.webhookDispatcher?.sweep() ?? sweepWebhooks(ctx))
}
