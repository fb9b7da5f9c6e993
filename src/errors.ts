/** The contract's error kinds; `http/errors.ts` maps each to its HTTP status. */
export type ErrorCode =
  | "bad_request"
  | "unauthorized"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "payload_too_large"
  | "unsupported_media_type"
  | "invalid"
  | "rate_limited"
  | "unavailable"

/** One offending field of the 422 form. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** A refusal the caller is told about. Outside failures are wrapped with `cause`, which never leaves the service. */
export class AppError extends Error {
  override readonly name = "AppError"
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  readonly fields: readonly FieldProblem[] | null

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; headers?: Record<string, string>; fields?: readonly FieldProblem[] } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.headers = options.headers ?? {}
    this.fields = options.fields ?? null
  }
}
