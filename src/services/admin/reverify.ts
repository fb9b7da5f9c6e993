import type { Status } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { type DispatchNeeds, dispatchChunks } from "../bulk/dispatch-chunks.ts"
import { type ReceiveNeeds, receiveJob } from "../bulk/receive-job.ts"

type Needs = ReceiveNeeds & DispatchNeeds & Pick<Deps, "operator">

export interface Reverification {
  /** Null when there was nothing to do. */
  readonly jobId: string | null
  readonly queued: number
}

/**
 * Verifies results anew that have ended, the oldest first, as a job of the service's own: nobody pays for it, nobody sees
 * it, and its end is told to `webhookUrl`. Fresh results are left alone.
 */
export async function reverify(
  needs: Needs,
  { status, limit, webhookUrl }: { status: Status | undefined; limit: number; webhookUrl: string },
): Promise<Reverification> {
  const emails = await needs.operator.stale({ now: needs.clock.now(), status, limit })
  if (emails.length === 0) return { jobId: null, queued: 0 }
  const receiving = await receiveJob(needs, { accountId: null, kind: "reverify", parentId: null })
  await receiving.add(emails)
  const queued = await receiving.close(true)
  await receiving.start({ smtp: true, deduplicate: true, webhookUrl: webhookUrl === "" ? null : webhookUrl })
  await dispatchChunks(needs)
  return { jobId: receiving.jobId, queued }
}
