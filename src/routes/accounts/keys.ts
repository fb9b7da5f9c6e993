import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import { KEY_KINDS, type KeyKind } from "../../domain/accounts/credentials.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { testAllowanceOf } from "../../domain/accounts/test-mode.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { histogramOf } from "../../domain/accounts/usage.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, orElse, wholeNumberOr } from "../../http/fields.ts"
import { ownerMailbox } from "../../http/input-fields.ts"
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

const endpoint = endpointsOf("keys")

const keyName = z.string().trim().min(1).max(100).openapi({
  description: "A name to recognize the key by",
  example: "newsletter pipeline",
})

const STORE_NOW = "Store this key now: it is shown only once."
const FOR_PAGES = "This key is for pages, so every visitor can read it. It is shown only once, and only checks forms."

const FOR_TESTS =
  "This key is for tests: it verifies the addresses of the sandbox under .test, for free, and no other. It is shown only once."
const WARNINGS: Readonly<Record<KeyKind, string>> = { secret: STORE_NOW, publishable: FOR_PAGES, test: FOR_TESTS }

const howToConfirm = (email: string) =>
  `This key belongs to no account yet, and the owner of ${email} can join or revoke it. POST /auth/request with this key and {"email": "${email}"} mails a sign-in link. After the sign-in, join the key in the console or by POST /me/unconfirmed-keys/{key_id}/join.`

const create = endpoint("key-optional", "POST /keys", {
  operationId: "createKey",
  summary: "Create a key",
  description: `Returns a new API key, whose secret is shown only in this answer. It may have an end, scopes, networks and origins. Without a key of your own, the new one joins an account only after its owner signs in. At most ${FREE_WORK.strangerKeys.limit} an hour for a network without a key, and ${FREE_WORK.secrets.limit} for an account.`,
  json: z.object({
    name: keyName,
    owner_email: ownerMailbox(),
    kind: orElse(z.enum(KEY_KINDS), "secret").openapi({
      description:
        "A `publishable` key (`mv_pk_…`) is part of a page: it only calls `POST /form/verify`, for pages of its `allowed_origins`. It needs a key or session of an account. A `test` key (`mv_test_…`) verifies the addresses under `.test`, free and without a mail server, and no other. Its lists, suppressions and webhooks are apart from those of the account",
    }),
    tier: orElse(z.enum(TIERS), "free").openapi({
      description: "At most the account's plan; with the admin secret, any tier",
    }),
    ...RestrictionInput.shape,
  }),
  answer: component("CreatedKey", {
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
  }),
  problems: [400, 402, 409],
  async handle(c) {
    const { name, owner_email, tier, kind, ...given } = c.req.valid("json")
    const { caller } = c.var
    const owned = { name, ownerEmail: owner_email, tier, kind, restrictions: readRestrictions(given) }
    const key = await createKey(c.var.ctx, { caller, clientIp: clientIpOf(c), ...owned })
    c.set("auditNote", { subject: key.keyId, details: { account: key.accountId, tier } })
    const ofTier = c.var.ctx.config.limits.table[tier]
    const { perMonth, perMinute } = kind === "test" ? testAllowanceOf(ofTier) : ofTier
    c.header("cache-control", "no-store")
    return {
      key_id: key.keyId,
      api_key: key.secret,
      tier,
      monthly_limit: perMonth,
      rate_per_min: perMinute,
      owner_email: key.ownerEmail,
      warning: WARNINGS[kind],
      confirm: caller.kind === "member" ? null : howToConfirm(key.ownerEmail),
      ...presentRestrictions(key.restrictions),
    }
  },
})

const SessionUse = z
  .object({ verifications_this_month: z.int(), credits_this_month: z.int() })
  .openapi({ description: "Use without a key, by a sign-in: the console's. With the keys it adds up to the account's" })

