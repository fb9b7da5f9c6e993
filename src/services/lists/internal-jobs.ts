import type { Status } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { receiveJob } from "./receive-job.ts"
import { dispatchChunks } from "./start-job.ts"

/** Limits an account's open leftover addresses: they are free, and silent servers would add more without end. */
const MOST = 10_000

/**
 * Verifies addresses that a call had no time for, as a free internal job. Its results are stored as usual. Above the
 * limit the addresses are dropped until the next request for them.
 */
export async function enqueueLeftovers(
  ctx: Context,
  { emails, accountId }: { emails: readonly string[]; accountId: string | null },
): Promise<void> {
  if ((await ctx.store.jobs.countLeftovers(accountId)) + emails.length > MOST) return
  const receiving = await receiveJob(ctx, { accountId, kind: "turbo", parentId: null })
  await receiving.add(emails)
  await receiving.close(true)
  await receiving.start({ smtp: true, deduplicate: true, webhookUrl: null, finishWithin: null })
  await dispatchChunks(ctx)
}

/**
 * Verifies expired results again, the oldest first, as an internal job. The job costs no credits and no account sees
 * it. `webhookUrl` receives its completion. Fresh results are skipped.
 */
export async function reverify(
  ctx: Context,
  { status, limit, webhookUrl }: { status: Status | undefined; limit: number; webhookUrl: string },
) {
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
