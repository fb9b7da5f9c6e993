import type { Status } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { dispatchChunks } from "../bulk/dispatch-chunks.ts"
import { receiveJob } from "../bulk/receive-job.ts"

export interface Reverification {
  /** Null when no result was due. */
  readonly jobId: string | null
  readonly queued: number
}

/**
 * Verifies expired results again, the oldest first, as an internal job. The job costs no credits and no account sees
 * it. `webhookUrl` receives its completion. Fresh results are skipped.
 */
export async function reverify(
  ctx: Context,
  { status, limit, webhookUrl }: { status: Status | undefined; limit: number; webhookUrl: string },
): Promise<Reverification> {
  const emails = await ctx.store.operator.stale({ now: ctx.clock.now(), status, limit })
  if (emails.length === 0) return { jobId: null, queued: 0 }
  const receiving = await receiveJob(ctx, { accountId: null, kind: "reverify", parentId: null })
  await receiving.add(emails)
  const queued = await receiving.close(true)
  await receiving.start({
    smtp: true,
    deduplicate: true,
    webhookUrl: webhookUrl === "" ? null : webhookUrl,
    finishWithin: null,
  })
  await dispatchChunks(ctx)
  return { jobId: receiving.jobId, queued }
}
