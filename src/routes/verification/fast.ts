import { createRoute, z } from "@hono/zod-openapi"
import type { TypedResponse } from "hono"
import { accountOf } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email, flag, wholeNumber } from "../../http/fields.ts"
import { completeCached } from "../../http/present/cached.ts"
import { Checks } from "../../http/present/checks.ts"
import { ok, Problem } from "../../http/responses.ts"
import { findCached } from "../../services/verification/find-cached.ts"

const FastAnswer = z.object({ checks: Checks })

const validateFast = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/validate/fast",
    operationId: "validateFast",
    tags: ["verification"],
    summary: "Look an address up in the cache; never probes, never counts",
    request: {
      query: z.object({
        email: email(),
        max_age_hours: wholeNumber({ min: 1, max: 8_784, description: "Take results up to this old" }).optional(),
        suppression: flag(true, "Respect the suppression list"),
      }),
    },
    responses: { 200: ok(FastAnswer), 404: ok(Problem, "Nothing fresh is known of this address; ask /validate") },
  }),
  async (c) => {
    const { email, max_age_hours, suppression } = c.req.valid("query")
    const address = parseAddress(email)
    if (!address.ok) throw new AppError("not_found", "no fresh cached result for this address")
    const accountId = accountOf(c.var.caller)
    const { result, standing } = await findCached(c.var.deps, { address, maxAgeHours: max_age_hours, accountId })
    const own = suppression ? standing : { ...standing, isSuppressed: false }
    return jsonText<z.infer<typeof FastAnswer>>(completeCached(result, address, own))
  },
)

/** JSON that is text already: parsing it only to write it again would be half the cost of the answer. */
function jsonText<T>(text: string) {
  const response = new Response(text, { headers: { "content-type": "application/json" } })
  return response as Response & TypedResponse<T, 200, "json">
}

export const fastEndpoints: Endpoint[] = [validateFast]
