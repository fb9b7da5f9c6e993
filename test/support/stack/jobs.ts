import { until } from "../time/until.ts"
import { newKey, type TestKey } from "./account.ts"
import { call } from "./api.ts"

export interface JobAnswer {
  readonly job_id: string
  readonly file_name: string | null
  readonly status: string
  readonly total: number
  readonly progress: number
  readonly pct_complete: number
  readonly summary: Readonly<Record<string, number>>
  readonly failed: number
  readonly cached: number
  readonly deduplicated: number
  readonly submitted_at: string
  readonly completed_at: string | null
  readonly cancelled_at: string | null
  readonly partial: boolean
  readonly pending: number
  readonly next_attempt_at: string | null
  readonly estimated_seconds: number | null
  readonly finish_within: number | null
  readonly results:
    | readonly {
        readonly checks: {
          readonly email: string
          readonly status: string
          readonly repaired: readonly string[]
          readonly did_you_mean: string | null
        }
      }[]
    | null
}

/** A key and its request headers. */
export type Account = TestKey & { readonly headers: Record<string, string> }

export async function newAccount(tier?: Parameters<typeof newKey>[0]): Promise<Account> {
  const key = await newKey(tier)
  return { ...key, headers: { "x-api-key": key.secret } }
}

const isOver = ({ status }: JobAnswer) => ["complete", "failed"].includes(status)

/** Polls a job until it ends. Progress must neither decrease nor exceed the total. */
export async function waitForJobEnd(jobId: string, headers: Record<string, string>): Promise<JobAnswer> {
  let progress = 0
  const read = async () => {
    const { body } = await call<JobAnswer>("GET", "/jobs/{job_id}", { at: `/jobs/${jobId}`, headers })
    if (body.progress < progress || body.progress > body.total)
      throw new Error(`progress went from ${progress} to ${body.progress} of ${body.total}`)
    if (body.results !== null && !isOver(body)) throw new Error("the job has results before its end")
    progress = body.progress
    return body
  }
  return until(read, isOver, { everyMs: 200 })
}
