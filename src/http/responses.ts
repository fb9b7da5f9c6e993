import { z } from "@hono/zod-openapi"

export const Problem = z
  .object({ detail: z.string().openapi({ example: "no fresh cached result for this address" }) })
  .openapi("Problem", { description: "What went wrong, in words" })

const ValidationProblem = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.number()])).openapi({ example: ["query", "email"] }),
        msg: z.string().openapi({ example: "is required" }),
        type: z.string().openapi({ example: "missing" }),
      }),
    ),
  })
  .openapi("ValidationProblem", { description: "The fields that are wrong, each with its place" })

const PROBLEMS = {
  400: "What is asked for makes no sense, as with a malformed address or domain; `detail` says why",
  401: "The API key is missing, malformed, unknown or revoked",
  402: "The credit balance is exhausted",
  403: "Not allowed",
  404: "There is no such thing, or it is not yours",
  409: "Not as things stand; `detail` says why",
  413: "The request body is too large",
  415: "The request body is of another type than this takes, or it is compressed",
  429: "Too many requests; wait as long as Retry-After says",
  500: "An error on our side; the request id finds it in the logs",
  503: "Temporarily overloaded, or something this call needs is not there; try again",
} as const

/** A JSON answer in a route's `responses`. */
export function ok<T extends z.ZodType>(schema: T, description = "The answer") {
  return { description, content: { "application/json": { schema } } }
}

/** Error answers in a route's `responses`, in the contract's `{detail}` form. */
export function problem<const C extends keyof typeof PROBLEMS>(...codes: C[]) {
  const entries = codes.map((code) => [code, ok(Problem, PROBLEMS[code])])
  return Object.fromEntries(entries) as Record<C, ReturnType<typeof ok<typeof Problem>>>
}

const RETRY_AFTER = { "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } } } as const

/** What every endpoint may answer besides its own. */
export const COMMON_RESPONSES = {
  ...problem(401, 403, 500, 503),
  429: { ...ok(Problem, PROBLEMS[429]), headers: RETRY_AFTER },
  422: ok(ValidationProblem, "A parameter or the body is missing, ill-typed or malformed"),
}

/** What every endpoint with a JSON body may answer besides. */
export const BODY_RESPONSES = problem(413, 415)

/** What an endpoint that costs credits may answer besides. */
export const COST_RESPONSES = {
  409: {
    ...ok(Problem, "A request with this Idempotency-Key is still running; with another `detail`: not as things stand"),
    headers: RETRY_AFTER,
  },
}
