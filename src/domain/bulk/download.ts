import type { Verification } from "../verdict/verification.ts"
import type { Cell } from "./csv-line.ts"
import type { Delimiter } from "./delimiter.ts"

/** Filters of a job's results. `invalid` includes malformed addresses. */
export const RESULT_FILTERS = [
  "all",
  "can_send",
  "valid",
  "risky",
  "accept_all",
  "disposable",
  "unknown",
  "invalid",
  "role",
  "free",
] as const
export type ResultFilter = (typeof RESULT_FILTERS)[number]

export const DOWNLOAD_FORMATS = ["csv", "json", "ndjson", "xlsx"] as const
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number]

/** A job's results as a table. */
export interface DownloadTable {
  /** Unique names. */
  readonly columns: readonly string[]
  /** The rows in order, some hundreds at a time. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>
  /** Of the uploaded file; a comma without one. */
  readonly delimiter: Delimiter
  /** Whether the uploaded file began with a byte order mark. */
  readonly hasBom: boolean
}

type Filtered = Pick<Verification, "verdict" | "canSend"> & {
  readonly evidence: { readonly lists: Pick<Verification["evidence"]["lists"], "isDisposable" | "isRole" | "isFree"> }
}

/** Whether a result passes a filter. The caller applies the account's flags first, because `can_send` depends on them. */
export function passes(filter: ResultFilter, { verdict: { status }, canSend, evidence: { lists } }: Filtered): boolean {
  switch (filter) {
    case "all":
      return true
    case "can_send":
      return canSend
    case "invalid":
      return status === "invalid" || status === "invalid_syntax"
    case "disposable":
      return lists.isDisposable
    case "role":
      return lists.isRole
    case "free":
      return lists.isFree
    case "risky":
      return status === "accept_all" || (status === "valid" && (!canSend || lists.isDisposable || lists.isRole))
    case "valid":
    case "accept_all":
    case "unknown":
      return status === filter
  }
}
