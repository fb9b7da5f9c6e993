import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { UserRow } from "../../adapters/store/admin/users.ts"
import type { Context } from "../../context.ts"
import { type Limits, periodOf, tierIn } from "../../domain/accounts/tiers.ts"
import { pageOf } from "../../domain/page.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, flag, wholeNumberOr } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { recallLeases } from "../../services/accounts/charge.ts"
import { listKeys, revokeAnyKey } from "../../services/accounts/keys.ts"
import { MAX_COUNTED } from "../../services/accounts/unconfirmed-keys.ts"
import { findAccount, resumeAccount, setTier, suspendAccount } from "../../services/admin/accounts.ts"
import { Key, KeyId, last4, presentKey } from "../accounts/present-key.ts"

const endpoint = endpointsOf("admin")

const time = z.iso.datetime()
const User = component("User", {
  account_id: z.string().openapi({ example: "acc_0123456789abcdef01234567" }),
  email: z
    .string()
    .nullable()
    .openapi({ description: "Null until its owner has signed in", example: "owner@example.org" }),
  owner_email: z.string().nullable().openapi({
    description: "The email; before the first sign-in the address given with the newest key, which nothing proves",
    example: "owner@example.org",
  }),
  tier: z.enum(TIERS).openapi({ description: "The tier in force: the highest of the plan and the active keys" }),
  plan: z.enum(TIERS).openapi({ description: "The account's plan, which its sessions use" }),
  granted_plan: z.enum(TIERS).nullable().openapi({
    description: "The operator's part of the plan, which stays when a subscription ends. Null without one",
  }),
  status: z.enum(["active", "suspended"]),
  suspended_at: time.nullable(),
  active_keys: z.int(),
  credits_used: z.int().openapi({ description: "This month" }),
  credits_limit: z.int().nullable().openapi({ description: "A month, at this tier. Null when unlimited" }),
  bought_credits_left: z.int(),
  last_used: time.nullable().openapi({ description: "The last use of a key or a session, exact to an hour" }),
  created_at: time,
})

function presentUser(user: UserRow, limits: Limits): z.infer<typeof User> {
  const tier = tierIn(limits, user.tier)
  return {
    account_id: user.accountId,
    email: user.email,
    owner_email: user.email ?? user.keyOwner,
    tier,
    plan: tierIn(limits, user.plan),
    granted_plan: user.grantedPlan && tierIn(limits, user.grantedPlan),
    status: user.suspendedAt === null ? "active" : "suspended",
    suspended_at: iso(user.suspendedAt),
    active_keys: user.activeKeys,
    credits_used: user.used,
    credits_limit: limits.table[tier].perMonth,
    bought_credits_left: user.boughtCredits ?? 0,
    last_used: iso(user.lastUsedAt),
    created_at: iso(user.createdAt),
  }
}

const list = endpoint("admin", "GET /admin/users", {
  operationId: "listUsers",
  summary: "List the accounts",
  description:
    "Returns all accounts, ordered by id. `search` finds a part of an account id, a key id or an owner's address. Prefer `cursor` to `offset` on many pages.",
  query: z.object({
    limit: wholeNumberOr(100, { min: 1, max: 500, description: "Accounts per page" }),
    offset: wholeNumberOr(0, { min: 0, max: 1_000_000, description: "Accounts to skip" }),
    cursor: z.string().max(64).default("").openapi({ description: "next_cursor of the previous page" }),
    search: z.string().trim().toLowerCase().max(320).default("").openapi({
      description: "Part of an account id, a key id, or an owner's address, in any case",
      example: "example.org",
    }),
    proven: flag(false, "Only accounts whose owner has signed in"),
    suspended: flag(false, "Only suspended accounts"),
  }),
  answer: z.object({
    users: z.array(User),
    limit: z.int(),
    offset: z.int(),
    next_cursor: z.string().nullable().openapi({ description: "Null on the last page" }),
  }),
  async handle(c) {
    const { limit, offset, cursor, search, proven, suspended } = c.req.valid("query")
    const { clock, config, store } = c.var.ctx
    const selection = { after: cursor, limit: limit + 1, offset, search, onlyProven: proven, onlySuspended: suspended }
    const read = () => store.users.list(selection, periodOf(clock.now()))
    const found = await read()
    const ids = found.map(({ accountId }) => accountId)
    const { page, last } = pageOf((await recallLeases(c.var.ctx, ids)) ? await read() : found, limit)
    const users = page.map((user) => presentUser(user, config.limits))
    return { users, limit, offset, next_cursor: last?.accountId ?? null }
  },
})

export const Account = z.object({
  account: z.string().max(320).openapi({
    pattern: PATTERNS.account,
    description: "The account's id, the id of one of its keys, or the mailbox that its owner has proven",
    example: "acc_0123456789abcdef01234567",
  }),
})
export const UserWithKeys = User.extend({ keys: z.array(Key) }).openapi("UserWithKeys")

/** Answers with an account and its keys. */
export async function answerUser(ctx: Context, accountId: string): Promise<z.infer<typeof UserWithKeys>> {
  const { clock, config, store } = ctx
  const { limits } = config
  const period = periodOf(clock.now())
  const keys = await listKeys(ctx, accountId)
  const user = await store.users.find(accountId, period)
  if (!user) throw new AppError("not_found", "there is no such account")
  return { ...presentUser(user, limits), keys: keys.map((key) => presentKey(key, { limits, now: clock.now() })) }
}

