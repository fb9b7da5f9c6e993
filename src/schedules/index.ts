import type { Context } from "../context.ts"
import { MINUTE_MS } from "../domain/time.ts"
import { tidyAccounts } from "../services/accounts/charge.ts"
import { sendUsageAlerts } from "../services/accounts/send-usage-alerts.ts"
import { eraseClosedAccounts } from "../services/compliance/erase-account.ts"
import { purgeBySchedule } from "../services/compliance/erase-data.ts"
import { learnFromResults } from "../services/finder/learn-from-results.ts"
import { runCanaries } from "../services/fleet/canaries.ts"
import { checkNodes, checkUnsettledNodes } from "../services/fleet/check-nodes.ts"
import { checkNodeBlocklists } from "../services/fleet/source-ips.ts"
import { resealFormer } from "../services/integrations/connection.ts"
import { sweepSyncs } from "../services/integrations/run-sync.ts"
import { resumeTrainings, trainDue } from "../services/learning/training.ts"
import { removeIncompleteLists, sweepJobs } from "../services/lists/end-job.ts"
import { refreshBySchedule } from "../services/reference/domain-lists.ts"
import { publishListChanges, rehashSuppressions } from "../services/suppression/flags.ts"
import { expireSuppressions } from "../services/suppression/suppression-list.ts"
import { deleteOldPending, sweepPending } from "../services/verification/pending.ts"
import { recheckDue } from "../services/verification/recheck-due.ts"
import { resumeDeliveries, sweepWebhooks } from "../services/webhooks/deliveries.ts"
import { MINUTE_CRON, MINUTE_PARTS, type MinutePart } from "./minute-cron.ts"

type Task = (ctx: Context) => Promise<unknown>

/** Sums the answers of past days for the service's statistics. */
const sumPastDays: Task = ({ store, clock }) => store.counters.sumPastDays(clock.now())

/** The tasks of each part. Those of a frequent part continue interrupted work. Without any, each is a statement or two. */
const OF_MINUTE: Readonly<Record<MinutePart, readonly Task[]>> = {
  "tasks of the minute": [
    checkNodes,
    checkNodeBlocklists,
    runCanaries,
    removeIncompleteLists,
    deleteOldPending,
    deliverWebhooks,
    tidyAccounts,
    eraseClosedAccounts,
    recheckDue,
    sendUsageAlerts,
    learnFromResults,
    expireSuppressions,
    publishListChanges,
    resumeTrainings,
    resealFormer,
  ],
  "interrupted work": [sweepJobs, sweepPending, resumeDeliveries, checkUnsettledNodes],
  integrations: [sweepSyncs],
}
const PARTS = Object.keys(MINUTE_PARTS) as MinutePart[]

/** Tasks that each cron of wrangler.toml runs in parallel. */
export const SCHEDULES: Readonly<Record<string, readonly Task[]>> = {
  [MINUTE_CRON]: PARTS.map((part) => (ctx) => repeatWithinMinute(ctx, part)),
  "17 3 * * *": [trainDue, sumPastDays, purgeBySchedule, rehashSuppressions, refreshBySchedule],
}

/** Runs the tasks of a cron, or those of a part of the minute's cron once. A failed task affects no other. */
export async function runSchedule(ctx: Context, cron: string): Promise<void> {
  const due = SCHEDULES[cron] ?? OF_MINUTE[cron as MinutePart] ?? []
  const runs = await Promise.allSettled(due.map((run) => run(ctx)))
  const failed = runs.flatMap((run) => (run.status === "rejected" ? [String(run.reason)] : []))
  if (failed.length > 0) ctx.log("schedule_failed", { cron, failed })
}

/** Repeats a part until the next run of the cron. A repetition that an earlier one overlaps is left out. */
async function repeatWithinMinute(ctx: Context, part: MinutePart): Promise<void> {
  const { clock } = ctx
  const [startedAt, everyMs] = [clock.now(), MINUTE_PARTS[part]]
  for (let at = startedAt; at < startedAt + MINUTE_MS; at += everyMs) {
    if (clock.now() >= at + everyMs) continue
    await clock.sleep(Math.max(0, at - clock.now()))
    await runSchedule(ctx, part)
  }
}

/** Sends webhooks in separate invocations where WEBHOOK_DISPATCHER is bound, so that a slow receiver delays no other task. */
async function deliverWebhooks(ctx: Context): Promise<void> {
  await (ctx.webhookDispatcher?.sweep() ?? sweepWebhooks(ctx))
}
