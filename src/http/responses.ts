import { z } from "@hono/zod-openapi"
import { ERROR_CODES, type ErrorCode } from "../error-codes.ts"

const Code = z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).openapi("ErrorCode", {
  description:
    "What is wrong, for programs. A code keeps its meaning and its status. New codes may come: handle an unknown one by its status. The header `Link` leads to its meaning, and the [guide](#tag/guide-errors) has all of them",
  example: "not_cached",
})

export const Problem = z
  .object({
    detail: z.string().openapi({ example: "no fresh cached result for this address" }),
    code: Code,
  })
  .openapi("Problem", { description: "The error" })

const ValidationProblem = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.number()])).openapi({ example: ["query", "email"] }),
        msg: z.string().openapi({ example: "is required" }),
        type: z.string().openapi({ example: "missing" }),
      }),
    ),
    code: Code,
  })
  .openapi("ValidationProblem", { description: "The invalid fields, each with its location" })

const PROBLEMS = {
  400: "Invalid request, for example a malformed address or domain; `detail` gives the reason",
  401: "The API key is missing, malformed, unknown or revoked",
  402: "The credit balance is exhausted",
  403: "Not allowed",
  404: "Not found, or it belongs to another account",
  408: "The request body stopped or arrived too slowly",
  409: "Conflict with the current state; `detail` gives the reason",
  413: "The request body is too large",
  415: "The request body has an unsupported media type, or it is compressed",
  429: "Too many requests; wait for the seconds in Retry-After",
  500: "Internal error; the log has the details under the request id",
  503: "Temporarily overloaded, or a required service is unavailable; try again",
} as const
export type ProblemStatus = keyof typeof PROBLEMS

/** A JSON answer in a route's `responses`. */
export function ok<T extends z.ZodType>(schema: T, description = "The answer") {
  return { description, content: { "application/json": { schema } } }
}

/** Error answers in a route's `responses`, in the contract's form. */
export function problem<const C extends ProblemStatus>(...codes: C[]) {
  const entries = codes.map((code) => [code, ok(Problem, PROBLEMS[code])])
  return Object.fromEntries(entries) as Record<C, ReturnType<typeof ok<typeof Problem>>>
}

const RETRY_AFTER = { "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } } } as const

/** Responses of every endpoint. */
export const COMMON_RESPONSES = {
  ...problem(401, 403, 500, 503),
  429: { ...ok(Problem, PROBLEMS[429]), headers: RETRY_AFTER },
  422: ok(ValidationProblem, "A parameter or the body is missing, malformed or of the wrong type"),
}

/** Responses of every endpoint with a body. */
export const BODY_RESPONSES = problem(408, 413, 415)

/** Responses of every endpoint that costs credits. */
export const COST_RESPONSES = {
  422: ok(
    ValidationProblem,
    "A parameter or the body is missing, malformed or of the wrong type, or the Idempotency-Key was used for another request",
  ),
  409: {
    ...ok(Problem, "A request with this Idempotency-Key is still running, or another conflict that `detail` names"),
    headers: RETRY_AFTER,
  },
}
