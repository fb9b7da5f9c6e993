import { z } from "@hono/zod-openapi"
import { MODEL_KINDS, type ModelKind } from "../../../schema/vocabulary.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component, wholeNumber, wholeNumberOr } from "../../http/fields.ts"
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

const endpoint = endpointsOf("learning")

const MIN_SAMPLES = 1_000

const TrainQuery = z.object({
  min_samples: wholeNumberOr(MIN_SAMPLES, {
    min: 1,
    max: 1_000_000,
    description: "Refuses the training with fewer samples",
  }),
})

function training(path: `/${string}`, { kind, operationId }: { kind: ModelKind; operationId: string }): Endpoint {
  return endpoint("admin", `POST ${path}`, {
    operationId,
    summary: kind === "catch_all" ? "Train the catch-all classifier" : "Train the deliverability model",
    description:
      "Trains on the feedback of all accounts, in the background. Refuses a model that is worse than the current one on the latest samples, or that a single account could bias. The statistics show the progress.",
    query: TrainQuery,
    answer: Training,
    async handle(c) {
      return presentTraining(await startTraining(c.var.ctx, { kind, minSamples: c.req.valid("query").min_samples }))
    },
  })
}

const stats = endpoint("key-or-admin", "GET /ml/stats", {
  operationId: "mlStats",
  summary: "Get the model's quality",
  description:
    "Returns how good the current model is, and how much feedback it learned from. `samples` are verdicts with a known outcome.",
  answer: ModelStats,
  handle: async (c) => presentStats(await findStats(c.var.ctx, "deliverability")),
})

function detailed(path: `/${string}`, { kind, operationId }: { kind: ModelKind; operationId: string }): Endpoint {
  return endpoint("key-or-admin", `GET ${path}`, {
    operationId,
    summary: kind === "catch_all" ? "Get the catch-all classifier in detail" : "Get the deliverability model in detail",
    description:
      "Returns the calibration of the model in use with its intervals, the results by mail operator, the weights and the versions. Free.",
    answer: ModelStatsV2,
    handle: async (c) => presentStatsV2(await findStats(c.var.ctx, kind)),
  })
}

const rollback = endpoint("admin", "POST /ml/rollback", {
  operationId: "mlRollback",
  summary: "Roll back a model",
  description:
    "Returns to an older version of a model. It is active everywhere within a minute. Version 0 is the prior with preset weights.",
  query: z.object({
    model: z.enum(MODEL_KINDS).default("deliverability").openapi({ description: "The model" }),
    version: wholeNumber({
      min: 0,
      max: 999_999,
      description: "0 is the prior; the previous version by default",
    }).optional(),
  }),
  answer: component("RolledBack", { model: z.enum(MODEL_KINDS), from_version: z.int(), to_version: z.int() }),
  problems: [404],
  async handle(c) {
    const { model: kind, version } = c.req.valid("query")
    const { from, to } = await rollBack(c.var.ctx, { kind, version })
    return { model: kind, from_version: from, to_version: to }
  },
})

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
