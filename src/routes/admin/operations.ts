import { z } from "@hono/zod-openapi"
import { FEEDBACK_KINDS, STATUSES } from "../../../schema/vocabulary.ts"
import { RELEASE } from "../../../schema/wire/version.ts"
import { formatPrometheus } from "../../domain/admin/metrics.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, rounded, wholeNumberOr } from "../../http/fields.ts"
import { webhookUrl } from "../../http/input-fields.ts"
import { collectMetrics } from "../../services/admin/collect-metrics.ts"
import { reverify } from "../../services/lists/internal-jobs.ts"
import { readWebhookUrl } from "../../services/webhooks/publish-event.ts"
import { Settings } from "../../settings.ts"
import { VERSION } from "../fleet/health.ts"

const endpoint = endpointsOf("admin")

const reverifyStale = endpoint("admin", "POST /admin/reverify", {
  operationId: "reverify",
  summary: "Verify expired results again",
  description:
    "Starts a job that verifies expired results again, the oldest first. At the end, `webhook_url` receives reverify.completed with counts and no addresses. No account is charged.",
  query: z.object({
    status: z.enum(STATUSES).optional().openapi({ description: "Only results of this status", example: "unknown" }),
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Maximum number of results" }),
    webhook_url: webhookUrl().default(""),
  }),
  answer: z.object({
    status: z.enum(["queued", "nothing_to_do"]),
    job_id: z.string().nullable().openapi({
      description: "Read the job at GET /admin/jobs/{job_id}; it belongs to no account",
      example: "job_0123456789abcdef01234567",
    }),
    queued: z.int(),
  }),
  async handle(c) {
    const { status, limit, webhook_url } = c.req.valid("query")
    const webhookUrl = await readWebhookUrl(c.var.ctx, webhook_url)
    const { jobId, queued } = await reverify(c.var.ctx, { status, limit, webhookUrl })
    c.set("auditNote", { subject: jobId ?? "", details: { queued } })
    return { status: jobId ? ("queued" as const) : ("nothing_to_do" as const), job_id: jobId, queued }
  },
})

const domainIntel = endpoint("admin", "GET /admin/domain-intel/stats", {
  operationId: "domainIntelStats",
  summary: "Count known domains",
  description: "Counts the domains with stored facts, and those that were read on each of the last 30 days.",
  answer: z.object({
    domains: z.int().openapi({ description: "Domains with facts" }),
    looked_at_today: z.int(),
    looked_at_last_30_days: z.int(),
    daily: arrayOf({ date: z.string(), domains: z.int() }),
  }),
  async handle(c) {
    const { counters } = c.var.ctx.store
    const now = c.var.ctx.clock.now()
    const [rows, counts] = await Promise.all([counters.rows(), counters.since(dayOf(now - 29 * DAY_MS), now)])
    const facts = counts.filter(({ name }) => name === "facts")
    return {
      domains: rows.get("domains") ?? 0,
      looked_at_today: facts.find(({ day }) => day === dayOf(now))?.count ?? 0,
      looked_at_last_30_days: facts.reduce((total, { count }) => total + count, 0),
      daily: facts.map(({ day, count }) => ({ date: day, domains: count })),
    }
  },
})

const domainLearning = endpoint("admin", "GET /admin/domain-learning/stats", {
  operationId: "domainLearningStats",
  summary: "Count learned formats",
  description: "Counts the domains with learned formats, and the feedback on sent mail by kind.",
  answer: z.object({
    domains_with_formats: z.int(),
    top_formats: arrayOf({ domain: z.string(), format: z.string(), confidence: z.number(), sample_count: z.int() }),
    feedback: z.record(z.enum(FEEDBACK_KINDS), z.int()),
    feedback_total: z.int(),
  }),
  async handle(c) {
    const { formats, operator } = c.var.ctx.store
    const [learned, feedback] = await Promise.all([formats.list({ limit: 10, offset: 0 }), operator.feedbackCounts()])
    const of = (kind: (typeof FEEDBACK_KINDS)[number]) => feedback.find((one) => one.kind === kind)?.count ?? 0
    return {
      domains_with_formats: learned.total,
      top_formats: learned.formats.map(({ domain, format, confidence, sampleCount }) => ({
        domain,
        format,
        confidence: rounded(confidence),
        sample_count: sampleCount,
      })),
      feedback: Object.fromEntries(FEEDBACK_KINDS.map((kind) => [kind, of(kind)])) as Record<
        (typeof FEEDBACK_KINDS)[number],
        number
      >,
      feedback_total: feedback.reduce((total, { count }) => total + count, 0),
    }
  },
})

export const operationEndpoints: Endpoint[] = [reverifyStale, domainIntel, domainLearning]

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const metrics = endpoint("admin", "GET /admin/metrics", {
  operationId: "metrics",
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
  handle: async (c) => c.text(formatPrometheus(await collectMetrics(c.var.ctx)), 200, { "content-type": CONTENT_TYPE }),
})

export const metricsEndpoints: Endpoint[] = [metrics]

const settings = endpoint("admin", "GET /admin/settings", {
  operationId: "listSettings",
  summary: "List the settings",
  description: "Names each setting and says whether it is set. Values are never shown, because many are secrets.",
  answer: z.object({
    version: z.string().openapi({ description: "Of the API", example: VERSION }),
    client_address: z
      .string()
      .nullable()
      .openapi({
        description:
          "The address that this call came from, as the header of CLIENT_IP_HEADER states it. Null: no header is " +
          "trusted, or the proxy does not set it",
        example: "203.0.113.5",
      }),
    release: z.string().openapi({ description: "Of the software that runs here", example: RELEASE }),
    settings: arrayOf({
      name: z.string().openapi({ example: "MAIL_API_URL" }),
      given: z.boolean().openapi({ description: "False: the default is in force, or the feature is off" }),
    }),
  }),
  handle(c) {
    const given = new Set(c.var.ctx.config.givenSettings)
    const names = Object.keys(Settings.shape).sort()
    const list = names.map((name) => ({ name, given: given.has(name) }))
    const client_address = clientIpOf(c) ?? null
    return { version: VERSION, release: RELEASE, client_address, settings: list }
  },
})

export const settingsEndpoints: Endpoint[] = [settings]
