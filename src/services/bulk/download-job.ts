import type { JobRow } from "../../adapters/store/lists/job-results.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addedNames } from "../../domain/lists/column-names.ts"
import {
  type Cell,
  type DownloadTable,
  passes,
  RESULT_COLUMNS,
  type ResultFilter,
} from "../../domain/lists/download.ts"
import { isOver } from "../../domain/lists/job.ts"
import { addressInCell } from "../../domain/lists/list-addresses.ts"
import { presentChecks } from "../../domain/verification/checks.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { assessItems } from "./assess-items.ts"

const ROWS_AT_ONCE = 500

interface DownloadRequest {
  readonly filter: ResultFilter
  /** Only the first row of each mailbox. */
  readonly isUnique: boolean
}

/**
 * Reads a job's results as a table, page by page: the columns of the uploaded file, then the result columns. Without a
 * filter every row of the file appears, with the result of its mailbox. Without a file the first column is the address.
 * While the job runs, a row without a result has the status `pending`.
 */
export async function downloadJob(
  ctx: Context,
  job: Pick<Job, "jobId" | "accountId" | "submitted" | "status">,
  { filter, isUnique }: DownloadRequest,
): Promise<DownloadTable> {
  const file = await ctx.store.jobRows.find(job.jobId)
  const header = file?.header ?? ["email"]
  const names = RESULT_COLUMNS.map(({ name }) => name)
  const blank = names.map(() => null)
  const pending = isOver(job) ? blank : names.map((name) => (name === "status" ? "pending" : null))
  const end = file?.rows ?? job.submitted

  async function* pages(): AsyncGenerator<Cell[][]> {
    for (let from = 0; from < end; from += ROWS_AT_ONCE) {
      const range = { from, count: ROWS_AT_ONCE, ofFile: file !== null, isUnique }
      const rows = await assessRows(ctx, job.accountId, await ctx.store.jobRows.rows(job.jobId, range))
      const chosen = rows.filter(({ verification }) => (verification ? passes(filter, verification) : filter === "all"))
      if (chosen.length > 0) yield chosen.map(cellsOf)
    }
  }

  function cellsOf({ row: { cells, email, result }, verification }: AssessedRow): Cell[] {
    const given = cells ? header.map((_, index) => cells[index] ?? "") : [email ?? ""]
    if (!verification) return [...given, ...(email === null ? blank : pending)]
    // A duplicate has the result of another row, and its own spelling.
    const own = file ? ofCell(verification, given[file.emailColumn]!) : verification
    const shown = { checks: presentChecks(own), verification: own, error: result?.error ?? null }
    return [...given, ...RESULT_COLUMNS.map(({ value }) => value(shown))]
  }

  return {
    columns: [...header, ...addedNames(names, header)],
    pages: pages(),
    delimiter: file?.delimiter ?? ",",
    hasBom: file?.hasBom ?? false,
  }
}

interface AssessedRow {
  readonly row: JobRow
  /** Null without a result. */
  readonly verification: Verification | null
}

async function assessRows(ctx: Context, accountId: string | null, rows: readonly JobRow[]): Promise<AssessedRow[]> {
  const done = rows.flatMap(({ result }) => result ?? [])
  const verifications = await assessItems(ctx, accountId, done)
  const byResult = new Map(done.map((result, index) => [result, verifications[index]!]))
  return rows.map((row) => ({ row, verification: (row.result && byResult.get(row.result)) ?? null }))
}

/** The result for the spelling in a cell. */
function ofCell(verification: Verification, cell: string): Verification {
  const address = parseAddress(addressInCell(cell))
  const { evidence } = verification
  return address.ok && evidence.address.ok ? { ...verification, evidence: { ...evidence, address } } : verification
}
