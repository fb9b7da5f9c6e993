import { createRoute, z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import { KEY_KINDS } from "../../domain/accounts/credentials.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { histogramOf } from "../../domain/accounts/usage.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpoint, member } from "../../http/endpoint.ts"
import { json, orElse, wholeNumberOr } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { emailOf } from "../../services/accounts/identify.ts"
import { changeKey, createKey, findKey, listKeys, revokeKey, rotateKey } from "../../services/accounts/keys.ts"
import {
  Key,
  KeyId,
  monthlyLimit,
  perMinute,
  presentKey,
  presentRestrictions,
  RestrictionInput,
  readRestrictions,
  restrictionFields,
} from "./present-key.ts"

const CreatedKey = z
  .object({
    key_id: z.string(),
    api_key: z.string().openapi({ description: "Shown only once" }),
    tier: z.enum(TIERS),
    monthly_limit: monthlyLimit,
    rate_per_min: perMinute,
    owner_email: z.string(),
    warning: z.string(),
    confirm: z.string().nullable().openapi({
      description:
        "How the owner of owner_email joins this key to the account. Null for a key made with a key or session",
    }),
    ...restrictionFields,
  })
  .openapi("CreatedKey")

const keyName = z.string().trim().min(1).max(100).openapi({ example: "newsletter pipeline" })

const STORE_NOW = "Store this key now: it is shown only once."
const FOR_PAGES = "This key is for pages, so every visitor can read it. It is shown only once, and only checks forms."

const howToConfirm = (email: string) =>
  `This key belongs to no account yet, and the owner of ${email} can join or revoke it. POST /auth/request with this key and {"email": "${email}"} mails a sign-in link. After the sign-in, join the key in the console or by POST /me/unconfirmed-keys/{key_id}/join.`

const create = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/keys",
    operationId: "createKey",
    tags: ["keys"],
    summary: "Create a key",
    description: `Returns a new API key, whose secret is shown only in this answer. It may have an end, scopes, networks and origins. Without a key of your own, the new one joins an account only after its owner signs in. At most ${FREE_WORK.strangerKeys.limit} an hour for a network without a key, and ${FREE_WORK.secrets.limit} for an account.`,
    request: {
      body: json(
        z.object({
          name: keyName,
          owner_email: z.string().max(320).openapi({ example: "owner@example.org" }),
          kind: orElse(z.enum(KEY_KINDS), "secret").openapi({
            description:
              "A `publishable` key (`mv_pk_…`) is part of a page: it only calls `POST /form/verify`, for pages of its `allowed_origins`. It needs a key or session of an account",
          }),
          tier: orElse(z.enum(TIERS), "free").openapi({
            description: "At most the account's plan; with the admin secret, any tier",
          }),
          ...RestrictionInput.shape,
        }),
      ),
    },
    responses: { 200: ok(CreatedKey), ...problem(400, 402, 409) },
  }),
  async (c) => {
    const { name, owner_email, tier, kind, ...given } = c.req.valid("json")
    const { caller } = c.var
    const owned = { name, ownerEmail: owner_email, tier, kind, restrictions: readRestrictions(given) }
    const key = await createKey(c.var.ctx, { caller, clientIp: clientIpOf(c), ...owned })
    c.set("auditNote", { subject: key.keyId, details: { account: key.accountId, tier } })
    const { perMonth, perMinute } = c.var.ctx.config.limits.table[tier]
    c.header("cache-control", "no-store")
    return c.json(
      {
        key_id: key.keyId,
        api_key: key.secret,
        tier,
        monthly_limit: perMonth,
        rate_per_min: perMinute,
        owner_email: key.ownerEmail,
        warning: kind === "secret" ? STORE_NOW : FOR_PAGES,
        confirm: caller.kind === "member" ? null : howToConfirm(key.ownerEmail),
        ...presentRestrictions(key.restrictions),
      },
      200,
    )
  },
)

const SessionUse = z
  .object({ verifications_this_month: z.int(), credits_this_month: z.int() })
  .openapi({ description: "Use without a key, by a sign-in: the console's. With the keys it adds up to the account's" })

