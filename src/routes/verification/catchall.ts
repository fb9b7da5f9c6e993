import { createRoute, z } from "@hono/zod-openapi"
import { STATUSES, SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { shownEmail } from "../../domain/address/shown-email.ts"
import { presentChecks } from "../../domain/verdict/checks.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { type Endpoint, endpoint, withCosts } from "../../http/endpoint.ts"
import { email, json, orElse, share } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { type CatchAllResolution, resolveCatchAll } from "../../services/verification/catch-all.ts"
import { verifyForCaller } from "../../services/verification/verify-for-caller.ts"
import { Checks } from "./checks.ts"

const CatchAllAnswer = z
  .object({
    email: z.string(),
    domain: z.string(),
    is_catch_all: z.boolean().nullable().openapi({ description: "Null when unknown" }),
    status: z.enum(STATUSES).openapi({ description: "By the SMTP result and your account's bounces" }),
    sub_status: z.enum(SUB_STATUSES).nullable(),
    verdict: z.enum(["likely_deliverable", "uncertain", "likely_undeliverable"]),
    probability: share.openapi({ description: "Probability that the mailbox exists" }),
    interval: z.object({ low: share, high: share }).openapi({ description: "Wide when there is little evidence" }),
    prior: share.openapi({ description: "The probability before any evidence" }),
    method: z.enum(["prior weights", "trained model"]).openapi({
      description: "Sum of log-odds: with preset weights, or with weights trained on outcomes at accept-all domains",
    }),
    model_version: z.int().openapi({ description: "Version of the classifier; 0 for preset weights" }),
    evidence: z.array(
      z.object({
        signal: z.string().openapi({ example: "name_realism" }),
        observation: z.string(),
        weight: z.number().openapi({ description: "Natural log-odds it adds" }),
      }),
    ),
    checks: Checks,
  })
  .openapi("CatchAllAnswer")

const body = z.object({
  email: email(),
  timeout_ms: orElse(z.int().min(1_000).max(60_000), 30_000),
})

function resolveEndpoint(path: string, operationId: string) {
  return endpoint(
    "key-optional",
    createRoute({
      method: "post",
      path,
      operationId,
      tags: ["verification"],
      summary: "Estimate how likely a mailbox at an accept-all domain exists, with the evidence",
      request: { body: json(body) },
      responses: { 200: ok(CatchAllAnswer), ...problem(400) },
    }),
    async (c) => {
      const { email, timeout_ms } = c.req.valid("json")
      const { caller, ctx, meter } = c.var
      const address = wellFormed(email)
      const deadlineAt = ctx.clock.now() + timeout_ms
      const verification = await verifyForCaller(ctx, meter, { caller, email, smtp: true, timeoutMs: timeout_ms })
      const found = await resolveCatchAll(ctx, { address, verification, accountId: accountOf(caller), deadlineAt })
      return c.json(presentResolution(verification, found), 200)
    },
  )
}

function presentResolution(
  verification: Verification,
  { signals, resolution }: CatchAllResolution,
): z.infer<typeof CatchAllAnswer> {
  const { evidence, verdict } = verification
  return {
    email: shownEmail(evidence.address),
    domain: evidence.address.ok ? evidence.address.domain : "",
    is_catch_all: verdict.isCatchAll,
    status: verdict.status,
    sub_status: verdict.subStatus,
    verdict: resolution.verdict,
    probability: resolution.probability,
    interval: resolution.interval,
    prior: resolution.prior,
    method: resolution.method,
    model_version: resolution.modelVersion,
    evidence: signals.map(({ signal, observation, weight }) => ({ signal, observation, weight })),
    checks: presentChecks(verification),
  }
}

export const catchAllEndpoints: Endpoint[] = [
  withCosts(resolveEndpoint("/verify/catchall-resolve", "verifyCatchAllResolve")),
  withCosts(resolveEndpoint("/resolve-catchall", "resolveCatchAll")),
]