const one = endpoint("admin", "GET /admin/users/{account}", {
  operationId: "getUser",
  summary: "Get an account",
  description: "Returns an account with its keys, its plan and its usage.",
  params: Account,
  answer: UserWithKeys,
  problems: [400, 404],
  async handle(c) {
    const { accountId } = await findAccount(c.var.ctx, c.req.valid("param").account)
    c.set("auditNote", { subject: accountId })
    return await answerUser(c.var.ctx, accountId)
  },
})

const suspend = endpoint("admin", "POST /admin/users/{account}/suspend", {
  operationId: "suspendUser",
  summary: "Suspend an account",
  description:
    "Refuses all keys and sessions of an account with 403, from the next request on. Its jobs and syncs wait, and nothing is removed. Suspending again changes nothing.",
  params: Account,
  answer: UserWithKeys,
  problems: [400, 404],
  async handle(c) {
    const { accountId } = await findAccount(c.var.ctx, c.req.valid("param").account)
    const changed = await suspendAccount(c.var.ctx, accountId)
    c.set("auditNote", { subject: accountId, details: { changed } })
    return await answerUser(c.var.ctx, accountId)
  },
})

const resume = endpoint("admin", "POST /admin/users/{account}/resume", {
  operationId: "resumeUser",
  summary: "Resume an account",
  description: "Ends a suspension. Keys and sessions work again, and waiting jobs and syncs continue.",
  params: Account,
  answer: UserWithKeys,
  problems: [400, 404],
  async handle(c) {
    const { accountId } = await findAccount(c.var.ctx, c.req.valid("param").account)
    const changed = await resumeAccount(c.var.ctx, accountId)
    c.set("auditNote", { subject: accountId, details: { changed } })
    return await answerUser(c.var.ctx, accountId)
  },
})

const revoke = endpoint("admin", "DELETE /admin/keys/{key_id}", {
  operationId: "revokeAnyKey",
  summary: "Revoke a key of any account",
  description: "Ends a key at once and for good. Use it for a leaked key whose owner does not answer.",
  params: KeyId,
  answer: z.object({ key_id: z.string(), account_id: z.string(), revoked: z.literal(true) }),
  problems: [404],
  async handle(c) {
    const { key_id } = c.req.valid("param")
    const account_id = await revokeAnyKey(c.var.ctx, key_id)
    c.set("auditNote", { subject: key_id, details: { account: account_id } })
    return { key_id, account_id, revoked: true as const }
  },
})

const upgrade = endpoint("admin", "POST /admin/users/{email}/upgrade", {
  operationId: "upgradeUser",
  summary: "Set an account's plan",
  description:
    "Sets the operator's plan of an account and the tier of its keys, from the next request on. `free` removes it. The plan of a running subscription stays in force when it is higher, and an ended one falls back to the operator's. Covers the account, its sessions and its keys. Keys below the plan keep their tier, unless the new plan is lower. Unconfirmed keys in the mailbox's name are not covered.",
  params: z.object({
    email: z.string().max(320).openapi({
      pattern: PATTERNS.account,
      description:
        "The mailbox that the account's owner has proven. Before the first sign-in: the account's id, or the id of one of its keys",
      example: "owner@example.org",
    }),
  }),
  json: z.object({ tier: z.enum(TIERS).openapi({ description: "The plan", example: "pro" }) }),
  answer: z.object({
    account_id: z.string(),
    email: z.string().openapi({ description: "Empty before the owner's first sign-in" }),
    tier: z
      .enum(TIERS)
      .openapi({ description: "The plan in force: higher than the given one when a subscription pays for it" }),
    previous_tier: z.enum(TIERS),
    keys_updated: z.int().openapi({ description: "Active keys of the account that now have this tier" }),
    keys_unchanged: z.int().openapi({
      description: "Active keys of the account that were below both plans, and keep their tier",
    }),
    unconfirmed_keys: arrayOf({ key_id: z.string(), last4 }).openapi({
      description:
        "Keys in the mailbox's name that belong to no account, so they keep their tier: at most 100, the newest first. A stranger may have made them. They get the plan when the owner joins them (/me/unconfirmed-keys)",
    }),
    unconfirmed_total: z.int().openapi({ description: `All such keys, counted up to ${MAX_COUNTED}` }),
  }),
  problems: [400, 404],
  async handle(c) {
    const { tier } = c.req.valid("json")
    const change = await setTier(c.var.ctx, { given: c.req.valid("param").email, tier })
    const { account, inForce, updatedKeys, unchangedKeys, unconfirmed } = change
    c.set("auditNote", {
      subject: account.accountId,
      details: { from: account.tier, to: inForce, granted: tier, keys: updatedKeys },
    })
    return {
      account_id: account.accountId,
      email: account.email ?? "",
      tier: inForce,
      previous_tier: account.tier,
      keys_updated: updatedKeys,
      keys_unchanged: unchangedKeys,
      unconfirmed_keys: unconfirmed.keys.map(({ keyId, last4 }) => ({ key_id: keyId, last4 })),
      unconfirmed_total: unconfirmed.total,
    }
  },
})

export const userEndpoints: Endpoint[] = [list, one, upgrade, suspend, resume, revoke]
