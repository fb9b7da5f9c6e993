import type { Answer, Client } from "./client.ts"
import { ConnectionError, MailverdictError, UnfinishedJobError } from "./errors.ts"
import { pause } from "./pause.ts"

type Job = Answer<"getJob">

export interface WaitOptions {
  readonly onProgress?: ((job: Job) => void) | undefined
  /** @default 5000, as the interface advises */
  readonly pollMs?: number | undefined
  /** For how long the service may be away once it has told of the job, in ms: the job goes on all the same. @default 900000 */
  readonly patienceMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

const FINISHED: ReadonlySet<string> = new Set(["complete", "completed", "failed", "cancelled"])
const PAGE = 1_000

/** Waits until a job has ended, and tells how far it is meanwhile. Results are not read here; see `jobResults`. */
export async function waitForJob(
  client: Client,
  jobId: string,
  { onProgress, pollMs = 5_000, patienceMs = 900_000, signal }: WaitOptions = {},
): Promise<Job> {
  let heardAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const job = await client.call("getJob", { job_id: jobId, limit: 1 }, { signal }).catch((error: unknown) => {
      if (!isAway(error) || performance.now() - heardAt >= patienceMs) throw error
      return null
    })
    if (job) {
      heardAt = performance.now()
      onProgress?.(job)
      if (FINISHED.has(job.status)) return job
    }
    await pause(pollMs, signal)
  }
}

const isAway = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof MailverdictError && error.status >= 500)

/**
 * The results of a finished job one by one, read page by page: any number of them in little memory.
 * @throws UnfinishedJobError when it is not over
 */
export async function* jobResults(client: Client, jobId: string): AsyncGenerator<NonNullable<Job["results"]>[number]> {
  let cursor: string | undefined
  do {
    const page = await client.call("getJob", { job_id: jobId, limit: PAGE, ...(cursor ? { cursor } : {}) })
    if (!page.results) throw new UnfinishedJobError(`${jobId} is not over yet`)
    yield* page.results
    cursor = page.next_cursor ?? undefined
  } while (cursor)
}
