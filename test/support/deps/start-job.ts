import type { JobOptions } from "../../../src/adapters/store/lists/job-intake.ts"
import { receiveJob } from "../../../src/services/lists/receive-job.ts"
import type { BulkBench } from "./bulk-deps.ts"

interface Started {
  readonly accountId: string
  readonly emails: readonly string[]
  readonly options?: Partial<JobOptions>
}

/** Starts a job of the account, with its credits reserved. @returns its id */
export async function startJobOf({ ctx }: BulkBench, { accountId, emails, options }: Started): Promise<string> {
  const receiving = await receiveJob(ctx, { accountId, kind: "async", parentId: null })
  await receiving.add(emails)
  const total = await receiving.close(true)
  const { jobId } = receiving
  const charge = {
    ...{ chargeId: jobId, subject: accountId, limit: null, keyId: null },
    ...{ period: "2026-11", credits: total, kind: "job" as const },
  }
  await ctx.store.charges.reserve(charge, Date.now())
  await receiving.start({ smtp: true, deduplicate: true, webhookUrl: null, finishWithin: null, ...options })
  return jobId
}
