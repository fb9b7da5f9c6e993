import { presentChecks } from "../../domain/verdict/checks.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import type { DownloadColumns } from "../../services/bulk/download-job.ts"

const NAMES = [
  ...["status", "sub_status", "score", "grade", "can_send", "deliverable", "is_catch_all", "is_disposable"],
  ...["is_role_account", "is_free_provider", "is_suppressed", "provider", "verified_at", "error"],
  ...["did_you_mean", "repaired"],
] as const

/** The columns that a download adds to each row: fields of `Checks`, with the same names. */
export const DOWNLOAD_COLUMNS: DownloadColumns = {
  names: NAMES,
  cells(verification: Verification, error: string | null) {
    const checks = presentChecks(verification)
    const { status, score, grade, can_send, deliverable, is_catch_all, is_disposable } = checks
    const { is_role_account, is_free_provider, provider, verified_at, did_you_mean, repaired } = checks
    const { verdict, isSuppressed } = verification
    return [
      ...[status, verdict.subStatus, score, grade, can_send, deliverable, is_catch_all, is_disposable],
      ...[is_role_account, is_free_provider, isSuppressed, provider, verified_at, error],
      ...[did_you_mean, repaired.join(" ")],
    ]
  },
}
