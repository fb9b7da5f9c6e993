import { z } from "@hono/zod-openapi"
import { ledgerOf, ruleWords } from "../../domain/verification/ledger.ts"
import { transcriptOf } from "../../domain/verification/transcript.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { ModelExplanation, presentModel } from "./present-enrichment.ts"

const ExplainedReply = z.object({ code: z.int(), enhanced: z.string().nullable(), text: z.string(), ms: z.number() })

export const Explanation = z
  .object({
    ledger: z
      .array(
        z.object({
          phase: z.enum(["syntax", "lists", "domain", "mailbox", "signals", "verdict", "score"]),
          fact: z.string().openapi({ example: "rcpt" }),
          value: z.string().nullable().openapi({ description: "Null when unknown" }),
          reply: z.union([ExplainedReply, z.null()]),
          rule: z.string().nullable().openapi({ example: "reply.accepted" }),
          means: z.string().nullable().openapi({
            description: "What the rule means, in a sentence; null without a rule",
            example: "The server accepted the recipient (code 250, 251 or 252).",
          }),
          points: z.int(),
          node: z.string().nullable(),
          age_seconds: z.int().nullable().openapi({ description: "Seconds since it was found; null if computed now" }),
        }),
      )
      .openapi({ description: "Every fact in the order it was found; the points add up to the score" }),
    transcript: z
      .array(z.object({ from: z.enum(["client", "server"]), text: z.string(), ms: z.number().nullable() }))
      .openapi({ description: "The SMTP transcript; the random recipient and other people's addresses are masked" }),
    model: z.union([ModelExplanation, z.null()]).openapi({ description: "With enrich=true: the model's features" }),
  })
  .openapi("Explanation", { description: "How a verification reached its verdict" })

/** @param now Unix milliseconds, for the age of the facts */
export function presentExplanation(verification: Verification, now: number): z.infer<typeof Explanation> {
  return {
    ledger: ledgerOf(verification).map(({ foundAt, ...entry }) => ({
      ...entry,
      means: entry.rule === null ? null : ruleWords(entry.rule),
      age_seconds: foundAt === null ? null : Math.max(0, Math.round((now - foundAt) / 1_000)),
    })),
    transcript: transcriptOf(verification.evidence),
    model: presentModel(verification),
  }
}
