import { z } from "@hono/zod-openapi"
import { mlScore, nullReasons } from "../../domain/verification/checks.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { share } from "../../http/fields.ts"
import { round } from "../../http/round.ts"
import { NullReasons } from "./checks.ts"

/** The strongest features explain most of a prediction. */
const SHOWN = 6

export const ModelExplanation = z
  .object({
    version: z.int().openapi({ description: "Version of the model; 0 is the prior, with preset weights" }),
    is_prior: z.boolean(),
    probability: share.openapi({ description: "Probability that mail to the address arrives" }),
    adjustment: z.int().min(-20).max(20).openapi({ description: "Points that the model adds to the score" }),
    bias: z.number().openapi({ description: "Natural log-odds before any feature" }),
    contributions: z
      .array(
        z.object({
          feature: z.string().openapi({ example: "accept_all_realism" }),
          value: z.number(),
          log_odds: z.number().openapi({ description: "Natural log-odds it adds" }),
        }),
      )
      .openapi({ description: "The features with their effect, the strongest first" }),
  })
  .openapi("ModelExplanation")

export const Enrichment = z
  .object({
    ml: z.union([ModelExplanation, z.null()]),
    activity_score: z.int().min(0).max(100).nullable(),
    null_reasons: NullReasons,
  })
  .openapi("Enrichment", { description: "With enrich=true: the model's prediction and the activity of the address" })

export function presentModel(verification: Verification): z.infer<typeof ModelExplanation> | null {
  const { prediction, score } = verification
  if (!prediction) return null
  return {
    version: prediction.version,
    is_prior: prediction.version === 0,
    probability: mlScore(verification)!,
    adjustment: score.breakdown.mlAdjustment,
    bias: round(prediction.bias),
    contributions: prediction.contributions
      .slice(0, SHOWN)
      .map(({ feature, value, logOdds }) => ({ feature, value: round(value), log_odds: round(logOdds) })),
  }
}

export function presentEnrichment(verification: Verification): z.infer<typeof Enrichment> {
  const found = { ml: presentModel(verification), activity_score: verification.activityScore ?? null }
  return { ...found, null_reasons: nullReasons(found, verification) }
}
