import { createRoute, z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { costing, type Endpoint, endpoint, withBody } from "../../http/endpoint.ts"
import { json, orElse } from "../../http/fields.ts"
import { BulkResult, presentBrief, presentBulk, TurboResult } from "../../http/present/bulk.ts"
import { ok } from "../../http/responses.ts"
import { remember } from "../../http/verify-for.ts"
import { verifyList } from "../../services/bulk/verify-list.ts"
import { verifyTurbo } from "../../services/bulk/verify-turbo.ts"

const EXAMPLE = ["alice@mailbox.test", "nobody@mailbox.test"]
const emails = (max: number) => z.array(z.string()).min(1).max(max).openapi({ example: EXAMPLE })
const smtp = orElse(z.boolean(), true).openapi({ description: "Ask the mail servers whether the mailboxes exist" })

const validateBulk = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/validate/bulk",
    operationId: "validateBulk",
    tags: ["bulk"],
    summary: "Verify up to 100 addresses in the call, each anew",
    request: {
      body: json(
        z.object({
          emails: emails(100),
          smtp,
          deduplicate: orElse(z.boolean(), false).openapi({ description: "Leave out what stands in the list twice" }),
          check_suppression: orElse(z.boolean(), false).openapi({ description: "Say which of them are suppressed" }),
          max_concurrent: z.int().min(1).max(100).nullish().openapi({ description: "Addresses asked about at a time" }),
        }),
      ),
    },
    responses: { 200: ok(BulkResult) },
  }),
  async (c) => {
    const { check_suppression: checkSuppression, max_concurrent, ...body } = c.req.valid("json")
    const { clock } = c.var.deps
    const startedAt = clock.now()
    const accountId = accountOf(c.var.caller)
    const maxConcurrent = max_concurrent ?? null
    const verified = await verifyList(c.var.deps, { ...body, checkSuppression, maxConcurrent, accountId })
    remember(c, verified)
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
    summary: "Verify up to 5,000 addresses in the call: stored results first, the rest asked 50 at a time and more",
    request: {
      body: json(
        z.object({
          emails: emails(5_000),
          smtp,
          deduplicate: orElse(z.boolean(), true).openapi({ description: "Leave out what stands in the list twice" }),
        }),
      ),
    },
    responses: { 200: ok(TurboResult) },
  }),
  async (c) => {
    const { emails, smtp, deduplicate } = c.req.valid("json")
    const { background, clock, history } = c.var.deps
    const accountId = accountOf(c.var.caller)
    const answer = await verifyTurbo(c.var.deps, { emails, smtp, deduplicate, accountId })
    if (accountId !== null) background(history.count(accountId, answer.briefs, clock.now()))
    const { briefs, duplicates, cacheHits, freshVerified, elapsedMs } = answer
    const stats = {
      total: briefs.length,
      deduplicated: duplicates,
      cache_hits: cacheHits,
      fresh_verified: freshVerified,
      elapsed_seconds: elapsedMs / 1_000,
      emails_per_second: Math.round((briefs.length * 1_000) / Math.max(1, elapsedMs)),
    }
    return c.json({ results: briefs.map((brief) => ({ checks: presentBrief(brief) })), stats }, 200)
  },
)

export const bulkEndpoints: Endpoint[] = [
  costing(validateBulk),
  costing(withBody(validateTurbo, { maxBytes: 2_000_000 })),
]
