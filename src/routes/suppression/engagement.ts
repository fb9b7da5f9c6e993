import { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { type AppEnv, type Endpoint, endpointsOf, member, type OperationTexts } from "../../http/endpoint.ts"
import { component, repaired, wellFormed } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { findAccuracy, type JudgedVerdict, recordFeedback } from "../../services/suppression/feedback.ts"
import { AccuracyStats, Judged, presentAccuracy, presentJudged, withJudged } from "./present-feedback.ts"

const endpoint = endpointsOf("feedback")

export const FeedbackAnswer = component("FeedbackAnswer", {
  status: z.enum(["recorded", "known"]).openapi({ description: "`known`: the same fact was already reported today" }),
  message: z.string(),
  judged: Judged,
  repaired: repaired(),
})

interface Recorded {
  readonly address: ValidAddress
  readonly isNew: boolean
  /** Null for an address that was never verified. */
  readonly judged: JudgedVerdict | null | undefined
}

export function presentRecorded({ address, isNew, judged }: Recorded, message: string): z.infer<typeof FeedbackAnswer> {
  return {
    status: isNew ? "recorded" : "known",
    message: withJudged(message, judged),
    judged: presentJudged(judged),
    repaired: [...address.repaired],
  }
}

/** Records one fact for the caller's account. */
async function recordOne(c: Context<AppEnv>, given: string, kind: FeedbackKind): Promise<Recorded> {
  await countFreeWork(c.var.ctx, "writes", c.var.caller)
  const address = wellFormed(given)
  const fact = { address, kind, source: "api", code: null, at: null, id: null }
  const { accountId } = member(c)
  const { fresh, judged } = await recordFeedback(c.var.ctx, { accountId, facts: [fact], origin: "caller" })
  return { address, isNew: fresh > 0, judged: judged[0] }
}

interface Simple extends OperationTexts {
  readonly path: `/${string}`
  readonly kind: FeedbackKind
  readonly message: string
}

/** An endpoint that records one mail event for an address. */
function reporting({ path, kind, message, ...texts }: Simple): Endpoint {
  return endpoint("key", `POST ${path}`, {
    ...texts,
    query: z.object({ email: mailbox() }),
    answer: FeedbackAnswer,
    problems: [400],
    handle: async (c) => presentRecorded(await recordOne(c, c.req.valid("query").email, kind), message),
  })
}

const report = endpoint("key", "POST /feedback/report", {
  operationId: "reportVerdict",
  summary: "Report a verdict as right or wrong",
  description:
    "Records whether the newest verdict for an address was correct. `judged` shows the verdict, or null without one.",
  json: z.object({
    email: mailbox(),
    correct: z.boolean().openapi({ description: "Whether the verdict about the address was right" }),
  }),
  answer: FeedbackAnswer,
  problems: [400],
  async handle(c) {
    const { email, correct } = c.req.valid("json")
    const recorded = await recordOne(c, email, correct ? "report_correct" : "report_incorrect")
    return presentRecorded(recorded, "recorded, thank you")
  },
})

const accuracy = endpoint("key", "GET /feedback/accuracy", {
  operationId: "feedbackAccuracy",
  summary: "Get the accuracy",
  description:
    "Says how often the account's mail confirmed the verdicts. Counts verdicts, not events. The latest decisive event about a verdict decides its outcome: a delivery, open, click, received mail, complaint or unsubscribe shows that the mailbox exists, and a hard bounce that it does not. A report of /feedback/report decides too.",
  answer: AccuracyStats,
  handle: async (c) => presentAccuracy(await findAccuracy(c.var.ctx, member(c).accountId)),
})

const simple: readonly Simple[] = [
  {
    path: "/delivered",
    operationId: "reportDelivered",
    kind: "delivered",
    summary: "Report a delivery",
    description: "Records that a mail to the address was delivered. It confirms the verdict and improves the models.",
    message: "recorded as delivered",
  },
  {
    path: "/feedback/opened",
    operationId: "reportOpened",
    kind: "opened",
    summary: "Report an open",
    description:
      "Records that a mail to the address was opened. A verdict that a delivery confirmed does not count again.",
    message: "recorded as opened",
  },
  {
    path: "/feedback/clicked",
    operationId: "reportClicked",
    kind: "clicked",
    summary: "Report a click",
    description:
      "Records that a link in a mail to the address was clicked. A verdict that a delivery confirmed does not count again.",
    message: "recorded as clicked",
  },
]

export const engagementEndpoints: Endpoint[] = [...simple.map(reporting), report, accuracy]
