import type { RowResult } from "../../adapters/store/job-rows.ts"
import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import type { DownloadFilter } from "../../domain/bulk/download.ts"
import { type Standing, standingAmong } from "../../domain/suppression/mark.ts"
import { type Cell, csvLine } from "../../domain/tables/csv-line.ts"
import { addedNames } from "../../domain/tables/header.ts"
import { assess, type Verification, withStanding } from "../../domain/verdict/verification.ts"
import { findStandings, type StandingNeeds } from "../suppression/find-standing.ts"

/** What is told of a result, in columns of its own. */
export interface DownloadColumns {
  readonly names: readonly string[]
  readonly cells: (verification: Verification, error: string | null) => readonly Cell[]
}

type Needs = StandingNeeds & Pick<Deps, "jobRows">

const LINES_AT_ONCE = 500

/**
 * A job's results as CSV, a page at a time: the columns of the file it came from, then ours; every row of the file,
 * with the result of its mailbox. Without a file the address stands first.
 */
export async function* downloadJob(
  needs: Needs,
  job: Pick<Job, "jobId" | "accountId" | "submitted">,
  { filter, columns }: { filter: DownloadFilter; columns: DownloadColumns },
): AsyncGenerator<string> {
  const { jobId, accountId } = job
  const file = await needs.jobRows.find(jobId)
  const header = file?.header ?? ["email"]
  yield csvLine([...header, ...addedNames(columns.names, header)])
  const blank = columns.names.map(() => null)
  const end = file?.rows ?? job.submitted
  for (let from = 0; from < end; from += LINES_AT_ONCE) {
    const lines = await needs.jobRows.lines(jobId, { from, count: LINES_AT_ONCE, filter, ofFile: file !== null })
    const addresses = lines.flatMap(({ result }) => (result?.evidence.address.ok ? [result.evidence.address] : []))
    const standings = await findStandings(needs, { accountId, addresses })
    const text = lines.map(({ cells, email, result }) => {
      const given = cells ? header.map((_, index) => cells[index] ?? "") : [email ?? ""]
      const found = result ? columns.cells(verificationOf(result, standings), result.error) : blank
      return csvLine([...given, ...found])
    })
    if (text.length > 0) yield text.join("")
  }
}

function verificationOf(
  { evidence, cached, verifiedAt }: RowResult,
  standings: ReadonlyMap<string, Standing>,
): Verification {
  const verification = assess(evidence, { cached, verifiedAt })
  return withStanding(verification, standingAmong(standings, evidence.address))
}
