import { createRoute, z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { UserRow } from "../../adapters/store/accounts/operator.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { pageOf } from "../../domain/page.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { flag, json, wholeNumberOr } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { recallLeases } from "../../services/accounts/recall-leases.ts"
import { setTier } from "../../services/admin/set-tier.ts"

const User = z
  .object({
    account_id: z.string().openapi({ example: "acc_0123456789abcdef01234567" }),
    email: z
      .string()
      .nullable()
      .openapi({ description: "Null until its owner has signed in", example: "owner@example.org" }),
    tier: z.enum(TIERS),
    active_keys: z.int(),
    credits_used: z.int().openapi({ description: "This month" }),
    created_at: z.iso.datetime(),
  })
  .openapi("User")

const presentUser = (user: UserRow): z.infer<typeof User> => ({
  account_id: user.accountId,
  email: user.email,
  tier: user.tier,
  active_keys: user.activeKeys,
  credits_used: user.used,
  created_at: iso(user.createdAt),
})

const list = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/users",
    operationId: "listUsers",
    tags: ["admin"],
    summary: "Accounts, paged by cursor or offset",
    request: {
      query: z.object({
        limit: wholeNumberOr(100, { min: 1, max: 500, description: "Accounts per page" }),
        offset: wholeNumberOr(0, { min: 0, max: 1_000_000, description: "Accounts to skip" }),
        cursor: z.string().max(64).default("").openapi({ description: "next_cursor of the previous page" }),
        proven: flag(false, "Only accounts whose owner has signed in"),
      }),
    },
    responses: {
      200: ok(
        z.object({
          users: z.array(User),
          limit: z.int(),
          offset: z.int(),
          next_cursor: z.string().nullable().openapi({ description: "Null on the last page" }),
        }),
      ),
    },
  }),
  async (c) => {
    const { limit, offset, cursor, proven } = c.req.valid("query")
    const { clock } = c.var.ctx
    const { operator } = c.var.ctx.store
    const ask = { after: cursor, limit: limit + 1, offset, onlyProven: proven }
    const read = () => operator.users(ask, periodOf(clock.now()))
    const found = await read()
    const ids = found.map(({ accountId }) => accountId)
    const { page, last } = pageOf((await recallLeases(c.var.ctx, ids)) ? await read() : found, limit)
    return c.json({ users: page.map(presentUser), limit, offset, next_cursor: last?.accountId ?? null }, 200)
  },
)

const upgrade = endpoint(
  "admin",
  createRoute({
    method: "post",
    path: "/admin/users/{email}/upgrade",
    operationId: "upgradeUser",
    tags: ["admin"],
    summary: "Set the plan of an account and the tier of its keys; active from the next request",
    description: "Keys below the plan keep their tier, unless the new plan is lower.",
    request: {
      params: z.object({ email: z.string().max(320).openapi({ example: "owner@example.org" }) }),
      body: json(z.object({ tier: z.enum(TIERS).openapi({ example: "pro" }) })),
    },
    responses: {
      200: ok(
        z.object({
          account_id: z.string(),
          email: z.string(),
          tier: z.enum(TIERS),
          previous_tier: z.enum(TIERS),
          keys_updated: z.int(),
        }),
      ),
      ...problem(400, 404),
    },
  }),
  async (c) => {
    const { tier } = c.req.valid("json")
    const { account, keys } = await setTier(c.var.ctx, { email: c.req.valid("param").email, tier })
    c.set("auditNote", { subject: account.accountId, details: { from: account.tier, to: tier, keys } })
    return c.json(
      {
        account_id: account.accountId,
        email: account.email ?? "",
        tier,
        previous_tier: account.tier,
        keys_updated: keys,
      },
      200,
    )
  },
)

export const userEndpoints: Endpoint[] = [list, upgrade]
