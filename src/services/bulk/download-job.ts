import type { RowResult } from "../../adapters/store/jobs/job-rows.ts"
import type { Job } from "../../adapters/store/jobs/jobs.ts"
import type { Context } from "../../context.ts"
import { type Cell, csvLine } from "../../domain/bulk/csv-line.ts"
import type { DownloadFilter } from "../../domain/bulk/download.ts"
import { addedNames } from "../../domain/bulk/header.ts"
import { isOver } from "../../domain/bulk/job-state.ts"
import { type AccountFlags, accountFlagsAmong } from "../../domain/feedback/flags.ts"
import { assess, type Verification, withAccountFlags } from "../../domain/verdict/verification.ts"
import { findManyAccountFlags } from "../suppression/find-flags.ts"

/** The result columns of a download. */
export interface DownloadColumns {
  readonly names: readonly string[]
  readonly cells: (verification: Verification, error: string | null) => readonly Cell[]
}

const LINES_AT_ONCE = 500

/**
 * Writes a job's results as CSV, page by page: the columns of the uploaded file, then the result columns. Every row of
 * the file appears, with the result of its mailbox. Without a file the first column is the address. While the job runs,
 * a row without a result has the status `pending`.
 */
export async function* downloadJob(
  ctx: Context,
  job: Pick<Job, "jobId" | "accountId" | "submitted" | "status">,
  { filter, columns }: { filter: DownloadFilter; columns: DownloadColumns },
): AsyncGenerator<string> {
  const { jobId, accountId } = job
  const file = await ctx.store.jobRows.find(jobId)
  const header = file?.header ?? ["email"]
  yield csvLine([...header, ...addedNames(columns.names, header)])
  const blank = columns.names.map(() => null)
  const pending = isOver(job) ? blank : columns.names.map((name) => (name === "status" ? "pending" : null))
  const end = file?.rows ?? job.submitted
  for (let from = 0; from < end; from += LINES_AT_ONCE) {
    const lines = await ctx.store.jobRows.lines(jobId, { from, count: LINES_AT_ONCE, filter, ofFile: file !== null })
    const addresses = lines.flatMap(({ result }) => (result?.evidence.address.ok ? [result.evidence.address] : []))
    const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
    const text = lines.map(({ cells, email, result }) => {
      const given = cells ? header.map((_, index) => cells[index] ?? "") : [email ?? ""]
      const found = result
        ? columns.cells(verificationOf(result, flagsByKey), result.error)
        : email === null
          ? blank
          : pending
      return csvLine([...given, ...found])
    })
    if (text.length > 0) yield text.join("")
  }
}

function verificationOf(
  { evidence, cached, verifiedAt }: RowResult,
  flagsByKey: ReadonlyMap<string, AccountFlags>,
): Verification {
  const verification = assess(evidence, { cached, verifiedAt })
  return withAccountFlags(verification, accountFlagsAmong(flagsByKey, evidence.address))
}
