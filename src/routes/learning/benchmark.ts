import { createRoute, z } from "@hono/zod-openapi"
import { STATUSES, type Status } from "../../../schema/vocabulary.ts"
import { type Endpoint, endpoint, withBody, withCosts } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok, problem } from "../../http/responses.ts"
import { findBenchmark } from "../../services/learning/find-benchmark.ts"
import { runBenchmark } from "../../services/learning/run-benchmark.ts"
import { BenchmarkReport, presentBenchmark } from "./present-benchmark.ts"

const MAX_ADDRESSES = 10_000
const MAX_BODY_BYTES = 8_000_000

/** Status words of the API's other variants. */
const ALIASES = {
  catch_all: "accept_all",
  risky: "accept_all",
  deliverable: "valid",
  undeliverable: "invalid",
} as const satisfies Record<string, Status>
const EXPECTED = [...STATUSES, ...(Object.keys(ALIASES) as (keyof typeof ALIASES)[])] as const

const run = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/benchmark/run",
    operationId: "runBenchmark",
    tags: ["learning"],
    summary: "Run a benchmark",
    description:
      "Verifies addresses of known status and compares the results. More than 100 addresses run as a job. Up to 100 addresses are verified without stored results, and each entry is charged. A job uses fresh stored results at no cost; `timing.cached` counts them.",
    request: {
      body: json(
        z.object({
          test_emails: z
            .array(
              z.object({
                email: z.string().max(1_000).openapi({ example: "alice@mailbox.test" }),
                expected_status: z.enum(EXPECTED).openapi({ example: "valid" }),
                notes: z.string().max(500).nullish().openapi({ example: "our own mailbox" }),
              }),
            )
            .min(1)
            .max(MAX_ADDRESSES),
        }),
      ),
    },
    responses: { 200: ok(BenchmarkReport), ...problem(402) },
  }),
  async (c) => {
    const { test_emails } = c.req.valid("json")
    const expected = test_emails.map(({ email, expected_status: word, notes = null }) => ({
      email,
      status: word in ALIASES ? ALIASES[word as keyof typeof ALIASES] : (word as Status),
      notes,
    }))
    const benchmark = await runBenchmark(c.var.ctx, c.var.meter, { caller: member(c), expected })
    const isOver = benchmark.report !== null
    const state = isOver ? ("complete" as const) : ("running" as const)
    return c.json(presentBenchmark({ benchmark, state, done: isOver ? expected.length : 0 }), 200)
  },
)

const report = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/benchmark/report/{benchmark_id}",
    operationId: "benchmarkReport",
    tags: ["learning"],
    summary: "Get a benchmark",
    description:
      "Returns accuracy, precision and recall by status, and the entries that differ. `report` is null while the job runs.",
    request: {
      params: z.object({
        benchmark_id: z.string().min(1).max(100).openapi({ example: "bench_0123456789abcdef01234567" }),
      }),
    },
    responses: { 200: ok(BenchmarkReport), ...problem(404) },
  }),
  async (c) => {
    const { benchmark_id: benchmarkId } = c.req.valid("param")
    const { accountId } = member(c)
    return c.json(presentBenchmark(await findBenchmark(c.var.ctx, { benchmarkId, accountId })), 200)
  },
)

export const benchmarkEndpoints: Endpoint[] = [withCosts(withBody(run, { maxBytes: MAX_BODY_BYTES })), report]
