import type { Deps } from "../../deps.ts"
import { type DispatchNeeds, dispatchChunks } from "./dispatch-chunks.ts"
import { type ReceiveNeeds, receiveJob } from "./receive-job.ts"

export type FinishLaterNeeds = ReceiveNeeds & DispatchNeeds & Pick<Deps, "jobs">

/** The leftovers of a few calls. Nobody pays for them: servers that never answer would have us ask more and more for ever. */
const MOST = 10_000

/**
 * Goes on with addresses a call had no time for, as a job that nobody sees or pays for; its results are stored like
 * any. When too many wait already, these are left until somebody asks again.
 */
export async function finishLater(
  needs: FinishLaterNeeds,
  { emails, accountId }: { emails: readonly string[]; accountId: string | null },
): Promise<void> {
  if ((await needs.jobs.leftOver(accountId)) + emails.length > MOST) return
  const receiving = await receiveJob(needs, { accountId, kind: "turbo", parentId: null })
  await receiving.add(emails)
  await receiving.close(true)
  await receiving.start({ smtp: true, deduplicate: true, webhookUrl: null })
  await dispatchChunks(needs)
}
