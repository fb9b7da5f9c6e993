import { z } from "@hono/zod-openapi"
import { PENDING_STATES, STATUSES } from "../../../schema/vocabulary.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import { repairsOf } from "../../domain/address/parse.ts"
import { didYouMean } from "../../domain/address/typo-suggestion.ts"
import { iso } from "../../domain/time.ts"
import { cachedChecks } from "../../domain/verification/cached-checks.ts"
import { shownAddress, syntaxValid } from "../../http/answer-fields.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component, email, repaired, suggestion } from "../../http/fields.ts"
import { webhookUrl } from "../../http/input-fields.ts"
import { findPending, type Started, startVerification } from "../../services/verification/pending.ts"
import { Checks } from "./checks.ts"
import { Deliverability, presentDeliverability } from "./present-deliverability.ts"

const endpoint = endpointsOf("verification")

const verificationId = z.string().openapi({
  description: "Names the verification, for `GET /verify/status/{verification_id}`",
  example: "ver_8rQ0vHkTqk2bX1p9cWmZ4A",
})
const state = z.enum(PENDING_STATES).openapi({ description: "`complete` and `failed` are final" })

const QuickStart = component("QuickStart", {
  verification_id: verificationId,
  state,
  email: shownAddress,
  repaired: repaired(),
  syntax_valid: syntaxValid,
  status: z.enum(STATUSES).openapi({ description: "The status known so far; unknown while queued" }),
  cached: z.boolean().openapi({ description: "`checks` is a stored result; nothing runs" }),
  did_you_mean: suggestion(),
  checks: z.union([Checks, z.null()]).openapi({ description: "The cached result; null when there is none" }),
  status_url: z.string().openapi({
    description: "Path of the call that has the result",
    example: "/verify/status/ver_8rQ0vHkTqk2bX1p9cWmZ4A",
  }),
  note: z.string().openapi({ description: "What happens next, in a sentence" }),
})

const NOTES = {
  queued: "no cached result; the full verification is running, see status_url",
  cached: "this is a fresh cached result",
  malformed: "the address is malformed; no mail server is probed",
} as const

const verifyQuick = endpoint("key-optional", "GET /verify/quick", {
  operationId: "verifyQuick",
  summary: "Start a verification",
  description:
    "Answers at once with a stored result or the syntax check, and verifies in the background. `GET /verify/status/{verification_id}` or the `webhook_url` has the result. Costs what `GET /validate` costs.",
  query: z.object({
    email: email(),
    webhook_url: webhookUrl().default(""),
  }),
  answer: QuickStart,
  async handle(c) {
    const { email, webhook_url } = c.req.valid("query")
    const started = await startVerification(c.var.ctx, c.var.meter, {
      email,
      webhookUrl: webhook_url,
      caller: c.var.caller,
    })
    return presentStart(started)
  },
})

function presentStart({ verificationId, address, cached, state }: Started): z.infer<typeof QuickStart> {
  const checks = cached && address.ok ? cachedChecks(cached.result, address, cached.accountFlags) : null
  return {
    verification_id: verificationId,
    state,
    email: shownEmail(address),
    repaired: repairsOf(address),
    syntax_valid: address.ok,
    status: checks?.status ?? (address.ok ? "unknown" : "invalid_syntax"),
    cached: checks !== null,
    did_you_mean: checks ? checks.did_you_mean : didYouMean(address, undefined),
    checks,
    status_url: `/verify/status/${verificationId}`,
    note: checks ? NOTES.cached : address.ok ? NOTES.queued : NOTES.malformed,
  }
}

const PendingResult = component("PendingResult", {
  verification_id: verificationId,
  state,
  email: shownAddress,
  status: z.enum(STATUSES).nullable().openapi({ description: "Null until it is complete" }),
  attempts: z.int().openapi({ description: "How often the address was verified so far" }),
  created_at: z.iso.datetime().openapi({ description: "Time of the call that started it" }),
  completed_at: z.iso.datetime().nullable().openapi({ description: "Time of the final result; null before" }),
  result: z.union([Deliverability, z.null()]).openapi({
    description: "The response of /validate; null until it is complete",
  }),
})

const verifyStatus = endpoint("key-optional", "GET /verify/status/{verification_id}", {
  operationId: "verifyStatus",
  summary: "Get a started verification",
  description:
    "Returns the state of a verification from `GET /verify/quick`, and its result once it is complete. Free. Poll every few seconds until `state` is `complete` or `failed`.",
  params: z.object({
    verification_id: z.string().max(64).openapi({
      description: "Id of the verification, from GET /verify/quick",
      example: "ver_0123456789abcdef0123456789abcdef",
    }),
  }),
  answer: PendingResult,
  problems: [404],
  async handle(c) {
    const { verification_id } = c.req.valid("param")
    const { pending, verification } = await findPending(c.var.ctx, {
      verificationId: verification_id,
      caller: c.var.caller,
    })
    return {
      verification_id,
      state: pending.state,
      email: pending.email,
      status: verification?.verdict.status ?? null,
      attempts: pending.attempts,
      created_at: iso(pending.createdAt),
      completed_at: iso(pending.completedAt),
      result: verification && presentDeliverability(verification),
    } satisfies z.infer<typeof PendingResult>
  },
})

export const quickEndpoints: Endpoint[] = [verifyQuick, verifyStatus]
