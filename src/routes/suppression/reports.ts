import { z } from "@hono/zod-openapi"
import { counted } from "../../domain/counted.ts"
import { permanentBounce } from "../../domain/suppression/bounce.ts"
import type { Fact } from "../../domain/suppression/feedback.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, orElse, repaired, repairedCount, wellFormed } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { readBounces, recordFeedback, recordReceived, type Sender } from "../../services/suppression/feedback.ts"
import { engagementEndpoints, FeedbackAnswer, presentRecorded } from "./engagement.ts"
import { BounceStats, Judged, presentBounces, presentJudged, withJudged } from "./present-feedback.ts"
import { inboundEndpoints, receiverEndpoints } from "./provider-events.ts"

const endpoint = endpointsOf("feedback")

const BOUNCE_TYPES = ["hard_bounce", "soft_bounce", "spam_complaint", "hard"] as const

const MESSAGES = {
  hard_bounce: "the address is suppressed from now on",
  soft_bounce: "tracked; the address is not suppressed",
  spam_complaint: "tracked; the address is not suppressed, but its can_send is false for your account",
} as const

const bounce = endpoint("key", "POST /bounce", {
  operationId: "reportBounce",
  summary: "Report a bounce or complaint",
  description:
    "Records that a mail bounced or that its recipient complained. A hard bounce suppresses the address. " +
    "It also makes the address `invalid` for your account, unless its code or message concerns the " +
    "sender, the message or a full mailbox. A complaint makes `can_send` false. A later report that the mailbox " +
    "exists cancels the bounce. `DELETE /suppression/{email}` cancels both.",
  json: z.object({
    email: mailbox(),
    bounce_type: z.enum(BOUNCE_TYPES).openapi({ description: "`hard` means hard_bounce" }),
    bounce_code: z
      .string()
      .trim()
      .max(100)
      .nullish()
      .openapi({ description: "The reply code of the mail server", example: "550 5.1.1" }),
    bounce_msg: z
      .string()
      .max(2_000)
      .nullish()
      .openapi({ description: "The text of the reply", example: "The email account does not exist" }),
  }),
  answer: component("BounceAnswer", {
    status: z.enum(["recorded", "known"]),
    suppressed: z.boolean().openapi({ description: "Whether this report put the address on the suppression list" }),
    message: z.string(),
    judged: Judged,
    repaired: repaired(),
  }),
  problems: [400],
  async handle(c) {
    const { email, bounce_type, bounce_code, bounce_msg } = c.req.valid("json")
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(email)
    const kind = bounce_type === "hard" ? "hard_bounce" : bounce_type
    const code = bounce_code || codeIn(bounce_msg)
    const concernsMailbox = permanentBounce(`${bounce_code ?? ""} ${bounce_msg ?? ""}`) === "hard_bounce"
    const fact: Fact = {
      address,
      kind,
      source: "api",
      code,
      at: null,
      id: null,
      ...(concernsMailbox ? {} : { mailboxMayExist: true }),
    }
    const { fresh, judged } = await recordFeedback(c.var.ctx, {
      accountId: member(c).accountId,
      facts: [fact],
      origin: "caller",
    })
    const suppressed = kind === "hard_bounce"
    const message = withJudged(MESSAGES[kind], judged[0])
    const status = fresh > 0 ? ("recorded" as const) : ("known" as const)
    return { status, suppressed, message, judged: presentJudged(judged[0]), repaired: [...address.repaired] }
  },
})

/** The reply and enhanced code at the start of a bounce message. The rest may name people and is not stored. */
function codeIn(message: string | null | undefined): string | null {
  return /^\s*([245]\d\d(?:[ -][245]\.\d{1,3}\.\d{1,3})?|[245]\.\d{1,3}\.\d{1,3})\b/.exec(message ?? "")?.[1] ?? null
}

