import { createRoute, z } from "@hono/zod-openapi"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { ok } from "../../http/responses.ts"
import { checkHealth } from "../../services/fleet/check-health.ts"

const Health = z
  .object({
    status: z.enum(["ok", "degraded"]),
    version: z.string(),
    database: z.object({ reachable: z.boolean(), ms: z.int() }),
    probe_nodes: z.int().openapi({ description: "Nodes available for probes" }),
    fleet: z
      .object({ healthy: z.int(), degraded: z.int(), unfit: z.int(), quarantined: z.int(), gone: z.int() })
      .openapi({ description: "Shared probe nodes by state" }),
    time: z.iso.datetime(),
  })
  .openapi("Health")
const Degraded = Health.extend({ detail: z.string().openapi({ description: "The failure" }) })

const health = endpoint(
  "public",
  createRoute({
    method: "get",
    path: "/health",
    operationId: "health",
    tags: ["fleet"],
    summary: "Whether the service and its dependencies work",
    responses: { 200: ok(Health), 503: ok(Degraded, "A dependency does not answer") },
  }),
  async (c) => {
    const { database, probeNodes, fleet, time } = await checkHealth(c.var.ctx)
    const problem = !database.reachable
      ? "the database does not answer"
      : probeNodes === 0
        ? "no probe node is available"
        : null
    const answer = {
      ...{ status: problem ? ("degraded" as const) : ("ok" as const), version: VERSION, database, fleet },
      probe_nodes: probeNodes,
      time: iso(time),
    }
    return problem ? c.json({ ...answer, detail: problem }, 503) : c.json(answer, 200)
  },
)

/** The version of the API (spec, "Versioning"). */
export const VERSION = "6.0.0"

export const healthEndpoints: Endpoint[] = [health]
