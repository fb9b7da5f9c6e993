import { type DispatchNeeds, dispatchChunks } from "./dispatch-chunks.ts"
import { type ReceiveNeeds, receiveJob } from "./receive-job.ts"

export type FinishLaterNeeds = ReceiveNeeds & DispatchNeeds

/** Goes on with addresses a call had no time for, as a job that nobody sees or pays for; the results are stored as any. */
export async function finishLater(
  needs: FinishLaterNeeds,
  { emails, accountId }: { emails: readonly string[]; accountId: string | null },
): Promise<void> {
  const receiving = await receiveJob(needs, { accountId, kind: "turbo", parentId: null })
  await receiving.add(emails)
  await receiving.close(true)
  await receiving.start({ smtp: true, deduplicate: true, webhookUrl: null })
  await dispatchChunks(needs)
}
