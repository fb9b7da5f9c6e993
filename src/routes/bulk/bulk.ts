import { createRoute, z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { type Endpoint, endpoint, withBody, withCosts } from "../../http/endpoint.ts"
import { json, orElse } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"
import { verifyList } from "../../services/bulk/verify-list.ts"
import { verifyTurbo } from "../../services/bulk/verify-turbo.ts"
import { recordHistory } from "../../services/verification/settle.ts"
import { BulkResult, presentBrief, presentBulk, TurboResult } from "./present-bulk.ts"

const EXAMPLE = ["alice@mailbox.test", "nobody@mailbox.test"]
const emails = (max: number) => z.array(z.string()).min(1).max(max).openapi({ example: EXAMPLE })
const smtp = orElse(z.boolean(), true).openapi({ description: "Probe the mail servers for the mailboxes" })

const validateBulk = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/validate/bulk",
    operationId: "validateBulk",
    tags: ["bulk"],
    summary: "Verify up to 100 addresses",
    description:
      "Verifies the addresses in one call and probes each again, without stored results. Costs one credit for each address with a result; `unknown` and malformed ones are free. Use turbo to profit from stored results.",
    request: {
      body: json(
        z.object({
          emails: emails(100),
          smtp,
          deduplicate: orElse(z.boolean(), false).openapi({ description: "Remove duplicates from the list" }),
          check_suppression: orElse(z.boolean(), false).openapi({ description: "Mark the suppressed addresses" }),
          max_concurrent: z.int().min(1).max(100).nullish().openapi({ description: "Addresses verified at a time" }),
        }),
      ),
    },
    responses: { 200: ok(BulkResult) },
  }),
  async (c) => {
    const { check_suppression: checkSuppression, max_concurrent, ...body } = c.req.valid("json")
    const { caller, ctx, meter } = c.var
    const { clock } = ctx
    const startedAt = clock.now()
    const accountId = accountOf(caller)
    const maxConcurrent = max_concurrent ?? null
    const verified = await verifyList(ctx, meter, { ...body, checkSuppression, maxConcurrent, accountId })
    recordHistory(ctx, meter, { caller, verifications: verified })
    const elapsedMs = clock.now() - startedAt
    return c.json(presentBulk(verified, { elapsedMs, suppression: checkSuppression }), 200)
  },
)

const validateTurbo = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/validate/bulk/turbo",
    operationId: "validateTurbo",
    tags: ["bulk"],
    summary: "Verify up to 5,000 addresses",
    description:
      "Returns stored results first, and probes the rest within 55 seconds. Addresses that are not finished are `unknown`, cost nothing and go on in the background. Costs one credit for each new result.",
    request: {
      body: json(
        z.object({
          emails: emails(5_000),
          smtp,
          deduplicate: orElse(z.boolean(), true).openapi({ description: "Remove duplicates from the list" }),
        }),
      ),
    },
    responses: { 200: ok(TurboResult) },
  }),
  async (c) => {
    const { emails, smtp, deduplicate } = c.req.valid("json")
    const { background, clock } = c.var.ctx
    const { history } = c.var.ctx.store
    const { caller } = c.var
    const accountId = accountOf(caller)
    const answer = await verifyTurbo(c.var.ctx, c.var.meter, { emails, smtp, deduplicate, accountId })
    const keyId = caller.kind === "member" ? caller.keyId : null
    background(history.count({ accountId, keyId }, answer.briefs, clock.now()))
    const { briefs, duplicates, cacheHits, freshVerified, unknown, malformed, elapsedMs } = answer
    const stats = {
      total: briefs.length,
      deduplicated: duplicates,
      cache_hits: cacheHits,
      fresh_verified: freshVerified,
      unknown,
      malformed,
      elapsed_seconds: elapsedMs / 1_000,
      emails_per_second: Math.round((briefs.length * 10_000) / Math.max(1, elapsedMs)) / 10,
    }
    return c.json(
      { results: briefs.map((brief) => ({ rows: [...brief.rows], checks: presentBrief(brief) })), stats },
      200,
    )
  },
)

export const bulkEndpoints: Endpoint[] = [
  withCosts(validateBulk),
  withCosts(withBody(validateTurbo, { maxBytes: 2_000_000 })),
]
