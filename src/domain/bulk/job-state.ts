import type { JobStatus, Status } from "../../../schema/vocabulary.ts"

export function isOver({ status }: { readonly status: JobStatus }): boolean {
  return status === "complete" || status === "failed" || status === "cancelled"
}

/** The states of a job that callers see. A job whose rows still arrive is invisible to them. */
export const SHOWN_STATUSES = ["queued", "running", "complete", "failed"] as const
export type ShownStatus = (typeof SHOWN_STATUSES)[number]

/** The state that callers see. A canceled job has `failed` and a `cancelled_at`. */
export function shownStatusOf({ status }: { readonly status: JobStatus }): ShownStatus {
  if (status === "cancelled") return "failed"
  return status === "receiving" ? "queued" : status
}

/** When the job was canceled, Unix ms; null for any other job. */
export function cancelledAtOf(job: { readonly status: JobStatus; readonly completedAt: number | null }): number | null {
  return job.status === "cancelled" ? job.completedAt : null
}

interface StatusCounts {
  readonly valid: number
  readonly invalid: number
  readonly acceptAll: number
  readonly unknown: number
  readonly invalidSyntax: number
}

/** The number of finished addresses of a job by status, as answers and events have it. */
export function summaryOf({ valid, invalid, acceptAll, unknown, invalidSyntax }: StatusCounts): Record<Status, number> {
  return { valid, invalid, accept_all: acceptAll, unknown, invalid_syntax: invalidSyntax }
}
