import { createRoute, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { accuracyOf } from "../../domain/feedback/accuracy.ts"
import { type AppEnv, type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email, json } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { AccuracyStats, presentAccuracy } from "../../http/present/feedback.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { countWrite } from "../../services/accounts/count-write.ts"
import { recordFeedback } from "../../services/feedback/record-feedback.ts"

export const FeedbackAnswer = z
  .object({
    status: z.enum(["recorded", "known"]).openapi({ description: "`known`: the same fact had been reported today" }),
    message: z.string(),
  })
  .openapi("FeedbackAnswer")

export function presentRecorded(isNew: boolean, message: string): z.infer<typeof FeedbackAnswer> {
  return { status: isNew ? "recorded" : "known", message }
}

/** Writes one fact down for the caller's account. @returns whether it was new */
async function recordOne(c: Context<AppEnv>, given: string, kind: FeedbackKind): Promise<boolean> {
  countWrite(c.var.deps, c.var.caller)
  const fact = { address: wellFormed(given), kind, source: "api", code: null, at: null, id: null }
  const { accountId } = member(c)
  const { fresh } = await recordFeedback(c.var.deps, { accountId, facts: [fact], origin: "caller" })
  return fresh > 0
}

interface Simple {
  readonly path: string
  readonly operationId: string
  readonly kind: FeedbackKind
  readonly summary: string
  readonly message: string
}

/** An endpoint that takes an address and writes down one thing that happened to mail. */
function reporting({ path, operationId, kind, summary, message }: Simple): Endpoint {
  return endpoint(
    "key",
    createRoute({
      method: "post",
      path,
      operationId,
      tags: ["feedback"],
      summary,
      request: { query: z.object({ email: email() }) },
      responses: { 200: ok(FeedbackAnswer), ...problem(400) },
    }),
    async (c) => c.json(presentRecorded(await recordOne(c, c.req.valid("query").email, kind), message), 200),
  )
}

const report = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/feedback/report",
    operationId: "reportVerdict",
    tags: ["feedback"],
    summary: "Say whether a verdict was right",
    request: {
      body: json(
        z.object({
          email: email(),
          correct: z.boolean().openapi({ description: "Whether what we said about the address was right" }),
        }),
      ),
    },
    responses: { 200: ok(FeedbackAnswer), ...problem(400) },
  }),
  async (c) => {
    const { email, correct } = c.req.valid("json")
    const isNew = await recordOne(c, email, correct ? "report_correct" : "report_incorrect")
    return c.json(presentRecorded(isNew, "thank you; the model learns from it"), 200)
  },
)

const accuracy = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/feedback/accuracy",
    operationId: "feedbackAccuracy",
    tags: ["feedback"],
    summary: "How often verdicts were borne out by the account's mail",
    responses: { 200: ok(AccuracyStats) },
  }),
  async (c) => {
    const counts = await c.var.deps.feedback.counts(member(c).accountId)
    return c.json(presentAccuracy(accuracyOf(counts), counts), 200)
  },
)

const simple: readonly Simple[] = [
  {
    path: "/delivered",
    operationId: "reportDelivered",
    kind: "delivered",
    summary: "Report that mail to an address was delivered",
    message: "recorded as delivered",
  },
  {
    path: "/feedback/opened",
    operationId: "reportOpened",
    kind: "opened",
    summary: "Report that mail to an address was opened",
    message: "recorded as opened",
  },
  {
    path: "/feedback/clicked",
    operationId: "reportClicked",
    kind: "clicked",
    summary: "Report that a link in mail to an address was clicked",
    message: "recorded as clicked",
  },
]

export const engagementEndpoints: Endpoint[] = [...simple.map(reporting), report, accuracy]
