import { createRoute, z } from "@hono/zod-openapi"
import { FEEDBACK_KINDS, STATUSES } from "../../../schema/vocabulary.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { rounded, wholeNumberOr } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"
import { reverify } from "../../services/admin/reverify.ts"
import { readWebhookUrl } from "../../services/webhooks/read-webhook-url.ts"

const reverifyStale = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/admin/reverify",
    operationId: "reverify",
    tags: ["admin"],
    summary: "Verify expired results again",
    description:
      "Starts a job that verifies expired results again, the oldest first. At the end, `webhook_url` receives reverify.completed with counts and no addresses. No account is charged.",
    request: {
      query: z.object({
        status: z.enum(STATUSES).optional().openapi({ description: "Only results of this status", example: "unknown" }),
        limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Maximum number of results" }),
        webhook_url: z.string().max(2_000).default("").openapi({ example: "https://hooks.example.org/reverified" }),
      }),
    },
    responses: {
      200: ok(
        z.object({
          status: z.enum(["queued", "nothing_to_do"]),
          job_id: z.string().nullable().openapi({
            description: "Read the job at GET /admin/jobs/{job_id}; it belongs to no account",
            example: "job_0123456789abcdef01234567",
          }),
          queued: z.int(),
        }),
      ),
    },
  }),
  async (c) => {
    const { status, limit, webhook_url } = c.req.valid("query")
    const webhookUrl = await readWebhookUrl(c.var.ctx, webhook_url)
    const { jobId, queued } = await reverify(c.var.ctx, { status, limit, webhookUrl })
    c.set("auditNote", { subject: jobId ?? "", details: { queued } })
    return c.json({ status: jobId ? ("queued" as const) : ("nothing_to_do" as const), job_id: jobId, queued }, 200)
  },
)

const domainIntel = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/domain-intel/stats",
    operationId: "domainIntelStats",
    tags: ["admin"],
    summary: "Count known domains",
    description: "Counts the domains with stored facts, and those that were read on each of the last 30 days.",
    responses: {
      200: ok(
        z.object({
          domains: z.int().openapi({ description: "Domains with facts" }),
          looked_at_today: z.int(),
          looked_at_last_30_days: z.int(),
          daily: z.array(z.object({ date: z.string(), domains: z.int() })),
        }),
      ),
    },
  }),
  async (c) => {
    const { clock } = c.var.ctx
    const { counters } = c.var.ctx.store
    const now = clock.now()
    const [rows, counts] = await Promise.all([counters.rows(), counters.since(dayOf(now - 29 * DAY_MS), now)])
    const facts = counts.filter(({ name }) => name === "facts")
    return c.json(
      {
        domains: rows.get("domains") ?? 0,
        looked_at_today: facts.find(({ day }) => day === dayOf(now))?.count ?? 0,
        looked_at_last_30_days: facts.reduce((total, { count }) => total + count, 0),
        daily: facts.map(({ day, count }) => ({ date: day, domains: count })),
      },
      200,
    )
  },
)

const domainLearning = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/domain-learning/stats",
    operationId: "domainLearningStats",
    tags: ["admin"],
    summary: "Count learned formats",
    description: "Counts the domains with learned formats, and the feedback on sent mail by kind.",
    responses: {
      200: ok(
        z.object({
          domains_with_formats: z.int(),
          top_formats: z.array(
            z.object({ domain: z.string(), format: z.string(), confidence: z.number(), sample_count: z.int() }),
          ),
          feedback: z.record(z.enum(FEEDBACK_KINDS), z.int()),
          feedback_total: z.int(),
        }),
      ),
    },
  }),
  async (c) => {
    const { formats, operator } = c.var.ctx.store
    const [learned, feedback] = await Promise.all([formats.list({ limit: 10, offset: 0 }), operator.feedbackCounts()])
    const of = (kind: (typeof FEEDBACK_KINDS)[number]) => feedback.find((one) => one.kind === kind)?.count ?? 0
    return c.json(
      {
        domains_with_formats: learned.total,
        top_formats: learned.formats.map(({ domain, format, confidence, sampleCount }) => ({
          ...{ domain, format, confidence: rounded(confidence) },
          sample_count: sampleCount,
        })),
        feedback: Object.fromEntries(FEEDBACK_KINDS.map((kind) => [kind, of(kind)])) as Record<
          (typeof FEEDBACK_KINDS)[number],
          number
        >,
        feedback_total: feedback.reduce((total, { count }) => total + count, 0),
      },
      200,
    )
  },
)

export const operationEndpoints: Endpoint[] = [reverifyStale, domainIntel, domainLearning]
