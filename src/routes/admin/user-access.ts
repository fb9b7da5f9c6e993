import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import { tierIn } from "../../domain/accounts/tiers.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { orElse } from "../../http/fields.ts"
import { ownerMailbox } from "../../http/input-fields.ts"
import { createKeyFor, issueSignInLink, openAccount } from "../../services/admin/accounts.ts"
import { monthlyLimit, perMinute } from "../accounts/present-key.ts"
import { Account, answerUser, UserWithKeys } from "./users.ts"

const endpoint = endpointsOf("admin")

const create = endpoint("admin", "POST /admin/users", {
  operationId: "createUser",
  summary: "Create an account",
  description:
    "Creates the account of a mailbox that you vouch for, without a mail. The reader of the mailbox owns the account: a mailed link signs in to it. 409 when the mailbox has an account.",
  json: z.object({
    email: ownerMailbox(),
    tier: orElse(z.enum(TIERS), "free").openapi({
      description: "The operator's plan. `unlimited` has no limits",
      example: "unlimited",
    }),
  }),
  answer: UserWithKeys,
  problems: [400, 409],
  async handle(c) {
    const { email, tier } = c.req.valid("json")
    const accountId = await openAccount(c.var.ctx, { email, tier })
    c.set("auditNote", { subject: accountId, details: { granted: tier } })
    return await answerUser(c.var.ctx, accountId)
  },
})

const createKey = endpoint("admin", "POST /admin/users/{account}/keys", {
  operationId: "createUserKey",
  summary: "Create a key of an account",
  description:
    "Returns a new API key of an existing account, whose secret is shown only in this answer. Its tier may be higher than the account's plan. The owner finds the key in the console.",
  params: Account,
  json: z.object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .openapi({ description: "A name to recognize the key by", example: "billing system" }),
    tier: z.enum(TIERS).openapi({ description: "`unlimited` has no limits", example: "unlimited" }),
  }),
  answer: z.object({
    key_id: z.string(),
    api_key: z.string().openapi({ description: "Shown only once" }),
    account_id: z.string(),
    name: z.string(),
    tier: z.enum(TIERS),
    monthly_limit: monthlyLimit,
    rate_per_min: perMinute,
  }),
  problems: [400, 404],
  async handle(c) {
    const { name, tier: given } = c.req.valid("json")
    const { limits } = c.var.ctx.config
    const key = await createKeyFor(c.var.ctx, { account: c.req.valid("param").account, name, tier: given })
    c.set("auditNote", { subject: key.keyId, details: { account: key.accountId, tier: given } })
    const tier = tierIn(limits, given)
    return {
      key_id: key.keyId,
      api_key: key.secret,
      account_id: key.accountId,
      name,
      tier,
      monthly_limit: limits.table[tier].perMonth,
      rate_per_min: limits.table[tier].perMinute,
    }
  },
})

const createLink = endpoint("admin", "POST /admin/users/{account}/sign-in-link", {
  operationId: "createSignInLink",
  summary: "Create a sign-in link",
  description:
    "Returns a link that signs in to the account's console once, for 15 minutes, as its mailbox would get it by mail. Use it without a mail service, or for an owner who cannot receive mail. 409 for an account without a proven mailbox.",
  params: Account,
  answer: z.object({
    url: z.string().openapi({ example: "https://api.example.com/console/#/sign-in/…" }),
    account_id: z.string(),
    email: z.string(),
    expires_at: z.iso.datetime(),
  }),
  problems: [400, 404, 409],
  async handle(c) {
    const { accountId, email, url, expiresAt } = await issueSignInLink(c.var.ctx, c.req.valid("param").account)
    c.set("auditNote", { subject: accountId })
    return { url, account_id: accountId, email, expires_at: iso(expiresAt) }
  },
})

export const userAccessEndpoints: Endpoint[] = [create, createKey, createLink]
