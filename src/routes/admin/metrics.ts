import { createRoute, z } from "@hono/zod-openapi"
import { formatPrometheus } from "../../domain/admin/metrics.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { collectMetrics } from "../../services/admin/collect-metrics.ts"

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const metrics = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/metrics",
    operationId: "metrics",
    tags: ["admin"],
    summary: "Get metrics for Prometheus",
    description:
      "Returns counters and backlogs of the whole service as Prometheus text. Request counts are stored every ten seconds, so they may be that old.",
    responses: {
      200: {
        description: "Prometheus text format 0.0.4",
        content: {
          "text/plain": { schema: z.string().openapi({ example: 'mailverdict_probe_nodes{state="healthy"} 3' }) },
        },
      },
    },
  }),
  async (c) => c.text(formatPrometheus(await collectMetrics(c.var.ctx)), 200, { "content-type": CONTENT_TYPE }),
)

export const metricsEndpoints: Endpoint[] = [metrics]
