import type { JobRow } from "../../adapters/store/lists/job-results.ts"
import type { DoneItem, Job } from "../../adapters/store/lists/jobs.ts"
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
import { pageOf } from "../../domain/page.ts"
import { accountFlagsIn } from "../../domain/suppression/flags.ts"
import { presentChecks } from "../../domain/verification/checks.ts"
import { assess, type Verification, withAccountFlags } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { findManyAccountFlags } from "../suppression/flags.ts"

/** Finds a job of the account. @throws AppError not_found for an unknown job and for another account's job */
export async function findJob(ctx: Context, { jobId, accountId }: { jobId: string; accountId: string }): Promise<Job> {
  const job = await ctx.store.jobs.find(jobId, accountId)
  if (!job) throw new AppError("not_found", "there is no such job")
  return job
}

/** Finds a job that the operator started. @throws AppError not_found, also for an account's job */
export async function findOperatorJob(ctx: Context, jobId: string): Promise<Job> {
  const job = await ctx.store.jobs.byId(jobId)
  if (job?.kind !== "reverify" || job.status === "receiving") throw new AppError("not_found", "there is no such job")
  return job
}

/** A finished item with its judgment for the account. */
export interface JobResult extends DoneItem {
  readonly verification: Verification
}

type Which = Pick<Job, "jobId" | "accountId">

const PAGE = 500
/** Items that one page with a filter may read. */
const MAX_READ = 10 * PAGE

/** Yields the results of a job that pass a filter, in the order of its list, page by page, in constant memory. */
export async function* jobItems(ctx: Context, job: Which, filter: ResultFilter): AsyncGenerator<JobResult[]> {
  for (let afterIdx = -1; ; ) {
    const page = await ctx.store.jobs.items(job.jobId, { afterIdx, limit: PAGE })
    const results = await resultsOf(ctx, job, { items: page, filter })
    if (results.length > 0) yield results
    if (page.length < PAGE) return
    afterIdx = page.at(-1)!.idx
  }
}

interface PageRequest {
  /** The index of the last item read, opaque to callers. */
  readonly cursor: string | undefined
  readonly limit: number
  readonly filter?: ResultFilter
  readonly onlyFailed?: boolean
}

/**
 * Returns one page of results and the cursor of the next page. A filter applies after reading, because it depends on the
 * account's flags. The page is short, with a cursor, when few of the first `MAX_READ` items pass.
 */
export async function jobPage(
  ctx: Context,
  job: Which,
  { cursor, limit, filter = "all", onlyFailed = false }: PageRequest,
): Promise<{ items: JobResult[]; nextCursor: string | null }> {
  const atOnce = filter === "all" ? limit : PAGE
  const items: JobResult[] = []
  let afterIdx = cursor === undefined ? -1 : Number(cursor)
  for (let read = 0; read < MAX_READ; read += atOnce) {
    const found = await ctx.store.jobs.items(job.jobId, { afterIdx, limit: atOnce + 1, onlyFailed })
    const { page, last } = pageOf(found, atOnce)
    items.push(...(await resultsOf(ctx, job, { items: page, filter })))
    if (items.length > limit) {
      const shown = items.slice(0, limit)
      return { items: shown, nextCursor: String(shown.at(-1)!.idx) }
    }
    if (!last) return { items, nextCursor: null }
    afterIdx = last.idx
    if (items.length === limit) break
  }
  return { items, nextCursor: String(afterIdx) }
}

async function resultsOf(
  ctx: Context,
  { accountId }: Which,
  { items, filter }: { items: readonly DoneItem[]; filter: ResultFilter },
): Promise<JobResult[]> {
  const verifications = await assessItems(ctx, accountId, items)
  return items
    .map((item, index) => ({ ...item, verification: verifications[index]! }))
    .filter(({ verification }) => passes(filter, verification))
}

/** Judges stored items of an account's job, in order, with its current flags: a suppression can follow the job. */
async function assessItems(
  ctx: Context,
  accountId: string | null,
  items: readonly Pick<DoneItem, "evidence" | "cached" | "verifiedAt">[],
): Promise<Verification[]> {
  const addresses = items.flatMap(({ evidence: { address } }) => (address.ok ? [address] : []))
  const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
  return items.map(({ evidence, cached, verifiedAt }) =>
    withAccountFlags(assess(evidence, { cached, verifiedAt }), accountFlagsIn(flagsByKey, evidence.address)),
  )
}

const ROWS_AT_ONCE = 500

/**
 * Reads a job's results as a table, page by page: the columns of the uploaded file, then the result columns. Without a
 * filter every row of the file appears, with the result of its mailbox. Without a file the first column is the address.
 * While the job runs, a row without a result has the status `pending`.
 */
export async function downloadJob(
  ctx: Context,
  job: Pick<Job, "jobId" | "accountId" | "submitted" | "status">,
  { filter, isUnique }: { filter: ResultFilter; isUnique: boolean },
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
