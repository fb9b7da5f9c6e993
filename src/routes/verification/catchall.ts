import { z } from "@hono/zod-openapi"
import { STATUSES, SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import type { Resolution } from "../../domain/learning/catch-all.ts"
import { iso } from "../../domain/time.ts"
import { presentChecks } from "../../domain/verification/checks.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { addressDomain, shownAddress, subStatus } from "../../http/answer-fields.ts"
import { type Endpoint, endpointsOf, type OperationTexts } from "../../http/endpoint.ts"
import { arrayOf, component, orElse, share, wellFormed } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { type CatchAllResolution, resolveCatchAll } from "../../services/verification/catch-all.ts"
import { type DirectoryFinding, type DirectoryName, findInDirectory } from "../../services/verification/directory.ts"
import { verifyForCaller } from "../../services/verification/verify.ts"
import { Checks } from "./checks.ts"

const endpoint = endpointsOf("verification")

const Word = z.enum(["likely_deliverable", "uncertain", "likely_undeliverable"])
const Interval = z.object({
  low: share.openapi({ description: "Lower end, 0 to 1" }),
  high: share.openapi({ description: "Upper end, 0 to 1" }),
})

const CatchAllAnswer = component("CatchAllAnswer", {
  email: shownAddress,
  domain: addressDomain,
  is_catch_all: z.boolean().nullable().openapi({ description: "Null when unknown" }),
  status: z.enum(STATUSES).openapi({ description: "By the SMTP result and your account's bounces" }),
  sub_status: subStatus,
  verdict: Word.openapi({
    description:
      "By `probability`: `likely_deliverable` from 70 %. A mailbox with `can_send` is always `likely_deliverable`. " +
      "Another one with the status `unknown` never is",
  }),
  probability: share.openapi({
    description:
      "Probability that the mailbox exists, by the evidence and the address alone. For `accept_all` it moves the " +
      "score (`catch_all_bonus`) at every endpoint",
  }),
  interval: Interval.openapi({ description: "Wide when there is little evidence" }),
  prior: share.openapi({ description: "The probability before any evidence" }),
  method: z.enum(["prior weights", "trained model"]).openapi({
    description: "Sum of log-odds: with preset weights, or with weights trained on outcomes at accept-all domains",
  }),
  model_version: z.int().openapi({ description: "Version of the classifier; 0 for preset weights" }),
  evidence: arrayOf({
    signal: z.string().openapi({ description: "Name of the signal", example: "name_realism" }),
    observation: z.string().openapi({ description: "What was seen, in a sentence" }),
    weight: z.number().openapi({ description: "Natural log-odds it adds" }),
    scored: z.boolean().openapi({
      description: "True when it is part of `probability`; false when it is only part of `with_lookups`",
    }),
  }).openapi({ description: "The signals of the estimate, each with its weight" }),
  with_lookups: z
    .object({
      verdict: Word.openapi({ description: "By the `probability` beside it" }),
      probability: share.openapi({ description: "Probability that the mailbox exists, 0 to 1" }),
      interval: Interval.openapi({ description: "Wide when there is little evidence" }),
    })
    .openapi({
      description:
        "The same estimate with what only this endpoint looks up: the domain's other addresses, your reports, a " +
        "directory that the operator shares, imported breaches. It does not move the score",
    }),
  checks: Checks,
})

const body = z.object({
  email: mailbox(),
  timeout_ms: orElse(z.int().min(1_000).max(60_000), 30_000).openapi({ description: "Deadline in milliseconds" }),
})

function resolveEndpoint(path: `/${string}`, texts: OperationTexts) {
  return endpoint("key-optional", `POST ${path}`, {
    ...texts,
    json: body,
    answer: CatchAllAnswer,
    problems: [400],
    costs: true,
    async handle(c) {
      const { email, timeout_ms } = c.req.valid("json")
      const { caller, ctx, meter } = c.var
      const address = wellFormed(email)
      const deadlineAt = ctx.clock.now() + timeout_ms
      const verification = await verifyForCaller(ctx, meter, { caller, email, smtp: true, timeoutMs: timeout_ms })
      const found = await resolveCatchAll(ctx, { address, verification, caller, deadlineAt })
      return presentResolution(verification, found)
    },
  })
}

function presentResolution(
  verification: Verification,
  { byEvidence, withFindings }: CatchAllResolution,
): z.infer<typeof CatchAllAnswer> {
  const { evidence, verdict } = verification
  const { resolution } = byEvidence
  const scored = new Set(byEvidence.signals.map(({ signal }) => signal))
  return {
    email: shownEmail(evidence.address),
    domain: evidence.address.ok ? evidence.address.domain : "",
    is_catch_all: verdict.isCatchAll,
    status: verdict.status,
    sub_status: verdict.subStatus,
    verdict: wordOf(verification, resolution),
    probability: resolution.probability,
    interval: resolution.interval,
    prior: resolution.prior,
    method: resolution.method,
    model_version: resolution.modelVersion,
    evidence: withFindings.signals.map(({ signal, observation, weight }) => ({
      signal,
      observation,
      weight,
      scored: scored.has(signal),
    })),
    with_lookups: {
      verdict: withFindings.resolution.verdict,
      probability: withFindings.resolution.probability,
      interval: withFindings.resolution.interval,
    },
    checks: presentChecks(verification),
  }
}

/**
 * The verdict agrees with the send decision: likely wherever sending is allowed. Without an answer of the server it is
 * otherwise at most uncertain.
 */
function wordOf({ canSend, verdict: { status } }: Verification, { verdict }: Resolution): Resolution["verdict"] {
  if (canSend) return "likely_deliverable"
  return status === "unknown" && verdict === "likely_deliverable" ? "uncertain" : verdict
}

export const catchAllEndpoints: Endpoint[] = [
  resolveEndpoint("/verify/catchall-resolve", {
    operationId: "verifyCatchAllResolve",
    summary: "Estimate a catch-all mailbox, older path",
    description: "Does the same as `POST /resolve-catchall`, with the same cost. New programs call that.",
  }),
  resolveEndpoint("/resolve-catchall", {
    operationId: "resolveCatchAll",
    summary: "Estimate a catch-all mailbox",
    description:
      "Estimates how likely a mailbox exists at a domain that accepts every address. The answer has the probability, its interval and each signal with its weight. Costs what `GET /validate` costs.",
  }),
]

const DirectoryResult = component("DirectoryResult", {
  email: z.string().openapi({ description: "The normalized address" }),
  directory: z.enum(["google_workspace", "microsoft_graph"]).openapi({ description: "The directory that was asked" }),
  exists: z.boolean().nullable().openapi({ description: "Null when the directory has no clear answer" }),
  status: z.enum(["valid", "invalid", "unknown"]).openapi({ description: "By the directory's answer alone" }),
  sub_status: z
    .enum(SUB_STATUSES)
    .nullable()
    .openapi({ description: "What decided the status; null without a clear answer" }),
  kind: z.enum(["user", "group", "contact", "entry", "nobody", "foreign", "failure"]).openapi({
    description:
      "`contact`: an external address that mail is forwarded to; `entry`: a user, group or contact; `nobody`: none that receives mail; `foreign`: not a domain of this directory",
  }),
  is_alias: z.boolean().nullable().openapi({ description: "Null when it is not a user, or not shared" }),
  suspended: z.boolean().nullable().openapi({ description: "Null when it is not a user, or not shared" }),
  reason: z.string().openapi({ description: "The answer in a sentence" }),
  checked_at: z.iso.datetime().openapi({ description: "Time of the directory's answer" }),
})

const SHARING =
  "The setting `DIRECTORY_SHARE` says what an account may learn: nothing (403), whether the address exists, or all. The admin secret shows all. Costs one credit for a clear answer, which only domains of that directory have. 503 means that none is connected."

const DIRECTORIES = { google: "google_workspace", microsoft: "microsoft_graph" } as const

function directoryEndpoint(name: DirectoryName, path: `/${string}`, texts: OperationTexts) {
  return endpoint("key-or-admin", `GET ${path}`, {
    ...texts,
    query: z.object({ email: mailbox() }),
    answer: DirectoryResult,
    problems: [400],
    async handle(c) {
      const { ctx, meter, caller } = c.var
      return presentFinding(
        name,
        await findInDirectory(ctx, meter, { email: c.req.valid("query").email, name, caller }),
      )
    },
  })
}

function presentFinding(
  name: DirectoryName,
  { address, answer, verdict, checkedAt }: DirectoryFinding,
): z.infer<typeof DirectoryResult> {
  return {
    email: address.normalized,
    directory: DIRECTORIES[name],
    exists: verdict.exists,
    status: verdict.status,
    sub_status: verdict.subStatus,
    kind: answer.kind,
    is_alias: answer.kind === "user" ? answer.isAlias : null,
    suspended: answer.kind === "user" ? answer.state === "suspended" : null,
    reason: verdict.reason,
    checked_at: iso(checkedAt),
  }
}

export const directoryEndpoints: Endpoint[] = [
  directoryEndpoint("google", "/verify/google-workspace", {
    operationId: "verifyGoogleWorkspace",
    summary: "Query a Google Workspace directory",
    description: `Reads the mailbox in the Google Workspace directory that the operator connected. ${SHARING}`,
  }),
  directoryEndpoint("microsoft", "/verify/microsoft-graph", {
    operationId: "verifyMicrosoftGraph",
    summary: "Query a Microsoft 365 directory",
    description: `Reads the mailbox in the Microsoft 365 directory that the operator connected. ${SHARING}`,
  }),
]
