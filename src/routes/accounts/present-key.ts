import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import { KEY_KINDS } from "../../domain/accounts/credentials.ts"
import {
  DEFAULT_FORM_POLICY,
  type FormPolicy,
  KEY_SCOPES,
  kindOf,
  MAX_RESTRICTION_ENTRIES,
  normalNetwork,
  normalOrigin,
  type RestrictionChange,
  UNRESTRICTED,
} from "../../domain/accounts/key-restrictions.ts"
import { testAllowanceOf } from "../../domain/accounts/test-mode.ts"
import { type Limits, tierIn } from "../../domain/accounts/tiers.ts"
import { iso } from "../../domain/time.ts"
import { component } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import type { KeyToday } from "../../services/accounts/keys.ts"

export const KeyId = z.object({
  key_id: z
    .string()
    .max(64)
    .openapi({ description: "Id of the key, which is not its secret", example: "kid_0123456789abcdef01234567" }),
})
export const monthlyLimit = z.int().nullable().openapi({ description: "Null when unlimited", example: 100 })
export const perMinute = z.int().nullable().openapi({ description: "Null when unlimited", example: 10 })
export const last4 = z.string().openapi({ description: "The last four characters of the key", example: "8fQ2" })

const expiresAt = z.iso.datetime({ offset: true })
const network = z
  .string()
  .max(64)
  .openapi({ pattern: PATTERNS.network })
  .transform(normalised(normalNetwork, "must be an IP address or a network, such as 192.0.2.0/24"))
const origin = z
  .string()
  .max(300)
  .openapi({ pattern: PATTERNS.origin })
  .transform(
    normalised(
      normalOrigin,
      "must be an origin without a path, such as https://shop.example or https://*.shop.example; a wildcard is one whole label below a domain of one owner",
    ),
  )
const entries = <T extends z.ZodType>(one: T) => z.array(one).min(1).max(MAX_RESTRICTION_ENTRIES).nullish()

/** Replaces a text by its normal form, and refuses one that has none. */
function normalised(normalForm: (text: string) => string | null, msg: string) {
  return (text: string, context: z.core.$RefinementCtx<string>) => {
    const normal = normalForm(text)
    if (normal !== null) return normal
    context.addIssue({ code: "custom", message: msg })
    return z.NEVER
  }
}

/** What a key may do, as a caller sets it. */
export const RestrictionInput = z.object({
  expires_at: expiresAt.nullish().openapi({
    description: "The key is refused from then on. In the future, within five years",
    example: "2027-03-01T00:00:00Z",
  }),
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1)
    .max(KEY_SCOPES.length)
    .nullish()
    .openapi({
      description: "The only calls that the key may make; see docs/api.md",
      example: ["verify"],
    }),
  allowed_networks: entries(network).openapi({
    description: "The only IP addresses and networks that may use the key",
    example: ["192.0.2.0/24"],
  }),
  allowed_origins: entries(origin).openapi({
    description:
      "The only origins whose pages may use the key: the request's Origin header must be one of them. `https://*.shop.example` allows every host one label below `shop.example`, and not `shop.example` itself",
    example: ["https://shop.example"],
  }),
  daily_budget: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullish()
    .openapi({
      description: `Of a publishable key: its answers a UTC day, at most; ${DEFAULT_FORM_POLICY.dailyBudget} by default`,
      example: 1_000,
    }),
  visitor_per_minute: z
    .int()
    .min(1)
    .max(600)
    .nullish()
    .openapi({
      description: `Of a publishable key: requests a minute of one visitor's network; ${DEFAULT_FORM_POLICY.perMinute} by default`,
      example: 20,
    }),
  live_timeout_ms: z.int().min(1_000).max(3_000).nullish().openapi({
    description:
      "Of a publishable key: milliseconds that an answer may wait for the mail server, at a credit each. Null: no mail server is probed",
    example: 2_500,
  }),
})

