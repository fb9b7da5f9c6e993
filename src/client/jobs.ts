import type { Answer, Caller, Input } from "./caller.ts"
import { checkOptions } from "./check-input.ts"
import { UnfinishedJobError } from "./errors.ts"
import { type Place, pages } from "./pages.ts"
import { createPatience } from "./patience.ts"
import { pause } from "./pause.ts"

export type Job = Answer<"getJob">
export type Result = NonNullable<Job["results"]>[number]
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
export async function waitForJob(caller: Caller, jobId: string, options: WaitOptions = {}): Promise<Job> {
  checkOptions("options of a wait", options, ["onProgress", "pollMs", "patienceMs", "signal"])
  const { onProgress, pollMs = 5_000, patienceMs = 900_000, signal } = options
  const patient = createPatience(patienceMs)
  for (;;) {
    const job = await patient(caller.call("getJob", { job_id: jobId, limit: 1 }, { signal }))
    if (job) {
      onProgress?.(job)
      if (FINISHED.has(job.status)) return job
    }
    await pause(pollMs, signal)
  }
}

export interface ResultOptions {
  /** @default "all" */
  readonly filter?: Filter | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Yields the results of a finished job. Fetches them page by page to save memory.
 * @throws UnfinishedJobError when the job has not finished
 */
export async function* jobResults(
  caller: Caller,
  jobId: string,
  options: ResultOptions = {},
): AsyncGenerator<Result, void> {
  checkOptions("options of results", options, ["filter", "signal"])
  const { filter = "all", signal } = options
  const read = (place: Place) => caller.call("getJob", { job_id: jobId, limit: PAGE, filter, ...place }, { signal })
  for await (const { results, partial } of pages(read)) {
    if (!results || partial) throw new UnfinishedJobError(`${jobId} has not finished yet`)
    yield* results
  }
}
