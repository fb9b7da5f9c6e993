import { z } from "@hono/zod-openapi"
import type { Verification } from "../../domain/verdict/verification.ts"
import { share } from "../fields.ts"
import { mlScore } from "./checks.ts"
import { round } from "./round.ts"

/** The strongest are most of the story. */
const SHOWN = 6

export const ModelExplanation = z
  .object({
    version: z.int().openapi({ description: "Of the model; 0 is the prior, whose weights were set by hand" }),
    is_prior: z.boolean(),
    probability: share.openapi({ description: "That mail to the address arrives" }),
    adjustment: z.int().min(-20).max(20).openapi({ description: "Points it moved the score by" }),
    bias: z.number().openapi({ description: "Natural log-odds before any feature" }),
    contributions: z
      .array(
        z.object({
          feature: z.string().openapi({ example: "accept_all_realism" }),
          value: z.number(),
          log_odds: z.number().openapi({ description: "Natural log-odds it adds" }),
        }),
      )
      .openapi({ description: "What speaks for and against, the strongest first" }),
  })
  .openapi("ModelExplanation")

export const Enrichment = z
  .object({
    ml: z.union([ModelExplanation, z.null()]).openapi({ description: "Null for a malformed address" }),
    activity_score: z.int().min(0).max(100).nullable().openapi({ description: "Null when nothing is known" }),
  })
  .openapi("Enrichment", { description: "With enrich=true: what the model makes of the address, and its activity" })

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
  return { ml: presentModel(verification), activity_score: verification.activityScore ?? null }
}
