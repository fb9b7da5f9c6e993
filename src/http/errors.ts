import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import { type ZodError, z } from "zod"
import { storageStateOf } from "../domain/admin/installation.ts"
import { type ErrorCode, statusOf } from "../error-codes.ts"
import { AppError, type FieldProblem, platformFaultIn, storageFailureIn, storageUnavailable } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"
import { helpLink } from "./response-headers.ts"

/** Describes how a client of /mcp signs in (RFC 9728 3.1). */
export const PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource/mcp"

/** RFC 9110 15.5.2. Java's HttpClient fails on a 401 without a challenge. No browser opens a dialog for this one. */
function challengeOf(c: Context<AppEnv>): string {
  return c.req.path === "/mcp"
    ? `Bearer resource_metadata="${c.var.ctx.config.baseUrl}${PROTECTED_RESOURCE}"`
    : "Bearer"
}

/**
 * The one mapper from errors to responses. The cause of an outage goes to the log only. An error that is not an
 * AppError is a bug: the log gets its stack, the response nothing of it.
 */
export async function onError(thrown: Error, c: Context<AppEnv>): Promise<Response> {
  const error = findAppError(thrown) ?? (await outageOf(thrown, c.var.ctx))
  if (error?.kind === "unavailable" && error.cause instanceof Error)
    c.var.ctx.log("unavailable", { detail: error.message, cause: error.cause.message })
  if (error) {
    if (error.kind === "unauthorized") c.header("www-authenticate", challengeOf(c))
    if (error.retryAfterSeconds !== null) c.header("retry-after", String(error.retryAfterSeconds))
    return answerProblem(c, error.code, fieldsOf(error, c) ?? error.message)
  }
  c.var.ctx.log("unhandled_error", { name: thrown.name, message: thrown.message, stack: stackFrames(thrown) })
  return answerProblem(c, "internal_error", "internal error; quote the X-Request-Id of this response")
}

function answerProblem(c: Context<AppEnv>, code: ErrorCode, detail: string | object): Response {
  c.header("link", helpLink(code))
  return c.json({ detail, code }, statusOf(code))
}

function fieldsOf(error: AppError, c: Context<AppEnv>) {
  const place = ([name]: FieldProblem["field"]) => {
    if (error instanceof InvalidRequest) return error.place
    return c.req.method === "GET" || c.req.query(String(name)) !== undefined ? "query" : "body"
  }
  return error.fields?.map(({ field, msg, type }) => ({ loc: [place(field), ...field], msg, type })) ?? null
}

/** The stack without its message, because the log cuts a message after an SQL statement. */
function stackFrames({ stack = "", message }: Error): string {
  const at = stack.indexOf(message)
  return at < 0 ? stack : stack.slice(at + message.length).trimStart()
}

/** Finds an AppError that a library has wrapped, and converts Hono's own errors. */
function findAppError(thrown: unknown): AppError | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (error instanceof AppError) return error
    if (error instanceof HTTPException && error.status === 400) return malformedBody()
  }
  return null
}

/** The error of a storage or of the platform that failed. A fault of the platform is one of the storage on a full disk. */
async function outageOf(thrown: Error, { disk }: AppEnv["Variables"]["ctx"]): Promise<AppError | null> {
  const failure = storageFailureIn(thrown)
  if (failure) return storageUnavailable(failure)
  const fault = platformFaultIn(thrown)
  if (!fault) return null
  const space = await disk.space()
  return space && storageStateOf(space) === "full" ? storageUnavailable(fault) : partUnavailable(fault)
}

function partUnavailable(cause: Error): AppError {
  return new AppError("unavailable", "a part of the service is overloaded or restarts; try again shortly", {
    cause,
    retryAfterSeconds: 1,
  })
}

/** Limits the response: the errors of a long list would be many times as long as the list. */
const MAX_FIELDS = 100

/** For a missing field, in place of zod's message about its type or enum. */
const IS_REQUIRED = "is required"
z.config({ customError: ({ input }) => (input === undefined ? IS_REQUIRED : undefined) })

/** 422 with the invalid fields. @param place the source of the validated value, such as "query" */
export function invalidFields(error: ZodError, place: InvalidRequest["place"]): AppError {
  const issues = error.issues.flatMap(matchingIssues).slice(0, MAX_FIELDS)
  const fields = issues.map(({ path, message, code }): FieldProblem => {
    const field = path.filter((step) => typeof step !== "symbol")
    return { field, msg: message, type: message === IS_REQUIRED ? "missing" : code }
  })
  return new InvalidRequest(place, fields)
}

/** For a union, the problems of the matching form only: the others fail as a whole. */
function matchingIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const forms = issue.code === "invalid_union" ? issue.errors : []
  const own = forms.find((problems) => problems.some(({ path, code }) => path.length > 0 || code === "too_big"))
  return own?.map((problem) => ({ ...problem, path: [...issue.path, ...problem.path] })) ?? [issue]
}

function malformedBody(): AppError {
  return new InvalidRequest("body", [{ field: [], msg: "the body is not well-formed JSON", type: "json_invalid" }])
}

type Place = "body" | "query" | "path" | "header"

export type CodeOfInvalid = "invalid_request" | "idempotency_key_reused"

/** An invalid request whose fields stand in a known part of it. */
export class InvalidRequest extends AppError {
  readonly place: Place

  constructor(place: Place, fields: readonly FieldProblem[], options: { cause?: unknown; code?: CodeOfInvalid } = {}) {
    const { code = "invalid_request", cause } = options
    super(code, "invalid request", { cause, fields })
    this.place = place
  }
}
