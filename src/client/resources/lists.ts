import { type Answer, type Caller, type CallOptions, type Input, pages } from "../caller.ts"
import { UnfinishedJobError } from "../errors.ts"
import { checkOptions } from "../request.ts"
import { createPatience, pause } from "../retry.ts"

export type UploadedList = Extract<Answer<"uploadList">, { readonly job_id: string }>
export type SubmittedList = Extract<Answer<"validateAsync">, { readonly job_id: string }>
export type SampledList = Extract<Answer<"uploadList">, { readonly projection: unknown }>
export type ListProgress = Answer<"bulkStatus">
export type UploadOptions = Omit<Input<"uploadList">, "file" | "sample">
export type SubmitOptions = Omit<Input<"validateAsync">, "emails" | "sample">
export type DownloadOptions = Omit<Input<"downloadResults">, "job_id">

/** Lists of addresses. The service verifies a list in the background; its `job_id` names it in each call. */
export function createLists(caller: Caller) {
  return {
    /**
     * Uploads a file and starts its verification: CSV, Excel or text with one address per line, at most 20 MB. The file's
     * own columns stay beside the results in `download`.
     *
     * Cost: a credit for each address, once it has a result. Duplicates, malformed lines, stored and `unknown` results
     * are free.
     * @param file a `Blob`, such as Node's `openAsBlob(path)`, or the text of a CSV. The name of a `File` becomes the list's
     * @throws MailverdictError 402 without credits left, 413 for a file that is too large, 422 for one that is unreadable
     */
    async upload(file: Blob | string, options?: UploadOptions, call?: CallOptions) {
      return (await caller.call("uploadList", { ...options, file }, call)) as UploadedList
    },
    /** Starts the verification of addresses of any number, at most 100 MB of text. Cost and errors are those of `upload`. */
    async verify(emails: readonly string[], options?: SubmitOptions, call?: CallOptions) {
      const input = { ...options, emails: [...emails], sample: false }
      return (await caller.call("validateAsync", input, call)) as SubmittedList
    },
    /**
     * Verifies a small sample of a file now and projects the result to the whole list. No list is created.
     * Cost: a credit for each address of the sample, as in `upload`. @throws MailverdictError as `upload`
     */
    async sample(file: Blob | string, options?: UploadOptions, call?: CallOptions) {
      return (await caller.call("uploadList", { ...options, file, sample: true }, call)) as SampledList
    },
    /** Reads a list's progress, and its credits so far. Cost: none. @throws MailverdictError 404 for an unknown list */
    get: (jobId: string, call?: CallOptions) => caller.call("bulkStatus", { job_id: jobId }, call),
    /**
     * Waits until a list is `complete` or `failed`, at most two hours without `finish_within`. Cost: none.
     * @throws MailverdictError 404 for an unknown list, ConnectionError after 15 minutes without the service
     */
    wait: (jobId: string, options?: WaitOptions) => waitForJob(caller, jobId, options),
    /**
     * Yields each result of a finished list, page by page. Cost: none.
     * @throws UnfinishedJobError before the list's end, MailverdictError 404 for an unknown list
     */
    async *results(jobId: string, options: ResultOptions = {}) {
      checkOptions("options of results", options, ["filter", "signal"])
      const { filter = "all", signal } = options
      // Page by page, to save memory.
      const read = pages((place) => caller.call("getJob", { job_id: jobId, limit: PAGE, filter, ...place }, { signal }))
      for await (const { results, partial } of read) {
        if (!results || partial) throw new UnfinishedJobError(`${jobId} has not finished yet`)
        yield* results
      }
    },
    /** Reads a list's figures: statuses, risks and domains. Cost: none. @throws MailverdictError 404 for an unknown list */
    report: (jobId: string, call?: CallOptions) => caller.call("bulkReport", { job_id: jobId }, call),
    /**
     * Yields the list's result file as bytes: CSV, or the `format` json, ndjson or xlsx. Cost: none. In Node,
     * `writeFile(path, client.lists.download(id))` stores it.
     * @throws MailverdictError 404 for an unknown list, ConnectionError when the file is cut off
     */
    download: (jobId: string, options?: DownloadOptions, call?: CallOptions) =>
      caller.bytes("downloadResults", { ...options, job_id: jobId }, call),
    /** Cancels a list. It keeps its finished results, and only these are charged. @throws MailverdictError 404, 409 */
    cancel: (jobId: string, call?: CallOptions) => caller.call("cancelJob", { job_id: jobId }, call),
    /** Yields every list of the account, newest first. Cost: none. @param options `name`: a part of the file's name */
    async *all(options?: Pick<Input<"listJobs">, "name">, call?: CallOptions) {
      const read = pages((place) => caller.call("listJobs", { ...options, ...place }, call))
      for await (const { jobs } of read) yield* jobs
    },
  }
}

export type Lists = ReturnType<typeof createLists>

export type Job = Answer<"getJob">
export type Result = NonNullable<Job["results"]>[number]

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

/** Waits until a job ends and reports its progress. */
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
  readonly filter?: Input<"getJob">["filter"]
  readonly signal?: AbortSignal | undefined
}
