import { z } from "@hono/zod-openapi"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import { ACTIVITY_SIGNALS, type Activity, MISSING_ACTIVITY } from "../../domain/signals/mailbox-activity.ts"
import { iso } from "../../domain/time.ts"
import { presentBreakdown } from "../../domain/verification/checks.ts"
import { type Endpoint, endpointsOf, type OperationTexts } from "../../http/endpoint.ts"
import { arrayOf, component, flag, wellFormed, wholeNumberOr } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { noCharge } from "../../services/accounts/charge.ts"
import { findActivity } from "../../services/signals/address-signals.ts"
import { verifyForCaller } from "../../services/verification/verify.ts"
import { ScoreBreakdown } from "../verification/checks.ts"

const endpoint = endpointsOf("signals")

const ScoreAnswer = component("Score", {
  email: z.string(),
  score: z.int().min(0).max(100),
  grade: z.string(),
  status: z.enum(STATUSES),
  can_send: z.boolean(),
  score_breakdown: ScoreBreakdown,
  cached: z.boolean(),
  verified_at: z.iso.datetime(),
})

const score = endpoint("key-optional", "GET /score", {
  operationId: "score",
  summary: "Get an address's score",
  description:
    "Verifies the address and returns its score with each part. Costs what `GET /validate` costs. 400 for a malformed address.",
  query: z.object({
    email: mailbox(),
    smtp: flag(true, "Probe the mail server for the mailbox"),
    timeout_ms: wholeNumberOr(30_000, {
      min: 1_000,
      max: 60_000,
      description: "Deadline in milliseconds",
    }),
  }),
  answer: ScoreAnswer,
  problems: [400],
  async handle(c) {
    const { email, smtp, timeout_ms } = c.req.valid("query")
    wellFormed(email)
    const { caller, ctx, meter } = c.var
    const verification = await verifyForCaller(ctx, meter, { caller, email, smtp, timeoutMs: timeout_ms })
    const { evidence, verdict, score, canSend, cached, verifiedAt } = verification
    return {
      email: shownEmail(evidence.address),
      score: score.total,
      grade: score.grade,
      status: verdict.status,
      can_send: canSend,
      score_breakdown: presentBreakdown(verification),
      cached,
      verified_at: iso(verifiedAt),
    } satisfies z.infer<typeof ScoreAnswer>
  },
})

const ActivityAnswer = component("Activity", {
  email: z.string(),
  activity_score: z.int().min(0).max(100).nullable().openapi({ description: "Null when nothing is known" }),
  level: z.enum(["active", "likely", "doubtful", "inactive", "unknown"]),
  last_seen_at: z.iso.datetime().nullable(),
  signals: arrayOf({
    signal: z.enum(ACTIVITY_SIGNALS),
    points: z.int(),
    message: z.string(),
    missing: z.enum(MISSING_ACTIVITY).nullable().openapi({
      description: "Why the signal is missing; null when it is there. `not_reported`: by your account",
    }),
  }).openapi({
    description:
      "Every signal. The points add up to the score, or to 0 without a score; `limit` is what 0 to 100 cuts off",
  }),
})

function presentActivity(email: string, activity: Activity): z.infer<typeof ActivityAnswer> {
  const { score, level, signals, lastSeenAt } = activity
  return {
    email,
    activity_score: score,
    level,
    last_seen_at: iso(lastSeenAt),
    signals: signals.map(({ signal, points, message, missing }) => ({ signal, points, message, missing })),
  }
}

/** The same endpoint under two paths. */
function activityAt(path: "/activity" | "/check/activity", texts: OperationTexts): Endpoint {
  return endpoint("key-optional", `GET ${path}`, {
    ...texts,
    query: z.object({ email: mailbox() }),
    answer: ActivityAnswer,
    problems: [400],
    async handle(c) {
      const { ctx, caller } = c.var
      const input = { ...c.req.valid("query"), accountId: accountOf(caller) }
      const found = await noCharge(c.var.meter, () => findActivity(ctx, input))
      return presentActivity(found.email, found.activity)
    },
  })
}

export const scoreEndpoints: Endpoint[] = [
  score,
  activityAt("/activity", {
    operationId: "activity",
    summary: "Get signs of activity",
    description:
      "Returns signs that a mailbox is in use: your reports, the stored result and a Gravatar. Costs no credit and probes no mail server.",
  }),
  activityAt("/check/activity", {
    operationId: "checkActivity",
    summary: "Get signs of activity, older path",
    description: "Does the same as `GET /activity`, at no cost. New programs call that.",
  }),
]