/** @returns the given fields; one that is left out is missing */
export function readRestrictions(given: z.output<typeof RestrictionInput>): RestrictionChange {
  const { expires_at: end, scopes, allowed_networks: networks, allowed_origins: origins } = given
  return {
    ...(end === undefined ? {} : { expiresAt: end === null ? null : Date.parse(end) }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(networks === undefined ? {} : { networks }),
    ...(origins === undefined ? {} : { origins }),
    ...readForm(given),
  }
}

function readForm(given: z.output<typeof RestrictionInput>): Pick<RestrictionChange, "form"> {
  const { daily_budget, visitor_per_minute, live_timeout_ms } = given
  const form: Partial<FormPolicy> = {
    ...(daily_budget == null ? {} : { dailyBudget: daily_budget }),
    ...(visitor_per_minute == null ? {} : { perMinute: visitor_per_minute }),
    ...(live_timeout_ms === undefined ? {} : { liveTimeoutMs: live_timeout_ms }),
  }
  return Object.keys(form).length > 0 ? { form } : {}
}

const unrestricted = "Null: not restricted"
const ofPublishable = "Null for a secret key"
export const restrictionFields = {
  kind: z.enum(KEY_KINDS),
  expires_at: z.iso.datetime().nullable().openapi({ description: "Null: never" }),
  scopes: z.array(z.enum(KEY_SCOPES)).nullable().openapi({ description: unrestricted }),
  allowed_networks: z.array(z.string()).nullable().openapi({ description: unrestricted }),
  allowed_origins: z.array(z.string()).nullable().openapi({ description: unrestricted }),
  daily_budget: z.int().nullable().openapi({ description: ofPublishable }),
  visitor_per_minute: z.int().nullable().openapi({ description: ofPublishable }),
  live_timeout_ms: z
    .int()
    .nullable()
    .openapi({ description: `${ofPublishable}, and when no mail server is probed` }),
}

export const Key = component("Key", {
  key_id: z.string(),
  name: z.string(),
  last4,
  tier: z.enum(TIERS),
  is_active: z.int().min(0).max(1),
  monthly_limit: monthlyLimit,
  rate_per_min: perMinute,
  verifications_this_month: z.int().openapi({ description: "New and stored results; each counts within seconds" }),
  verifications_total: z.int(),
  credits_this_month: z.int().openapi({ description: "Counts against monthly_limit: a find costs five" }),
  credits_total: z.int(),
  created_at: z.number().openapi({ description: "Unix seconds" }),
  last_used: z.number().nullable().openapi({ description: "Unix seconds; null before the first use" }),
  replaced_by: z.string().nullable().openapi({
    description: "The key_id of the key that replaced this one when it was rotated; else null",
  }),
  ...restrictionFields,
  used_today: z.int().nullable().openapi({
    description: "Answers of the UTC day, of daily_budget. Null for a secret key, and for a revoked one",
  }),
  expired: z.boolean().openapi({ description: "Past expires_at: the key is refused" }),
})

/** @param given a field that is left out is not restricted */
export function presentRestrictions(given: RestrictionChange = {}) {
  const { expiresAt, scopes, networks, origins, form } = { ...UNRESTRICTED, ...given }
  return {
    kind: kindOf(given),
    expires_at: iso(expiresAt),
    scopes: scopes && [...scopes],
    allowed_networks: networks && [...networks],
    allowed_origins: origins && [...origins],
    daily_budget: form?.dailyBudget ?? null,
    visitor_per_minute: form?.perMinute ?? null,
    live_timeout_ms: form?.liveTimeoutMs ?? null,
  }
}

export function presentKey(key: KeyToday, { limits, now }: { limits: Limits; now: number }): z.infer<typeof Key> {
  const restrictions = key.restrictions ?? UNRESTRICTED
  const { expiresAt } = restrictions
  const tier = tierIn(limits, key.tier)
  const { perMonth, perMinute } = restrictions.isTest ? testAllowanceOf(limits.table[tier]) : limits.table[tier]
  return {
    key_id: key.keyId,
    name: key.name,
    last4: key.last4,
    tier,
    is_active: key.isActive ? 1 : 0,
    monthly_limit: perMonth,
    rate_per_min: perMinute,
    verifications_this_month: key.verifiedInPeriod,
    verifications_total: key.verifiedTotal,
    credits_this_month: key.usedInPeriod,
    credits_total: key.usedTotal,
    created_at: key.createdAt / 1000,
    last_used: key.lastUsed === null ? null : key.lastUsed / 1000,
    replaced_by: key.replacedBy,
    ...presentRestrictions(restrictions),
    used_today: key.usedToday,
    expired: expiresAt !== null && now >= expiresAt,
  }
}
