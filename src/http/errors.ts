import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { type ZodError, z } from "zod"
import { AppError, type ErrorCode, type FieldProblem } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"

const HTTP_STATUS: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  bad_request: 400,
  unauthorized: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  rate_limited: 429,
  unavailable: 503,
}

/** RFC 9110 15.5.2: a 401 without one is a failure of the transport to Java's HttpClient. Browsers do not ask for a password. */
const CHALLENGE = "Bearer"

/**
 * The one mapper from errors to answers. Why something of others cannot be had is for the log alone. What is not an AppError
 * is a bug: its stack is logged, its text is not told.
 */
export function onError(thrown: Error, c: Context<AppEnv>): Response {
  const error = findAppError(thrown)
  if (error?.code === "unavailable" && error.cause instanceof Error)
    c.var.deps.log("unavailable", { detail: error.message, cause: error.cause.message })
  if (error) {
    if (error.code === "unauthorized") c.header("www-authenticate", CHALLENGE)
    return c.json({ detail: error.fields ?? error.message }, HTTP_STATUS[error.code], error.headers)
  }
  c.var.deps.log("unhandled_error", { name: thrown.name, message: thrown.message, stack: framesOf(thrown) })
  return c.json({ detail: "an error on our side; quote the X-Request-Id of this answer" }, 500)
}

/** The stack without the message it begins with: of that, the log leaves out all that follows a statement. */
function framesOf({ stack = "", message }: Error): string {
  const at = stack.indexOf(message)
  return at < 0 ? stack : stack.slice(at + message.length).trimStart()
}

/** A library between an adapter and us may have wrapped an AppError; Hono's own refusals become ours. */
function findAppError(thrown: unknown): AppError | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (error instanceof AppError) return error
    if (error instanceof HTTPException && error.status === 400) return malformedBody()
    if (isOfPlatform(error)) return overloaded(error)
  }
  return null
}

/** How the platform marks what it says of a Durable Object that is asked too much, or is being moved or restarted. */
function isOfPlatform(error: Error & { overloaded?: unknown; retryable?: unknown }): boolean {
  return error.overloaded === true || error.retryable === true
}

function overloaded(cause: Error): AppError {
  return new AppError("unavailable", "the service is overloaded; try again shortly", {
    cause,
    headers: { "retry-after": "1" },
  })
}

/** A refusal of a list of wrong items would be many times as long as the list. */
const TOLD_FIELDS = 100

/** For what is not there at all; of it a word list would say no more than that it is another word. */
const IS_REQUIRED = "is required"
z.config({ customError: ({ input }) => (input === undefined ? IS_REQUIRED : undefined) })

/** 422 with the offending fields. `target` is where the validated value came from. */
export function invalidFields(error: ZodError, target: string): AppError {
  const issues = error.issues.flatMap(ofItsForm).slice(0, TOLD_FIELDS)
  const fields = issues.map(({ path, message, code }): FieldProblem => {
    const loc = [target, ...path.filter((step) => typeof step !== "symbol")]
    return { loc, msg: message, type: message === IS_REQUIRED ? "missing" : code }
  })
  return new AppError("invalid", "invalid request", { fields })
}

/** Where several forms are allowed, the problems of the form that was meant: the others are of another kind as a whole. */
function ofItsForm(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const forms = issue.code === "invalid_union" ? issue.errors : []
  const own = forms.find((problems) => problems.some(({ path, code }) => path.length > 0 || code === "too_big"))
  return own?.map((problem) => ({ ...problem, path: [...issue.path, ...problem.path] })) ?? [issue]
}

function malformedBody(): AppError {
  const fields = [{ loc: ["body"], msg: "the body is not well-formed JSON", type: "json_invalid" }]
  return new AppError("invalid", "malformed JSON", { fields })
}
