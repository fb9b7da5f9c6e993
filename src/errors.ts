import { counted } from "./domain/counted.ts"
import { ERROR_CODES, type ErrorCode, type ErrorKind } from "./error-codes.ts"

/** One invalid field of the input. */
export interface FieldProblem {
  /** The name of the field, and the steps into it. Empty for the whole input. */
  readonly field: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** An error that the API reports to the caller. `cause` holds the internal failure and never leaves the service. */
export class AppError extends Error {
  override readonly name = "AppError"
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly retryAfterSeconds: number | null
  readonly fields: readonly FieldProblem[] | null

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; fields?: readonly FieldProblem[] } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.kind = ERROR_CODES[code].kind
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
    this.fields = options.fields ?? null
  }
}

/**
 * Whether an external system, such as the database, or a part of the platform did not answer. Also finds the error where a
 * library wraps it.
 */
export function isUnavailable(thrown: unknown): boolean {
  return (
    causes(thrown).some((error) => error instanceof AppError && error.kind === "unavailable") ||
    isStorageFailure(thrown) ||
    platformFaultIn(thrown) !== null
  )
}

/** The codes of a database that refuses writes: a full disk, a file that cannot be written, a provider's quota. */
const REFUSED_WRITES: ReadonlySet<unknown> = new Set([
  "SQLITE_FULL",
  "SQLITE_READONLY",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "BLOCKED",
])
/** The text of a Durable Object whose own storage failed, which has no code. */
const FAILED_STORAGE = /: SQLITE_(FULL|READONLY|IOERR|CANTOPEN)\w*$/
/**
 * The texts of any fault inside the platform. On a full disk the calls of a Durable Object that a failed write has reset
 * end with the first one, and writes to KV with the second.
 */
const PLATFORM_FAULT = /^internal error; reference = \w+$|^KV \w+ failed: 5\d\d/

/** The error of a database, a Durable Object or KV whose storage accepts no writes, as on a full disk. Null for others. */
export function storageFailureIn(thrown: unknown): Error | null {
  const isOne = (error: Error & { code?: unknown }) =>
    (error instanceof AppError && error.code === "storage_unavailable") ||
    REFUSED_WRITES.has(error.code) ||
    FAILED_STORAGE.test(error.message)
  return causes(thrown).find(isOne) ?? null
}

/** The error of a part of the platform, such as a Durable Object that is overloaded, moved or restarted. Null for others. */
export function platformFaultIn(thrown: unknown): Error | null {
  const isOne = (error: Error & { overloaded?: unknown; retryable?: unknown }) =>
    error.overloaded === true || error.retryable === true || PLATFORM_FAULT.test(error.message)
  return causes(thrown).find(isOne) ?? null
}

export const isStorageFailure = (thrown: unknown): boolean => storageFailureIn(thrown) !== null

/** An error and what caused it, as libraries wrap it. */
function causes(thrown: unknown): Error[] {
  return thrown instanceof Error ? [thrown, ...causes(thrown.cause)] : []
}

/** An error about one field of the input. */
export function invalidField(field: FieldProblem["field"], msg: string, type = "value_error"): AppError {
  return new AppError("invalid_request", msg, { fields: [{ field, msg, type }] })
}

type CodeOfLimit = "rate_limited" | "minute_exceeded" | "free_work_exceeded" | "budget_exceeded"

/** A reached limit. The message names the time to wait, at least 1 s. */
export function tooMany(seconds: number, code: CodeOfLimit, what = "rate limit exceeded"): AppError {
  const wait = Math.max(1, seconds)
  return new AppError(code, `${what}; retry in ${wait} seconds`, { retryAfterSeconds: wait })
}

/** The error of a test key for an address, or for work, that is not part of test mode. */
export function outsideTestMode(): AppError {
  return new AppError(
    "outside_test_mode",
    "a test key (mv_test_…) verifies only addresses under .test, such as alice@mailbox.test. Use a live key for real addresses",
  )
}

/** A request for more credits than the month has. */
interface MonthExceeded {
  readonly limit: number
  readonly used: number
  /** Requested credits; of a list that is still being read, at least. */
  readonly requested: number
  readonly secondsToNextMonth: number
  /** Unix ms. */
  readonly now: number
}

/** The error for work beyond the month's credits. Waiting does not help when a whole month has fewer. */
export function monthExceeded({ limit, used, requested, secondsToNextMonth, now }: MonthExceeded): AppError {
  if (limit === 0)
    return new AppError("plan_required", "this plan has no credits here: send an API key of another plan")
  if (requested > limit)
    return new AppError(
      "month_too_small",
      `${requested} credits are needed, more than the whole month's limit of ${limit}: split the work, or choose a larger plan`,
    )
  const day = new Date(now + secondsToNextMonth * 1_000).toISOString().slice(0, 10)
  const message = `the month's limit of ${limit} leaves too little: ${used} used, ${requested} asked for`
  return new AppError(
    "month_exceeded",
    `${message}; the next month begins on ${day}, in ${counted(secondsToNextMonth, "second")}. A larger plan or bought credits work at once`,
    {
      retryAfterSeconds: secondsToNextMonth,
    },
  )
}

/** The error of a call that needs a write which the storage refuses. Nothing of the call is stored or charged. */
export function storageUnavailable(cause?: unknown): AppError {
  return new AppError("storage_unavailable", "the result store accepts no writes; try again shortly", {
    cause,
    retryAfterSeconds: 5,
  })
}

export function storeUnavailable(): AppError {
  return new AppError("unavailable", "the account store does not answer; try again shortly", { retryAfterSeconds: 5 })
}

/** The error for accounts that buy credits: they need not wait for the next month. */
export function creditsExhausted(): AppError {
  return new AppError("credits_exhausted", "the credit balance is exhausted; buy credits or wait for the next month")
}

export function tooLarge(what: string): AppError {
  return new AppError("list_too_large", `${what}; send longer lists to /validate/bulk/async`)
}

export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError("payload_too_large", `the request body may have at most ${maxBytes} bytes`)
}

/** The database refuses the service's token: retries fail until the operator sets another one. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused"
}

/** The innermost cause of an error: libraries wrap what happened, and put the statement before it. */
export function rootCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? rootCause(error.cause) : error
}
