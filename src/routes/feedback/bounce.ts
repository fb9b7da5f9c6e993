import { createRoute, z } from "@hono/zod-openapi"
import { permanentBounce } from "../../domain/suppression/bounce.ts"
import type { Fact } from "../../domain/suppression/feedback.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email, json, repaired } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { readBounces } from "../../services/feedback/read-bounces.ts"
import { recordFeedback } from "../../services/feedback/record-feedback.ts"
import { BounceStats, Judged, presentBounces, presentJudged, withJudged } from "./present-feedback.ts"

const BOUNCE_TYPES = ["hard_bounce", "soft_bounce", "spam_complaint", "hard"] as const

const MESSAGES = {
  hard_bounce: "the address is suppressed from now on",
  soft_bounce: "tracked; the address is not suppressed",
  spam_complaint: "tracked; the address is not suppressed, but its can_send is false for your account",
} as const

const BounceAnswer = z
  .object({
    status: z.enum(["recorded", "known"]),
    suppressed: z.boolean().openapi({ description: "Whether this report put the address on the suppression list" }),
    message: z.string(),
    judged: Judged,
    repaired: repaired(),
  })
  .openapi("BounceAnswer")

const bounce = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/bounce",
    operationId: "reportBounce",
    tags: ["feedback"],
    summary: "Report a bounce or complaint",
    description:
      "Records that a mail bounced or that its recipient complained. A hard bounce suppresses the address. " +
      "It also makes the address `invalid` for your account, unless its code or message concerns the " +
      "sender, the message or a full mailbox. A complaint makes `can_send` false. A later report that the mailbox " +
      "exists cancels the bounce. `DELETE /suppression/{email}` cancels both.",
    request: {
      body: json(
        z.object({
          email: email(),
          bounce_type: z.enum(BOUNCE_TYPES).openapi({ description: "`hard` means hard_bounce" }),
          bounce_code: z.string().trim().max(100).nullish().openapi({ example: "550 5.1.1" }),
          bounce_msg: z.string().max(2_000).nullish().openapi({ example: "The email account does not exist" }),
        }),
      ),
    },
    responses: { 200: ok(BounceAnswer), ...problem(400) },
  }),
  async (c) => {
    const { email, bounce_type, bounce_code, bounce_msg } = c.req.valid("json")
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(email)
    const kind = bounce_type === "hard" ? "hard_bounce" : bounce_type
    const code = bounce_code || codeIn(bounce_msg)
    const concernsMailbox = permanentBounce(`${bounce_code ?? ""} ${bounce_msg ?? ""}`) === "hard_bounce"
    const fact: Fact = {
      ...{ address, kind, source: "api", code, at: null, id: null },
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
    const answer = { status, suppressed, message, judged: presentJudged(judged[0]), repaired: [...address.repaired] }
    return c.json(answer, 200)
  },
)

/** The reply and enhanced code at the start of a bounce message. The rest may name people and is not stored. */
function codeIn(message: string | null | undefined): string | null {
  return /^\s*([245]\d\d(?:[ -][245]\.\d{1,3}\.\d{1,3})?|[245]\.\d{1,3}\.\d{1,3})\b/.exec(message ?? "")?.[1] ?? null
}

const stats = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bounce/stats",
    operationId: "bounceStats",
    tags: ["feedback"],
    summary: "Get the bounce rate",
    description:
      "Counts the bounces and complaints of the account's mail, by type and domain. `bounce_rate` does not include complaints.",
    responses: { 200: ok(BounceStats) },
  }),
  async (c) => {
    const { counts, daily, domains } = await readBounces(c.var.ctx, member(c).accountId)
    return c.json(presentBounces(counts, daily, domains), 200)
  },
)

export const bounceEndpoints: Endpoint[] = [bounce, stats]
