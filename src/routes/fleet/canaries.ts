import { z } from "@hono/zod-openapi"
import { CANARY_FINDINGS } from "../../../schema/vocabulary.ts"
import type { Canary as StoredCanary } from "../../adapters/store/fleet/fleet-records.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { type CanaryResult, listCanaries, setCanary } from "../../services/fleet/canaries.ts"

const endpoint = endpointsOf("fleet")

const email = (description: string) =>
  z.string().max(320).openapi({ pattern: PATTERNS.mailbox, description, example: "canary@example.org" })
const Canary = component("Canary", {
  operator: z.string(),
  existing: z.string(),
  missing: z.string(),
  created_at: z.iso.datetime(),
})

const CanaryStatus = Canary.extend({
  results: arrayOf({
    node_id: z.string(),
    source_ip: z.string(),
    finding: z.enum(CANARY_FINDINGS).openapi({
      description:
        "`as_expected`: the operator accepted the existing address and refused the missing one. `blanket_accept`, `blanket_refuse`: it answered both alike, so this source address is not used there. `unclear`: no such answer",
    }),
    detail: z.string().nullable().openapi({ description: "The reply codes, without the addresses" }),
    checked_at: z.iso.datetime(),
  }).openapi({ description: "The last result from each source address; empty before the first run, a minute later" }),
}).openapi("CanaryStatus")

const list = endpoint("admin", "GET /fleet/canaries", {
  operationId: "listCanaries",
  summary: "List the canaries",
  description: "Returns the canary addresses by mail operator, with the last result from each source address.",
  answer: z.object({ canaries: z.array(CanaryStatus) }),
  async handle(c) {
    const found = await listCanaries(c.var.ctx)
    return { canaries: found.map((one) => ({ ...present(one), results: one.results.map(presentResult) })) }
  },
})

const set = endpoint("admin", "POST /fleet/canaries", {
  operationId: "setCanary",
  summary: "Set a canary",
  description:
    "Sets two of your own addresses at a mail operator: one that exists and one that does not. Each source address probes both every hour. A source address with wrong answers is excluded there.",
  json: z.object({
    operator: z
      .string()
      .min(1)
      .max(64)
      .openapi({ example: "google", description: "As `operator` of /regions/route for the addresses' domain" }),
    existing: email("An address at the operator that exists"),
    missing: email("An address at the operator that does not exist"),
  }),
  answer: Canary,
  problems: [400, 503],
  async handle(c) {
    const { operator, existing, missing } = c.req.valid("json")
    const [real, unreal] = [existing, missing].map((text) => parseAddress(text))
    if (!real?.ok || !unreal?.ok || real.domain !== unreal.domain)
      throw new AppError("bad_request", "existing and missing must be addresses of one domain")
    return present(await setCanary(c.var.ctx, { operator, existing: real, missing: unreal }))
  },
})

const remove = endpoint("admin", "DELETE /fleet/canaries/{operator}", {
  operationId: "removeCanary",
  summary: "Remove a canary",
  description: "Removes an operator's canary addresses. Source addresses that they excluded are used again.",
  params: z.object({ operator: z.string().max(64).openapi({ description: "The mail operator", example: "google" }) }),
  answer: z.object({ operator: z.string(), status: z.literal("removed") }),
  problems: [404],
  async handle(c) {
    const { operator } = c.req.valid("param")
    if (!(await c.var.ctx.store.fleetRecords.removeCanary(operator)))
      throw new AppError("not_found", "this operator has no canary addresses")
    await c.var.ctx.fleet.refresh()
    return { operator, status: "removed" as const }
  },
})

function present({ operator, existing, missing, createdAt }: StoredCanary): z.infer<typeof Canary> {
  return { operator, existing, missing, created_at: iso(createdAt) }
}

function presentResult({ nodeId, sourceIp, finding, detail, checkedAt }: CanaryResult) {
  return { node_id: nodeId, source_ip: sourceIp, finding, detail, checked_at: iso(checkedAt) }
}

export const canaryEndpoints: Endpoint[] = [list, set, remove]
