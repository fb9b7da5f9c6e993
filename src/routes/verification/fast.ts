import { z } from "@hono/zod-openapi"
import type { TypedResponse } from "hono"
import { accountOf } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { completeCached } from "../../domain/verification/cached-checks.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { email, flag, wholeNumber } from "../../http/fields.ts"
import { ok, Problem } from "../../http/responses.ts"
import { findCached } from "../../services/verification/known.ts"
import { Checks } from "./checks.ts"

const endpoint = endpointsOf("verification")

const FastAnswer = z.object({ checks: Checks })

const validateFast = endpoint("key-optional", "GET /validate/fast", {
  operationId: "validateFast",
  summary: "Read a stored result",
  description:
    "Answers from the cache at the edge in a few milliseconds. It costs nothing, counts against no limit and never contacts a mail server. 404 means that no fresh result exists: then call `GET /validate`.",
  query: z.object({
    email: email(),
    max_age_hours: wholeNumber({ min: 1, max: 8_784, description: "Maximum age in hours" }).optional(),
    suppression: flag(true, "Respect the suppression list"),
  }),
  answer: FastAnswer,
  responses: { 404: ok(Problem, "No fresh cached result; use /validate") },
  async handle(c) {
    const { email, max_age_hours, suppression } = c.req.valid("query")
    const address = parseAddress(email)
    const accountId = accountOf(c.var.caller)
    const query = { maxAgeHours: max_age_hours, accountId, trustsMisses: true }
    const found = address.ok ? await findCached(c.var.ctx, { ...query, address }) : null
    if (!address.ok || !found) throw new AppError("not_cached", "no fresh cached result for this address")
    const { result, accountFlags } = found
    const own = suppression ? accountFlags : { ...accountFlags, isSuppressed: false }
    return jsonText<z.infer<typeof FastAnswer>>(completeCached(result, address, own))
  },
})

/** Responds with JSON text as it is. Parsing and serializing it again would be half the cost of the response. */
function jsonText<T>(text: string) {
  const response = new Response(text, { headers: { "content-type": "application/json" } })
  return response as Response & TypedResponse<T, 200, "json">
}

export const fastEndpoints: Endpoint[] = [validateFast]