const stats = endpoint("key", "GET /bounce/stats", {
  operationId: "bounceStats",
  summary: "Get the bounce rate",
  description:
    "Counts the bounces and complaints of the account's mail, by type and domain. `bounce_rate` does not include complaints.",
  answer: BounceStats,
  async handle(c) {
    const { counts, daily, domains } = await readBounces(c.var.ctx, member(c).accountId)
    return presentBounces(counts, daily, domains)
  },
})

export const bounceEndpoints: Endpoint[] = [bounce, stats]

/** Limited, because each address is an edge write before the response. */
const MAX_BATCH = 1_000
const Source = z.string().trim().min(1).max(100).openapi({ description: "Where the mail was seen" })

const received = endpoint("key", "POST /received", {
  operationId: "reportReceived",
  summary: "Report received mail",
  description:
    "Records that the address sent you mail, which proves its mailbox. Its score rises by 25 points for your account, also at a catch-all domain.",
  query: z.object({ email: mailbox(), source: Source.default("inbox") }),
  answer: FeedbackAnswer,
  problems: [400],
  async handle(c) {
    const { email, source } = c.req.valid("query")
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(email)
    const senders = [{ email: address.normalized, receivedAt: null }]
    const { fresh, judged } = await recordReceived(c.var.ctx, { accountId: member(c).accountId, senders, source })
    const message = "confirmed as received; its score is 25 points higher for your account"
    return presentRecorded({ address, isNew: fresh > 0, judged: judged[0] }, message)
  },
})

const list = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(MAX_BATCH)

const batch = endpoint("key", "POST /received/batch", {
  operationId: "reportReceivedBatch",
  summary: "Report received mail in a batch",
  description: `Records up to ${MAX_BATCH} addresses that sent you mail. \`rejected\` names the malformed ones, and the others are still recorded.`,
  json: z
    .object({
      emails: list(z.string())
        .nullish()
        .openapi({ description: "Addresses that sent you mail now", example: ["alice@mailbox.test"] }),
      senders: list(
        z.object({
          email: z.string().openapi({ description: "Address that sent you mail" }),
          received_at: z
            .union([z.string().max(100), z.number()])
            .nullish()
            .openapi({
              description: "ISO 8601, Unix time, or a date in words",
              example: "Tue, 3 Nov 2026 09:15:00 +0100",
            }),
          subject: z.string().max(2_000).nullish().openapi({ description: "Not stored" }),
        }),
      )
        .nullish()
        .openapi({ description: "Addresses that sent you mail, each with its time" }),
      source: orElse(Source, "inbox"),
    })
    .refine(({ emails, senders }) => (emails == null) !== (senders == null), {
      error: "needs either emails or senders",
    })
    .openapi("ReceivedBatch", { example: { emails: ["alice@mailbox.test"], source: "inbox" } }),
  answer: component("ReceivedAnswer", {
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
    rejected: arrayOf({ index: z.int(), reason: z.string() }),
    message: z.string(),
  }),
  async handle(c) {
    const { emails, senders, source } = c.req.valid("json")
    await c.var.meter.authorize()
    const given = senders?.map(({ email, received_at = null }): Sender => ({ email, receivedAt: received_at }))
    const answer = await recordReceived(c.var.ctx, {
      accountId: member(c).accountId,
      senders: given ?? emails?.map((email) => ({ email, receivedAt: null })) ?? [],
      source,
    })
    const { processed, repaired, boosted, domains, rejected, judged } = answer
    return {
      status: "recorded" as const,
      processed,
      recorded: processed,
      repaired,
      score_boosts_applied: boosted,
      domain_inbox_stats: domains,
      without_verdict: judged.filter((one) => one === null).length,
      rejected: [...rejected],
      message: `${counted(boosted, "address", "addresses")} confirmed as received, ${counted(rejected.length, "entry", "entries")} left out`,
    }
  },
})

export const receivedEndpoints: Endpoint[] = [received, batch]

export const FEEDBACK_ENDPOINTS: readonly Endpoint[] = [
  ...bounceEndpoints,
  ...receivedEndpoints,
  ...engagementEndpoints,
  ...receiverEndpoints,
  ...inboundEndpoints,
]
