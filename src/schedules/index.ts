import type { Deps } from "../deps.ts"
import { canariesEachHour } from "./canaries.ts"
import { deliverWebhooksEachMinute } from "./deliver-webhooks.ts"
import { announceListsEachMinute, expireSuppressionsEachMinute } from "./expire-suppressions.ts"
import { purgeEachNight, refreshListsEachNight, rehashEachNight } from "./keep-house.ts"
import { keepLearningEachNight, resumeTrainingsEachMinute } from "./keep-learning.ts"
import { probeHealthEachMinute } from "./probe-health.ts"
import { recheckEachMinute } from "./recheck.ts"
import { sweepJobsEachMinute } from "./sweep-jobs.ts"
import { sweepPendingEachMinute } from "./sweep-pending.ts"
import { syncIntegrationsEachMinute } from "./sync-integrations.ts"
import { tidyAccountsEachMinute } from "./tidy-accounts.ts"

/** Work done at set times. `cron` is one of those in wrangler.toml. */
export interface Schedule {
  readonly cron: string
  readonly run: (deps: Deps) => Promise<unknown>
}

/** Every schedule of the service. */
export const SCHEDULES: readonly Schedule[] = [
  probeHealthEachMinute,
  canariesEachHour,
  sweepJobsEachMinute,
  sweepPendingEachMinute,
  deliverWebhooksEachMinute,
  tidyAccountsEachMinute,
  recheckEachMinute,
  expireSuppressionsEachMinute,
  announceListsEachMinute,
  resumeTrainingsEachMinute,
  syncIntegrationsEachMinute,
  keepLearningEachNight,
  purgeEachNight,
  rehashEachNight,
  refreshListsEachNight,
]
