import { createRoute, z } from "@hono/zod-openapi"
import { expose } from "../../domain/metrics/prometheus.ts"
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
    summary: "Counters and backlogs of the whole service, for Prometheus",
    description: "Requests are written down every ten seconds, so what is shown is that old.",
    responses: {
      200: {
        description: "Prometheus text format 0.0.4",
        content: {
          "text/plain": { schema: z.string().openapi({ example: 'mailverdict_probe_nodes{state="healthy"} 3' }) },
        },
      },
    },
  }),
  async (c) => c.text(expose(await collectMetrics(c.var.deps)), 200, { "content-type": CONTENT_TYPE }),
)

export const metricsEndpoints: Endpoint[] = [metrics]
