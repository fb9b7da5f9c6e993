import type { z } from "@hono/zod-openapi"
import type { ModelStatsV2 } from "../../../src/routes/learning/present-learning.ts"

const METRICS = {
  samples: 1_412,
  base_rate: 0.83,
  auc: 0.914,
  brier: 0.081,
  log_loss: 0.27,
  calibration_error: 0.021,
}

/** Observed shares of ten bins, close to the predictions. */
const OBSERVED = [0.07, 0.12, 0.28, 0.33, 0.49, 0.52, 0.68, 0.74, 0.87, 0.97]

/** The statistics of a trained model in the service's format. */
export function learnedStats(): z.infer<typeof ModelStatsV2> {
  return {
    model: {
      kind: "deliverability",
      version: 3,
      is_prior: false,
      algorithm: "logistic regression",
      features: 12,
      trained_at: "2026-11-20T02:00:00.000Z",
    },
    samples: { used: 7_060, arrived: 5_860, bounced: 1_200, accounts: 41 },
    facts_available: 7_204,
    metrics: METRICS,
    prior_metrics: { ...METRICS, auc: 0.861, brier: 0.112 },
    training: null,
    limits: { max_adjustment: 20, max_account_share: 0.2, max_account_influence_points: 5 },
    calibration: OBSERVED.map((observed, i) => ({
      from: i / 10,
      to: (i + 1) / 10,
      samples: 40 + 30 * i,
      predicted: i / 10 + 0.05,
      observed,
      low: Math.max(0, observed - 0.12 + i / 100),
      high: Math.min(1, observed + 0.12 - i / 100),
    })),
    by_operator: [
      { operator: "google", metrics: METRICS },
      { operator: "microsoft", metrics: { ...METRICS, samples: 640, auc: null } },
    ],
    bounce_by_score: [0, 20, 40, 60, 80].map((from, i) => ({
      operator: null,
      score_from: from,
      score_to: from + 20,
      samples: 300,
      bounced: 240 - i * 58,
      bounce_rate: 0.8 - i * 0.19,
      low: Math.max(0, 0.75 - i * 0.19),
      high: 0.85 - i * 0.19,
    })),
    largest_account: { share: 0.18, influence_points: 3.2 },
    weights: [
      { feature: "accepted", weight: 2.31, prior: 2 },
      { feature: "rejected", weight: -3.4, prior: -3 },
      { feature: "accept_all_realism", weight: 0.84, prior: 0.5 },
      { feature: "is_role", weight: -0.22, prior: -0.3 },
    ],
    versions: [3, 2, 1].map((version) => ({
      version,
      trained_at: `2026-11-${10 + version}T02:00:00.000Z`,
      samples: 1_000 + version * 2_000,
      metrics: METRICS,
      in_use: version === 3,
    })),
  }
}
