import type { Answer, CallOptions, Client } from "./client.ts"
import { pause } from "./pause.ts"

type Job = Answer<"getJob">

export interface WaitOptions {
  readonly onProgress?: (job: Job) => void
  /** @default 5000, as the interface advises */
  readonly pollMs?: number
  readonly signal?: AbortSignal
}

const FINISHED: ReadonlySet<string> = new Set(["complete", "completed", "failed", "cancelled"])
const PAGE = 1_000

/** Waits until a job has ended, and tells how far it is meanwhile. Results are not read here; see `jobResults`. */
export async function waitForJob(
  client: Client,
  jobId: string,
  { onProgress, pollMs = 5_000, signal }: WaitOptions = {},
): Promise<Job> {
  const options: CallOptions = signal ? { signal } : {}
  for (;;) {
    const job = await client.call("getJob", { job_id: jobId, limit: 1 }, options)
    onProgress?.(job)
    if (FINISHED.has(job.status)) return job
    await pause(pollMs, signal)
  }
}

/** The results of a finished job one by one, read page by page: any number of them in little memory. */
export async function* jobResults(client: Client, jobId: string): AsyncGenerator<NonNullable<Job["results"]>[number]> {
  let cursor: string | undefined
  do {
    const page = await client.call("getJob", { job_id: jobId, limit: PAGE, ...(cursor ? { cursor } : {}) })
    yield* page.results ?? []
    cursor = page.next_cursor ?? undefined
  } while (cursor)
}
