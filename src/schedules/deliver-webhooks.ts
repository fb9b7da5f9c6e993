import type { Deps } from "../deps.ts"
import { sweepWebhooks } from "../services/webhooks/sweep-webhooks.ts"

/** Events that failed before are tried again when their time has come. */
export const deliverWebhooksEachMinute = {
  cron: "* * * * *",
  run: (deps: Deps) => deps.courier?.sweep() ?? sweepWebhooks(deps),
}
