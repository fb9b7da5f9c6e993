import { z } from "@hono/zod-openapi"
import { mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import {
  mlScore,
  nullReasons,
  presentBreakdown,
  presentChecks,
  presentPresence,
} from "../../domain/verification/checks.ts"
import { ledgerOf, ruleWords } from "../../domain/verification/ledger.ts"
import { transcriptOf } from "../../domain/verification/transcript.ts"
import { advise, type Verification } from "../../domain/verification/verification.ts"
import {
  canSend,
  gradeWithPlus,
  isDisposable,
  isFree,
  isRole,
  mailHosts,
  plainStatus,
  score,
  shownAddress,
  subStatus,
} from "../../http/answer-fields.ts"
import { arrayOf, component, repaired, round, share, suggestion } from "../../http/fields.ts"
import { Checks, NullReasons, Presence, PrimaryRisk } from "./checks.ts"

/** The strongest features explain most of a prediction. */
const SHOWN = 6

const ModelExplanation = component("ModelExplanation", {
  version: z.int().openapi({ description: "Version of the model; 0 is the prior, with preset weights" }),
  is_prior: z.boolean().openapi({ description: "True for the preset weights, which no outcome has trained" }),
  probability: share.openapi({ description: "Probability that mail to the address arrives" }),
  adjustment: z.int().min(-20).max(20).openapi({ description: "Points that the model adds to the score" }),
  bias: z.number().openapi({ description: "Natural log-odds before any feature" }),
  contributions: arrayOf({
    feature: z.string().openapi({ description: "Name of the feature", example: "accept_all_realism" }),
    value: z.number().openapi({ description: "The feature's value for this address" }),
    log_odds: z.number().openapi({ description: "Natural log-odds it adds" }),
  }).openapi({ description: "The features with their effect, the strongest first" }),
})

export const Enrichment = component(
  "Enrichment",
  "With enrich=true: the model's prediction and the activity of the address",
  {
    ml: z.union([ModelExplanation, z.null()]).openapi({ description: "The model's prediction" }),
    activity_score: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .openapi({ description: "How active the mailbox is, 0 to 100, by what your account reported" }),
    null_reasons: NullReasons,
  },
)

function presentModel(verification: Verification): z.infer<typeof ModelExplanation> | null {
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

const ExplainedReply = z.object({
  code: z.int().openapi({ description: "The reply's code, 200 to 599" }),
  enhanced: z.string().nullable().openapi({ description: "The enhanced status code (RFC 3463)", example: "5.1.1" }),
  text: z.string().openapi({ description: "The reply's text, with other people's addresses masked" }),
  ms: z.number().openapi({ description: "Milliseconds until it arrived" }),
})

export const Explanation = component("Explanation", "How a verification reached its verdict", {
  ledger: arrayOf({
    phase: z
      .enum(["syntax", "lists", "domain", "mailbox", "signals", "verdict", "score"])
      .openapi({ description: "The step of the verification" }),
    fact: z.string().openapi({ description: "Name of what was found", example: "rcpt" }),
    value: z.string().nullable().openapi({ description: "Null when unknown" }),
    reply: z.union([ExplainedReply, z.null()]).openapi({ description: "The SMTP reply behind the fact" }),
    rule: z
      .string()
      .nullable()
      .openapi({ description: "The rule that read the reply or decided", example: "reply.accepted" }),
    means: z.string().nullable().openapi({
      description: "What the rule means, in a sentence; null without a rule",
      example: "The server accepted the recipient (code 250, 251 or 252).",
    }),
    points: z.int().openapi({ description: "Points that it adds to the score" }),
    node: z.string().nullable().openapi({ description: "Id of the probe node that found it; null for other facts" }),
    age_seconds: z.int().nullable().openapi({ description: "Seconds since it was found; null if computed now" }),
  }).openapi({ description: "Every fact in the order it was found; the points add up to the score" }),
  transcript: arrayOf({
    from: z.enum(["client", "server"]).openapi({ description: "`client` is the probe node" }),
    text: z.string().openapi({ description: "The line" }),
    ms: z.number().nullable().openapi({ description: "Milliseconds until it arrived; null for our own lines" }),
  }).openapi({
    description: "The SMTP transcript; the random recipient and other people's addresses are masked",
  }),
  model: z.union([ModelExplanation, z.null()]).openapi({ description: "With enrich=true: the model's features" }),
})

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

/** Variant B of the interface, with variant A under `checks`, so that clients of either read the same answer. */
export const Deliverability = component("Deliverability", "The result of a verification, variant B", {
  email: shownAddress,
  repaired: repaired(),
  status: plainStatus,
  sub_status: subStatus,
  confidence_score: z.int().min(0).max(100).openapi({ description: "The same number as `deliverability_score.score`" }),
  deliverability: z.enum(["deliverable", "undeliverable", "risky", "unknown"]).openapi({
    description:
      "The status in other words; `risky` is `accept_all`. Mail that your account received makes it `deliverable`",
  }),
  deliverability_score: z
    .object({
      score: score,
      grade: gradeWithPlus,
      band: z
        .enum(["excellent", "good", "fair", "poor", "bad"])
        .openapi({ description: "The grade in a word: A is `excellent`, F is `bad`" }),
      can_send: canSend,
      recommendation: z.enum(["send", "send_with_caution", "retry_later", "do_not_send"]).openapi({
        description: "`send` from 75 points, below `send_with_caution`. `retry_later`: a later call may know more",
      }),
      primary_risk: PrimaryRisk,
      email_type: z
        .enum(["disposable", "relay", "role", "free", "government", "education", "corporate", "unknown"])
        .openapi({ description: "The first kind that holds, in this order. `unknown` for a malformed address" }),
      breakdown: z
        .record(z.string(), z.int())
        .openapi({ description: "Points of each part, as in `checks.score_breakdown`" }),
    })
    .openapi({ description: "The score, and the decision about sending" }),
  account: z.string().openapi({ description: "Local part" }),
  domain: z
    .string()
    .openapi({ description: "The domain of the address, in ASCII (IDNA); empty when the address is malformed" }),
  mx_found: z.boolean().openapi({ description: "The domain has a mail host" }),
  mx_records: mailHosts,
  smtp_provider: z
    .string()
    .openapi({ description: "The mail operator, by the mail host that answered; `none` without a mail host" }),
  smtp_response_code: z.string().openapi({ description: "Empty when there was no reply", example: "250" }),
  catch_all: z.boolean().openapi({ description: "The domain accepts every address; also false when unknown" }),
  is_disposable: isDisposable,
  is_role: isRole,
  is_free: isFree,
  did_you_mean: suggestion(),
  ...Presence,
  null_reasons: NullReasons,
  checks: Checks,
  enrichment: Enrichment.optional().openapi({ description: "With enrich=true" }),
  explanation: Explanation.optional().openapi({ description: "With explain=true" }),
})

export function presentDeliverability(verification: Verification): z.infer<typeof Deliverability> {
  const { evidence, verdict, score, canSend } = verification
  const { address, lists, domain, mailbox } = evidence
  const mxHosts = mailHostsOf(domain?.route)
  const checks = presentChecks(verification)
  const { gradeWithPlus, band, deliverability, recommendation, primaryRisk, emailType } = advise(verification)
  const presence = presentPresence(verification)
  return {
    email: checks.email,
    repaired: checks.repaired,
    status: verdict.status === "invalid_syntax" ? "invalid" : verdict.status,
    sub_status: verdict.subStatus,
    confidence_score: score.total,
    deliverability,
    deliverability_score: {
      score: score.total,
      grade: gradeWithPlus,
      band,
      can_send: canSend,
      recommendation,
      primary_risk: primaryRisk,
      email_type: emailType,
      breakdown: presentBreakdown(verification),
    },
    account: address.ok ? address.local : "",
    domain: address.ok ? address.domain : "",
    mx_found: mxHosts.length > 0,
    mx_records: mxHosts,
    smtp_provider: operatorOf(mailbox?.session?.mxHost ?? mxHosts[0]),
    smtp_response_code: mailbox?.outcome.kind === "reply" ? String(mailbox.outcome.reply.code) : "",
    catch_all: verdict.isCatchAll === true,
    is_disposable: lists.isDisposable,
    is_role: lists.isRole,
    is_free: lists.isFree,
    did_you_mean: checks.did_you_mean,
    ...presence,
    null_reasons: nullReasons({ sub_status: verdict.subStatus, ...presence }, verification),
    checks,
  }
}
