import { createRoute, z } from "@hono/zod-openapi"
import { CANARY_FINDINGS } from "../../../schema/vocabulary.ts"
import type { Canary as StoredCanary } from "../../adapters/store/fleet/fleet-records.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { type CanaryResult, listCanaries, setCanary } from "../../services/fleet/canaries.ts"

const email = () => z.string().max(320).openapi({ example: "canary@example.org" })
const Canary = z
  .object({ operator: z.string(), existing: z.string(), missing: z.string(), created_at: z.iso.datetime() })
  .openapi("Canary")

const CanaryStatus = Canary.extend({
  results: z
    .array(
      z.object({
        node_id: z.string(),
        source_ip: z.string(),
        finding: z.enum(CANARY_FINDINGS).openapi({
          description:
            "`as_expected`: the operator accepted the existing address and refused the missing one. `blanket_accept`, `blanket_refuse`: it answered both alike, so this source address is not used there. `unclear`: no such answer",
        }),
        detail: z.string().nullable().openapi({ description: "The reply codes, without the addresses" }),
        checked_at: z.iso.datetime(),
      }),
    )
    .openapi({ description: "The last result from each source address; empty before the first run, a minute later" }),
}).openapi("CanaryStatus")

const list = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/fleet/canaries",
    operationId: "listCanaries",
    tags: ["fleet"],
    summary: "List the canaries",
    description: "Returns the canary addresses by mail operator, with the last result from each source address.",
    responses: { 200: ok(z.object({ canaries: z.array(CanaryStatus) })) },
  }),
  async (c) => {
    const found = await listCanaries(c.var.ctx)
    return c.json({ canaries: found.map((one) => ({ ...present(one), results: one.results.map(presentResult) })) }, 200)
  },
)

const set = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/fleet/canaries",
    operationId: "setCanary",
    tags: ["fleet"],
    summary: "Set a canary",
    description:
      "Sets two of your own addresses at a mail operator: one that exists and one that does not. Each source address probes both every hour. A source address with wrong answers is excluded there.",
    request: {
      body: json(
        z.object({
          operator: z
            .string()
            .min(1)
            .max(64)
            .openapi({ example: "google", description: "As `operator` of /regions/route for the addresses' domain" }),
          existing: email(),
          missing: email(),
        }),
      ),
    },
    responses: { 200: ok(Canary), ...problem(400, 503) },
  }),
  async (c) => {
    const { operator, existing, missing } = c.req.valid("json")
    const [real, unreal] = [existing, missing].map((text) => parseAddress(text))
    if (!real?.ok || !unreal?.ok || real.domain !== unreal.domain)
      throw new AppError("bad_request", "existing and missing must be addresses of one domain")
    return c.json(present(await setCanary(c.var.ctx, { operator, existing: real, missing: unreal })), 200)
  },
)

const remove = endpoint(
  "admin",
  createRoute({
    method: "delete",
    path: "/fleet/canaries/{operator}",
    operationId: "removeCanary",
    tags: ["fleet"],
    summary: "Remove a canary",
    description: "Removes an operator's canary addresses. Source addresses that they excluded are used again.",
    request: { params: z.object({ operator: z.string().max(64).openapi({ example: "google" }) }) },
    responses: { 200: ok(z.object({ operator: z.string(), status: z.literal("removed") })), ...problem(404) },
  }),
  async (c) => {
    const { operator } = c.req.valid("param")
    if (!(await c.var.ctx.store.fleetRecords.removeCanary(operator)))
      throw new AppError("not_found", "this operator has no canary addresses")
    await c.var.ctx.fleet.refresh()
    return c.json({ operator, status: "removed" as const }, 200)
  },
)

function present({ operator, existing, missing, createdAt }: StoredCanary): z.infer<typeof Canary> {
  return { operator, existing, missing, created_at: iso(createdAt) }
}

function presentResult({ nodeId, sourceIp, finding, detail, checkedAt }: CanaryResult) {
  return { node_id: nodeId, source_ip: sourceIp, finding, detail, checked_at: iso(checkedAt) }
}

export const canaryEndpoints: Endpoint[] = [list, set, remove]
