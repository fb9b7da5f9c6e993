import type { Answer, Client, Input } from "./client.ts"
import { ConnectionError, MailverdictError, UnfinishedJobError } from "./errors.ts"
import { pause } from "./pause.ts"

type Job = Answer<"getJob">
type Filter = NonNullable<Input<"getJob">["filter"]>

export interface WaitOptions {
  readonly onProgress?: ((job: Job) => void) | undefined
  /** Poll interval in ms. @default 5000, as the API recommends */
  readonly pollMs?: number | undefined
  /** How long the service may be unavailable after its first response, in ms. The job continues. @default 900000 */
  readonly patienceMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

const FINISHED: ReadonlySet<string> = new Set(["complete", "completed", "failed"])
const PAGE = 1_000

/** Waits until a job ends and reports its progress. `jobResults` reads the results. */
export async function waitForJob(
  client: Client,
  jobId: string,
  { onProgress, pollMs = 5_000, patienceMs = 900_000, signal }: WaitOptions = {},
): Promise<Job> {
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const job = await client.call("getJob", { job_id: jobId, limit: 1 }, { signal }).catch((error: unknown) => {
      if (!isUnavailable(error) || performance.now() - lastAnswerAt >= patienceMs) throw error
      return null
    })
    if (job) {
      lastAnswerAt = performance.now()
      onProgress?.(job)
      if (FINISHED.has(job.status)) return job
    }
    await pause(pollMs, signal)
  }
}

const isUnavailable = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof MailverdictError && error.status >= 500)

/**
 * Yields the results of a finished job. Fetches them page by page to save memory.
 * @throws UnfinishedJobError when the job has not finished
 */
export async function* jobResults(
  client: Client,
  jobId: string,
  { filter = "all" }: { readonly filter?: Filter | undefined } = {},
): AsyncGenerator<NonNullable<Job["results"]>[number]> {
  let cursor: string | undefined
  do {
    const page = await client.call("getJob", { job_id: jobId, limit: PAGE, filter, ...(cursor ? { cursor } : {}) })
    if (!page.results || page.partial) throw new UnfinishedJobError(`${jobId} has not finished yet`)
    yield* page.results
    cursor = page.next_cursor ?? undefined
  } while (cursor)
}
