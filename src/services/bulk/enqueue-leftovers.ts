import type { Context } from "../../context.ts"
import { dispatchChunks } from "./dispatch-chunks.ts"
import { receiveJob } from "./receive-job.ts"

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