const list = endpoint("key", "GET /keys", {
  operationId: "listKeys",
  summary: "List the keys",
  description:
    "Returns every key of the account, newest first, with its restrictions and its usage. Secrets are never shown again, only the last four characters.",
  answer: z.object({ owner_email: z.string(), keys: z.array(Key), sessions: SessionUse }),
  async handle(c) {
    const caller = member(c)
    const { clock } = c.var.ctx
    // The keys' leased credits are booked first, and then those of the sessions agree with them.
    const own = await listKeys(c.var.ctx, caller.accountId)
    const sessions = await c.var.ctx.store.keys.usedBySessions(caller.accountId, periodOf(clock.now()))
    return {
      owner_email: emailOf(caller),
      keys: own.map((key) => presentKey(key, { limits: c.var.ctx.config.limits, now: clock.now() })),
      sessions: { verifications_this_month: sessions.verifications, credits_this_month: sessions.credits },
    }
  },
})

const KeyUsage = Key.extend({
  daily: arrayOf({ date: z.string().openapi({ example: "2026-11-21" }), verifications: z.int() }).openapi({
    description: "Every UTC day, oldest first, with the days without verifications",
  }),
}).openapi("KeyUsage")

const usage = endpoint("key", "GET /keys/{key_id}/usage", {
  operationId: "keyUsage",
  summary: "Get a key's usage",
  description: "Returns the key's verifications of each day, and its credits of the month.",
  params: KeyId,
  query: z.object({ days: wholeNumberOr(30, { min: 1, max: 365, description: "Number of days, up to today" }) }),
  answer: KeyUsage,
  problems: [404],
  async handle(c) {
    const { clock, config, store } = c.var.ctx
    const { days } = c.req.valid("query")
    const key = await findKey(c.var.ctx, { caller: member(c), keyId: c.req.valid("param").key_id })
    const now = clock.now()
    const counts = await store.history.ofKey(key.keyId, dayOf(now - (days - 1) * DAY_MS))
    const daily = histogramOf(counts, { now, days }).map(({ date, count }) => ({ date, verifications: count }))
    return { ...presentKey(key, { limits: config.limits, now }), daily }
  },
})

const change = endpoint("key", "PATCH /keys/{key_id}", {
  operationId: "changeKey",
  summary: "Change a key",
  description:
    "Renames a key or changes what it may do, from the next call on. A field that is left out stays. Null removes a restriction.",
  params: KeyId,
  json: RestrictionInput.extend({ name: keyName.optional() }),
  answer: Key,
  problems: [404, 409],
  async handle(c) {
    const { key_id: keyId } = c.req.valid("param")
    const { name, ...given } = c.req.valid("json")
    const changes = { ...(name === undefined ? {} : { name }), restrictions: readRestrictions(given) }
    const { ctx } = c.var
    const key = await changeKey(ctx, { caller: member(c), keyId }, changes)
    c.set("auditNote", { subject: keyId })
    return presentKey(key, { limits: ctx.config.limits, now: ctx.clock.now() })
  },
})

const rotate = endpoint("key", "POST /keys/{key_id}/rotate", {
  operationId: "rotateKey",
  summary: "Rotate a key",
  description:
    "Replaces a key by a new one with the same restrictions, shown only in this answer. The old key stops working at once. A lost answer means another rotation.",
  params: KeyId,
  answer: z.object({ key_id: z.string(), api_key: z.string(), rotated_from: z.string(), revoked: z.string() }),
  problems: [404, 409],
  async handle(c) {
    const { key_id } = c.req.valid("param")
    const key = await rotateKey(c.var.ctx, { caller: member(c), keyId: key_id })
    return { key_id: key.keyId, api_key: key.secret, rotated_from: key_id, revoked: key_id }
  },
})

const revoke = endpoint("key", "DELETE /keys/{key_id}", {
  operationId: "revokeKey",
  summary: "Revoke a key",
  description: "Ends a key at once and for good. Other keys of the account keep working.",
  params: KeyId,
  answer: z.object({ key_id: z.string(), revoked: z.literal(true) }),
  problems: [404],
  async handle(c) {
    const { key_id } = c.req.valid("param")
    await revokeKey(c.var.ctx, { accountId: member(c).accountId, keyId: key_id })
    return { key_id, revoked: true as const }
  },
})

export const keyEndpoints: Endpoint[] = [create, list, usage, change, rotate, revoke]