const list = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/keys",
    operationId: "listKeys",
    tags: ["keys"],
    summary: "List the keys",
    description:
      "Returns every key of the account, newest first, with its restrictions and its usage. Secrets are never shown again, only the last four characters.",
    responses: { 200: ok(z.object({ owner_email: z.string(), keys: z.array(Key), sessions: SessionUse })) },
  }),
  async (c) => {
    const caller = member(c)
    const { clock } = c.var.ctx
    const { limits } = c.var.ctx.config
    // The keys' leased credits are booked first, and then those of the sessions agree with them.
    const own = await listKeys(c.var.ctx, caller.accountId)
    const sessions = await c.var.ctx.store.keys.usedBySessions(caller.accountId, periodOf(clock.now()))
    return c.json(
      {
        owner_email: emailOf(caller),
        keys: own.map((key) => presentKey(key, { limits, now: clock.now() })),
        sessions: { verifications_this_month: sessions.verifications, credits_this_month: sessions.credits },
      },
      200,
    )
  },
)

const KeyUsage = Key.extend({
  daily: z.array(z.object({ date: z.string().openapi({ example: "2026-11-21" }), verifications: z.int() })).openapi({
    description: "Every UTC day, oldest first, with the days without verifications",
  }),
}).openapi("KeyUsage")

const usage = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/keys/{key_id}/usage",
    operationId: "keyUsage",
    tags: ["keys"],
    summary: "Get a key's usage",
    description: "Returns the key's verifications of each day, and its credits of the month.",
    request: {
      params: KeyId,
      query: z.object({ days: wholeNumberOr(30, { min: 1, max: 365, description: "Number of days, up to today" }) }),
    },
    responses: { 200: ok(KeyUsage), ...problem(404) },
  }),
  async (c) => {
    const { clock, config, store } = c.var.ctx
    const { days } = c.req.valid("query")
    const key = await findKey(c.var.ctx, { caller: member(c), keyId: c.req.valid("param").key_id })
    const now = clock.now()
    const counts = await store.history.ofKey(key.keyId, dayOf(now - (days - 1) * DAY_MS))
    const daily = histogramOf(counts, { now, days }).map(({ date, count }) => ({ date, verifications: count }))
    return c.json({ ...presentKey(key, { limits: config.limits, now }), daily }, 200)
  },
)

const change = endpoint(
  "key",
  createRoute({
    method: "patch",
    path: "/keys/{key_id}",
    operationId: "changeKey",
    tags: ["keys"],
    summary: "Change a key",
    description:
      "Renames a key or changes what it may do, from the next call on. A field that is left out stays. Null removes a restriction.",
    request: {
      params: KeyId,
      body: json(RestrictionInput.extend({ name: keyName.optional() })),
    },
    responses: { 200: ok(Key), ...problem(404, 409) },
  }),
  async (c) => {
    const { key_id: keyId } = c.req.valid("param")
    const { name, ...given } = c.req.valid("json")
    const changes = { ...(name === undefined ? {} : { name }), restrictions: readRestrictions(given) }
    const { ctx } = c.var
    const key = await changeKey(ctx, { caller: member(c), keyId }, changes)
    c.set("auditNote", { subject: keyId })
    return c.json(presentKey(key, { limits: ctx.config.limits, now: ctx.clock.now() }), 200)
  },
)

const rotate = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/keys/{key_id}/rotate",
    operationId: "rotateKey",
    tags: ["keys"],
    summary: "Rotate a key",
    description:
      "Replaces a key by a new one with the same restrictions, shown only in this answer. The old key stops working at once. A lost answer means another rotation.",
    request: { params: KeyId },
    responses: {
      200: ok(z.object({ key_id: z.string(), api_key: z.string(), rotated_from: z.string(), revoked: z.string() })),
      ...problem(404, 409),
    },
  }),
  async (c) => {
    const { key_id } = c.req.valid("param")
    const key = await rotateKey(c.var.ctx, { caller: member(c), keyId: key_id })
    return c.json({ key_id: key.keyId, api_key: key.secret, rotated_from: key_id, revoked: key_id }, 200)
  },
)

const revoke = endpoint(
  "key",
  createRoute({
    method: "delete",
    path: "/keys/{key_id}",
    operationId: "revokeKey",
    tags: ["keys"],
    summary: "Revoke a key",
    description: "Ends a key at once and for good. Other keys of the account keep working.",
    request: { params: KeyId },
    responses: { 200: ok(z.object({ key_id: z.string(), revoked: z.literal(true) })), ...problem(404) },
  }),
  async (c) => {
    const { key_id } = c.req.valid("param")
    await revokeKey(c.var.ctx, { accountId: member(c).accountId, keyId: key_id })
    return c.json({ key_id, revoked: true as const }, 200)
  },
)

export const keyEndpoints: Endpoint[] = [create, list, usage, change, rotate, revoke]
