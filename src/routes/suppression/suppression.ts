import { createRoute, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { OPERATOR_LIST, shouldNeverSend } from "../../domain/feedback/suppression.ts"
import { DAY_MS, iso } from "../../domain/time.ts"
import { type AppEnv, type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email, json, repaired } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { checkSuppression, type FoundSuppression } from "../../services/suppression/check-suppression.ts"
import { suppress } from "../../services/suppression/suppress.ts"
import { unsuppress } from "../../services/suppression/unsuppress.ts"

const time = () => z.iso.datetime().nullable()
const Done = z
  .object({ status: z.string().openapi({ example: "added" }), message: z.string(), repaired: repaired() })
  .openapi("Done")

/** The caller's list: the account's own, or with the admin secret the operator's, which applies to all accounts. */
export function listOf(c: Context<AppEnv>): string {
  return c.var.caller.kind === "member" ? c.var.caller.accountId : OPERATOR_LIST
}

const SuppressionEntry = z
  .object({
    email: z.string(),
    repaired: repaired(),
    is_suppressed: z.boolean(),
    reason: z.enum(SUPPRESSION_REASONS).nullable(),
    should_never_send: z.boolean().openapi({ description: "Also false for a soft bounce, which is temporary" }),
    suppressed_at: time(),
    expires_at: time().openapi({ description: "Null when permanent" }),
    source: z.string().nullable(),
    list: z.enum(["account", "operator"]).nullable().openapi({ description: "The list that contains the address" }),
  })
  .openapi("SuppressionEntry")

const check = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/suppression/check",
    operationId: "checkSuppression",
    tags: ["suppression"],
    summary: "Whether an address is suppressed, why and until when",
    request: { query: z.object({ email: email() }) },
    responses: { 200: ok(SuppressionEntry), ...problem(400) },
  }),
  async (c) => {
    const address = wellFormed(c.req.valid("query").email)
    const found = await checkSuppression(c.var.ctx, listOf(c), address)
    return c.json(presentEntry(address, found), 200)
  },
)

function presentEntry(address: ValidAddress, found: FoundSuppression | null): z.infer<typeof SuppressionEntry> {
  const { suppression = null, list = null } = found ?? {}
  return {
    email: address.normalized,
    repaired: [...address.repaired],
    is_suppressed: suppression !== null,
    reason: suppression?.reason ?? null,
    should_never_send: suppression !== null && shouldNeverSend(suppression),
    suppressed_at: iso(suppression?.createdAt),
    expires_at: iso(suppression?.expiresAt),
    source: suppression?.source ?? null,
    list,
  }
}

const add = endpoint(
  "key-or-admin",
  createRoute({
    method: "post",
    path: "/suppression/add",
    operationId: "addSuppression",
    tags: ["suppression"],
    summary: "Add an address to the suppression list",
    description: "Adding an entry again never shortens or weakens it. Remove it first.",
    request: {
      body: json(
        z.object({
          email: email(),
          reason: z.enum(SUPPRESSION_REASONS),
          source: z.string().trim().max(200).nullish().openapi({ example: "crm" }),
          expires_in_days: z
            .int()
            .min(1)
            .max(3_650)
            .nullish()
            .openapi({ description: "Permanent when left out", example: 30 }),
        }),
      ),
    },
    responses: { 200: ok(Done), ...problem(400) },
  }),
  async (c) => {
    const { email, reason, source, expires_in_days: days = null } = c.req.valid("json")
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(email)
    const end = days === null ? null : { days }
    await suppress(c.var.ctx, listOf(c), [{ address, reason, source: source || null, end }])
    // Without the duration, because an existing longer entry stays unchanged.
    return c.json(presentDone("added", `${address.normalized} is on your suppression list`, address), 200)
  },
)

function presentDone(status: string, message: string, address: ValidAddress): z.infer<typeof Done> {
  return { status, message, repaired: [...address.repaired] }
}

const remove = endpoint(
  "key-or-admin",
  createRoute({
    method: "delete",
    path: "/suppression/{email}",
    operationId: "removeSuppression",
    tags: ["suppression"],
    summary: "Remove an address from the suppression list",
    description: "Also takes back the hard bounces and complaints that the account reported.",
    request: {
      params: z.object({
        email: z.string().max(1_000).openapi({ description: "With %40 for @", example: "alice%40mailbox.test" }),
      }),
    },
    responses: { 200: ok(Done), ...problem(400, 404) },
  }),
  async (c) => {
    await countFreeWork(c.var.ctx, "writes", c.var.caller)
    const address = wellFormed(c.req.valid("param").email)
    await unsuppress(c.var.ctx, listOf(c), address)
    return c.json(presentDone("removed", `${address.normalized} is no longer on your suppression list`, address), 200)
  },
)

const count = z.int().min(0)
const SuppressionStats = z
  .object({
    list: z.enum(["account", "operator"]),
    total: count,
    permanent: count,
    temporary: count,
    added_last_30_days: count,
    by_reason: z.object(Object.fromEntries(SUPPRESSION_REASONS.map((reason) => [reason, count]))).openapi({
      example: Object.fromEntries(SUPPRESSION_REASONS.map((reason) => [reason, 3])),
    }),
  })
  .openapi("SuppressionStats")

const stats = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/suppression/stats",
    operationId: "suppressionStats",
    tags: ["suppression"],
    summary: "Number of addresses on the suppression list, by reason",
    responses: { 200: ok(SuppressionStats) },
  }),
  async (c) => {
    const { clock } = c.var.ctx
    const { suppressions } = c.var.ctx.store
    const list = listOf(c)
    const now = clock.now()
    const counts = await suppressions.counts(list, now, now - 30 * DAY_MS)
    const sum = (pick: (one: (typeof counts)[number]) => number) => counts.reduce((total, one) => total + pick(one), 0)
    const total = sum((one) => one.total)
    const temporary = sum((one) => one.temporary)
    const byReason = SUPPRESSION_REASONS.map((name) => [name, counts.find(({ reason }) => reason === name)?.total ?? 0])
    const answer: z.infer<typeof SuppressionStats> = {
      list: list === OPERATOR_LIST ? "operator" : "account",
      total,
      permanent: total - temporary,
      temporary,
      added_last_30_days: sum((one) => one.recent),
      by_reason: Object.fromEntries(byReason),
    }
    return c.json(answer, 200)
  },
)

export const suppressionEndpoints: Endpoint[] = [check, add, remove, stats]
