import { z } from "@hono/zod-openapi"
import { MODEL_KINDS, TRAINING_REFUSALS, TRAINING_STATES } from "../../../schema/vocabulary.ts"
import type { StoredModel, TrainingRun } from "../../adapters/store/learning/models.ts"
import { MAX_ACCOUNT_SHARE } from "../../domain/learning/account-weights.ts"
import { FEATURES } from "../../domain/learning/features.ts"
import { PRIOR_MODELS } from "../../domain/learning/model.ts"
import { MAX_INFLUENCE_POINTS } from "../../domain/learning/train.ts"
import type { Metrics } from "../../domain/learning/training-report.ts"
import { iso } from "../../domain/time.ts"
import { MAX_ADJUSTMENT } from "../../domain/verification/score.ts"
import { arrayOf, component, round, share } from "../../http/fields.ts"
import type { LearningStats } from "../../services/learning/training.ts"

const moment = () => z.iso.datetime().nullable()

const ModelMetrics = component("ModelMetrics", "On the latest samples, which are not part of the training", {
  samples: z.int(),
  base_rate: share.openapi({ description: "Share of the samples whose mail arrived" }),
  auc: share.nullable().openapi({ description: "Area under the ROC curve; null without both outcomes" }),
  brier: share,
  log_loss: z.number().min(0),
  calibration_error: share.openapi({ description: "Mean distance of predicted and observed shares, over ten bins" }),
})

export const Training = component("Training", {
  run_id: z.string(),
  model: z.enum(MODEL_KINDS),
  status: z.enum(TRAINING_STATES),
  reason: z.enum(TRAINING_REFUSALS).nullable().openapi({ description: "Why there is no new model" }),
  progress: z.int().min(0).max(100),
  min_samples: z.int(),
  samples: z.int().nullable(),
  version: z.int().nullable().openapi({ description: "Version of the new model, in use from then on" }),
  metrics: z.union([ModelMetrics, z.null()]),
  current_metrics: z.union([ModelMetrics, z.null()]).openapi({
    description: "The current model on the same samples",
  }),
  created_at: z.iso.datetime(),
  finished_at: moment(),
})

export const ModelStats = component("ModelStats", {
  model: z.object({
    kind: z.enum(MODEL_KINDS),
    version: z.int(),
    is_prior: z.boolean().openapi({ description: "Preset weights, not yet trained on outcomes" }),
    algorithm: z.literal("logistic regression"),
    features: z.int(),
    trained_at: moment(),
  }),
  samples: z
    .object({ used: z.int(), arrived: z.int(), bounced: z.int(), accounts: z.int() })
    .nullable()
    .openapi({ description: "What the model was trained on; null for the prior" }),
  facts_available: z.int().openapi({ description: "Reports available for training, counted up to 60,000" }),
  metrics: z.union([ModelMetrics, z.null()]).openapi({ description: "Null for the prior, which was never measured" }),
  prior_metrics: z.union([ModelMetrics, z.null()]).openapi({ description: "The prior on the same samples" }),
  training: z.union([Training, z.null()]).openapi({ description: "The latest run, running or finished" }),
  limits: z.object({
    max_adjustment: z.int(),
    max_account_share: share,
    max_account_influence_points: z.int(),
  }),
})

export const ModelStatsV2 = ModelStats.extend({
  calibration: arrayOf({
    from: share,
    to: share,
    samples: z.int(),
    predicted: share,
    observed: share,
    low: share,
    high: share,
  }).openapi({ description: "Predicted and observed shares, with a 95 % Wilson interval" }),
  by_operator: arrayOf({ operator: z.string(), metrics: ModelMetrics }),
  bounce_by_score: arrayOf({
    operator: z.string().nullable().openapi({ description: "Null for all operators" }),
    score_from: z.int(),
    score_to: z.int(),
    samples: z.int(),
    bounced: z.int(),
    bounce_rate: share,
    low: share,
    high: share,
  }).openapi({ description: "Bounces by the score of the rules alone; from 50 samples on" }),
  largest_account: z.object({ share, influence_points: z.number() }).nullable(),
  weights: arrayOf({ feature: z.string(), weight: z.number(), prior: z.number() }),
  versions: arrayOf({
    version: z.int(),
    trained_at: moment(),
    samples: z.int(),
    metrics: ModelMetrics,
    in_use: z.boolean(),
  }).openapi({ description: "Newest first" }),
}).openapi("ModelStatsV2")

