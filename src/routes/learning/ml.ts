import { createRoute, z } from "@hono/zod-openapi"
import { MODEL_KINDS, type ModelKind } from "../../../schema/vocabulary.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumber, wholeNumberOr } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { findStats, rollBack, startTraining } from "../../services/learning/training.ts"
import { benchmarkEndpoints } from "./benchmark.ts"
import {
  ModelStats,
  ModelStatsV2,
  presentStats,
  presentStatsV2,
  presentTraining,
  Training,
} from "./present-learning.ts"

const MIN_SAMPLES = 1_000

const TrainQuery = z.object({
  min_samples: wholeNumberOr(MIN_SAMPLES, {
    min: 1,
    max: 1_000_000,
    description: "Refuses the training with fewer samples",
  }),
})

function training(path: `/${string}`, { kind, operationId }: { kind: ModelKind; operationId: string }): Endpoint {
  return endpoint(
    "admin",
    createRoute({
      method: "post",
      path,
      operationId,
      tags: ["learning"],
      summary: kind === "catch_all" ? "Train the catch-all classifier" : "Train the deliverability model",
      description:
        "Trains on the feedback of all accounts, in the background. Refuses a model that is worse than the current one on the latest samples, or that a single account could bias. The statistics show the progress.",
      request: { query: TrainQuery },
      responses: { 200: ok(Training) },
    }),
    async (c) => {
      const { min_samples: minSamples } = c.req.valid("query")
      return c.json(presentTraining(await startTraining(c.var.ctx, { kind, minSamples })), 200)
    },
  )
}

const stats = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/ml/stats",
    operationId: "mlStats",
    tags: ["learning"],
    summary: "Get the model's quality",
    description:
      "Returns how good the current model is, and how much feedback it learned from. `samples` are verdicts with a known outcome.",
    responses: { 200: ok(ModelStats) },
  }),
  async (c) => c.json(presentStats(await findStats(c.var.ctx, "deliverability")), 200),
)

function detailed(path: `/${string}`, { kind, operationId }: { kind: ModelKind; operationId: string }): Endpoint {
  return endpoint(
    "key-or-admin",
    createRoute({
      method: "get",
      path,
      operationId,
      tags: ["learning"],
      summary:
        kind === "catch_all" ? "Get the catch-all classifier in detail" : "Get the deliverability model in detail",
      description:
        "Returns the calibration of the model in use with its intervals, the results by mail operator, the weights and the versions. Free.",
      responses: { 200: ok(ModelStatsV2) },
    }),
    async (c) => c.json(presentStatsV2(await findStats(c.var.ctx, kind)), 200),
  )
}

const RolledBack = z
  .object({ model: z.enum(MODEL_KINDS), from_version: z.int(), to_version: z.int() })
  .openapi("RolledBack")

const rollback = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/ml/rollback",
    operationId: "mlRollback",
    tags: ["learning"],
    summary: "Roll back a model",
    description:
      "Returns to an older version of a model. It is active everywhere within a minute. Version 0 is the prior with preset weights.",
    request: {
      query: z.object({
        model: z.enum(MODEL_KINDS).default("deliverability"),
        version: wholeNumber({
          min: 0,
          max: 999_999,
          description: "0 is the prior; the previous version by default",
        }).optional(),
      }),
    },
    responses: { 200: ok(RolledBack), ...problem(404) },
  }),
  async (c) => {
    const { model: kind, version } = c.req.valid("query")
    const { from, to } = await rollBack(c.var.ctx, { kind, version })
    return c.json({ model: kind, from_version: from, to_version: to }, 200)
  },
)

export const mlEndpoints: Endpoint[] = [
  training("/ml/train", { kind: "deliverability", operationId: "mlTrain" }),
  stats,
  detailed("/ml/stats/v2", { kind: "deliverability", operationId: "mlStatsV2" }),
  rollback,
]

export const catchAllClassifierEndpoints: Endpoint[] = [
  detailed("/catchall-classifier/stats", { kind: "catch_all", operationId: "catchAllClassifierStats" }),
  training("/catchall-classifier/train", { kind: "catch_all", operationId: "catchAllClassifierTrain" }),
]

export const LEARNING_ENDPOINTS: readonly Endpoint[] = [
  ...mlEndpoints,
  ...catchAllClassifierEndpoints,
  ...benchmarkEndpoints,
]
