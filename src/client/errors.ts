import type { ErrorCode as PublishedCode } from "./operations.ts"

/** What is wrong, for programs. A later version of the service may send further codes: handle them by the status. */
export type ErrorCode = PublishedCode | (string & {})

/** One invalid field of a rejected request. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

interface RefusedAnswer {
  readonly status: number
  readonly detail: unknown
  readonly code: unknown
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** The service rejected a call. */
export class MailverdictError extends Error {
  override readonly name = "MailverdictError"
  readonly status: number
  /** Null when the answer is not from the service. */
  readonly code: ErrorCode | null
  /** Quote it in a support request. */
  readonly requestId: string | null
  /** The invalid fields of a 422 response; empty otherwise. */
  readonly fields: readonly FieldProblem[]
  readonly retryAfterSeconds: number | null

  constructor(answer: RefusedAnswer) {
    const fields = Array.isArray(answer.detail) ? (answer.detail as FieldProblem[]) : []
    const inWords = fields.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")
    super(typeof answer.detail === "string" ? answer.detail : inWords || `the service returned status ${answer.status}`)
    this.status = answer.status
    this.code = typeof answer.code === "string" ? answer.code : null
    this.requestId = answer.requestId
    this.retryAfterSeconds = answer.retryAfterSeconds
    this.fields = fields
  }
}

/** No usable response arrived after all attempts. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError"
}

/** The job has not finished, so it has no results. Call `waitForJob` first. */
export class UnfinishedJobError extends Error {
  override readonly name = "UnfinishedJobError"
}

/** Whether the service did not answer, or could not. The same call may succeed later. */
export const isUnavailable = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof MailverdictError && error.status >= 500)

/** Whether the same call may succeed later without a change: the service is unavailable, busy, or at its rate limit. */
export function isTransient(error: unknown): boolean {
  if (isUnavailable(error)) return true
  if (!(error instanceof MailverdictError)) return false
  // A 409 with Retry-After: an earlier attempt, whose connection was lost, is still running.
  return error.status === 429 || (error.status === 409 && error.retryAfterSeconds !== null)
}