export function presentTraining(run: TrainingRun): z.infer<typeof Training> {
  return {
    run_id: run.runId,
    model: run.kind,
    status: run.state,
    reason: run.reason,
    progress: run.progress,
    min_samples: run.minSamples,
    samples: run.samples,
    version: run.version,
    metrics: run.report && presentMetrics(run.report.heldOut),
    current_metrics: run.report && presentMetrics(run.report.current),
    created_at: iso(run.createdAt),
    finished_at: iso(run.finishedAt),
  }
}

export function presentStats(stats: LearningStats): z.infer<typeof ModelStats> {
  const { model, report, facts, training } = stats
  return {
    model: {
      kind: model.kind,
      version: model.version,
      is_prior: model.version === 0,
      algorithm: "logistic regression",
      features: FEATURES.length,
      trained_at: iso(model.trainedAt),
    },
    samples: report && {
      used: report.samples,
      arrived: report.arrived,
      bounced: report.bounced,
      accounts: report.accounts,
    },
    facts_available: facts,
    metrics: report && presentMetrics(report.heldOut),
    prior_metrics: report && presentMetrics(report.prior),
    training: training && presentTraining(training),
    limits: {
      max_adjustment: MAX_ADJUSTMENT,
      max_account_share: MAX_ACCOUNT_SHARE,
      max_account_influence_points: MAX_INFLUENCE_POINTS,
    },
  }
}

export function presentStatsV2(stats: LearningStats): z.infer<typeof ModelStatsV2> {
  const { model, report, versions } = stats
  const prior = PRIOR_MODELS[model.kind]
  return {
    ...presentStats(stats),
    calibration: (report?.calibration ?? []).map(({ from, to, samples, ...means }) => ({
      from,
      to,
      samples,
      predicted: round(means.predicted, 4),
      observed: round(means.observed, 4),
      low: round(means.low, 4),
      high: round(means.high, 4),
    })),
    by_operator: (report?.byOperator ?? []).map(({ operator, metrics }) => ({
      operator,
      metrics: presentMetrics(metrics),
    })),
    bounce_by_score: (report?.byScore ?? []).map(({ operator, from, to, samples, bounced, low, high }) => ({
      operator,
      score_from: from,
      score_to: to,
      samples,
      bounced,
      bounce_rate: round(bounced / samples, 4),
      low: round(low, 4),
      high: round(high, 4),
    })),
    largest_account: report && {
      share: round(report.largestShare, 4),
      influence_points: round(report.largestInfluence, 4),
    },
    weights: FEATURES.map((feature) => ({
      feature,
      weight: model.weights[feature] ?? 0,
      prior: prior.weights[feature] ?? 0,
    })),
    versions: versions.map((stored) => presentVersion(stored, model.version)),
  }
}

function presentVersion({ model, report }: StoredModel, inUse: number) {
  return {
    version: model.version,
    trained_at: iso(model.trainedAt),
    samples: report.samples,
    metrics: presentMetrics(report.heldOut),
    in_use: model.version === inUse,
  }
}

function presentMetrics(metrics: Metrics): z.infer<typeof ModelMetrics> {
  return {
    samples: metrics.samples,
    base_rate: round(metrics.baseRate, 4),
    auc: round(metrics.auc, 4),
    brier: round(metrics.brier, 4),
    log_loss: round(metrics.logLoss, 4),
    calibration_error: round(metrics.calibrationError, 4),
  }
}
