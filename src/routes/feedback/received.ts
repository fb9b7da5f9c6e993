import { createRoute, z } from "@hono/zod-openapi"
import { counted } from "../../domain/counted.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email, json, orElse, repairedCount } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { recordReceived, type Sender } from "../../services/feedback/record-received.ts"
import { FeedbackAnswer, presentRecorded } from "./engagement.ts"

/** Limited, because each address is an edge write before the response. */
const MAX_BATCH = 1_000
const Source = z.string().trim().min(1).max(100).openapi({ description: "Where the mail was seen" })

const received = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/received",
    operationId: "reportReceived",
    tags: ["feedback"],
    summary: "Report received mail",
    description:
      "Records that the address sent you mail, which proves its mailbox. Its score rises by 25 points for your account, also at a catch-all domain.",
    request: { query: z.object({ email: email(), source: Source.default("inbox") }) },
    responses: { 200: ok(FeedbackAnswer), ...problem(400) },
  }),
  async (c) => {
    const { email, source } = c.req.valid("query")
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(email)
    const senders = [{ email: address.normalized, receivedAt: null }]
    const { fresh, judged } = await recordReceived(c.var.ctx, { accountId: member(c).accountId, senders, source })
    const message = "confirmed as received; its score is 25 points higher for your account"
    return c.json(presentRecorded({ address, isNew: fresh > 0, judged: judged[0] }, message), 200)
  },
)

const list = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(MAX_BATCH)
const ReceivedBody = z
  .object({
    emails: list(z.string())
      .nullish()
      .openapi({ example: ["alice@mailbox.test"] }),
    senders: list(
      z.object({
        email: z.string(),
        received_at: z
          .union([z.string().max(100), z.number()])
          .nullish()
          .openapi({
            description: "ISO 8601, Unix time, or a date in words",
            example: "Tue, 3 Nov 2026 09:15:00 +0100",
          }),
        subject: z.string().max(2_000).nullish().openapi({ description: "Not stored" }),
      }),
    ).nullish(),
    source: orElse(Source, "inbox"),
  })
  .refine(({ emails, senders }) => (emails == null) !== (senders == null), {
    error: "needs either emails or senders",
  })
  .openapi("ReceivedBatch", { example: { emails: ["alice@mailbox.test"], source: "inbox" } })

const ReceivedAnswer = z
  .object({
    status: z.literal("recorded"),
    processed: z.int(),
    recorded: z.int(),
    repaired: repairedCount(),
    score_boosts_applied: z.int().openapi({ description: "Distinct addresses with a higher score from now on" }),
    domain_inbox_stats: z
      .record(z.string(), z.int())
      .openapi({ description: "Mail received from each domain of the batch, so far", example: { "mailbox.test": 12 } }),
    without_verdict: z.int().openapi({
      description: "Processed entries whose address was never verified: they had no verdict to judge",
    }),
    rejected: z.array(z.object({ index: z.int(), reason: z.string() })),
    message: z.string(),
  })
  .openapi("ReceivedAnswer")

const batch = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/received/batch",
    operationId: "reportReceivedBatch",
    tags: ["feedback"],
    summary: "Report received mail in a batch",
    description: `Records up to ${MAX_BATCH} addresses that sent you mail. \`rejected\` names the malformed ones, and the others are still recorded.`,
    request: { body: json(ReceivedBody) },
    responses: { 200: ok(ReceivedAnswer) },
  }),
  async (c) => {
    const { emails, senders, source } = c.req.valid("json")
    await c.var.meter.authorize()
    const given = senders?.map(({ email, received_at = null }): Sender => ({ email, receivedAt: received_at }))
    const answer = await recordReceived(c.var.ctx, {
      accountId: member(c).accountId,
      senders: given ?? emails?.map((email) => ({ email, receivedAt: null })) ?? [],
      source,
    })
    const { processed, repaired, boosted, domains, rejected, judged } = answer
    return c.json(
      {
        status: "recorded" as const,
        processed,
        recorded: processed,
        repaired,
        score_boosts_applied: boosted,
        domain_inbox_stats: domains,
        without_verdict: judged.filter((one) => one === null).length,
        rejected: [...rejected],
        message: `${counted(boosted, "address", "addresses")} confirmed as received, ${counted(rejected.length, "entry", "entries")} left out`,
      },
      200,
    )
  },
)

export const receivedEndpoints: Endpoint[] = [received, batch]
