import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { KeyUsage } from "../../adapters/store/accounts/keys.ts"
import {
  KEY_SCOPES,
  type KeyRestrictions,
  MAX_RESTRICTION_ENTRIES,
  normalNetwork,
  normalOrigin,
  UNRESTRICTED,
} from "../../domain/accounts/key-restrictions.ts"
import { type Limits, tierIn } from "../../domain/accounts/tiers.ts"
import { iso } from "../../domain/time.ts"

export const KeyId = z.object({ key_id: z.string().max(64).openapi({ example: "kid_0123456789abcdef01234567" }) })
export const monthlyLimit = z.int().nullable().openapi({ description: "Null when unlimited", example: 100 })
export const perMinute = z.int().nullable().openapi({ description: "Null when unlimited", example: 10 })
export const last4 = z.string().openapi({ description: "The last four characters of the key", example: "8fQ2" })

const expiresAt = z.iso.datetime({ offset: true })
const network = z
  .string()
  .max(64)
  .transform(normalised(normalNetwork, "must be an IP address or a network, such as 192.0.2.0/24"))
const origin = z
  .string()
  .max(300)
  .transform(normalised(normalOrigin, "must be an origin without a path, such as https://shop.example"))
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
    description: "The only origins whose pages may use the key: the request's Origin header must be one of them",
    example: ["https://shop.example"],
  }),
})

/** @returns the given fields; one that is left out is missing */
export function readRestrictions(given: z.output<typeof RestrictionInput>): Partial<KeyRestrictions> {
  const { expires_at: end, scopes, allowed_networks: networks, allowed_origins: origins } = given
  return {
    ...(end === undefined ? {} : { expiresAt: end === null ? null : Date.parse(end) }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(networks === undefined ? {} : { networks }),
    ...(origins === undefined ? {} : { origins }),
  }
}

const unrestricted = "Null: not restricted"
export const restrictionFields = {
  expires_at: z.iso.datetime().nullable().openapi({ description: "Null: never" }),
  scopes: z.array(z.enum(KEY_SCOPES)).nullable().openapi({ description: unrestricted }),
  allowed_networks: z.array(z.string()).nullable().openapi({ description: unrestricted }),
  allowed_origins: z.array(z.string()).nullable().openapi({ description: unrestricted }),
}

export const Key = z
  .object({
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
    ...restrictionFields,
    expired: z.boolean().openapi({ description: "Past expires_at: the key is refused" }),
  })
  .openapi("Key")

export function presentRestrictions({ expiresAt, scopes, networks, origins }: KeyRestrictions) {
  return {
    expires_at: iso(expiresAt),
    scopes: scopes && [...scopes],
    allowed_networks: networks && [...networks],
    allowed_origins: origins && [...origins],
  }
}

export function presentKey(key: KeyUsage, { limits, now }: { limits: Limits; now: number }): z.infer<typeof Key> {
  const restrictions = key.restrictions ?? UNRESTRICTED
  const { expiresAt } = restrictions
  const tier = tierIn(limits, key.tier)
  const { perMonth, perMinute } = limits.table[tier]
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
    ...presentRestrictions(restrictions),
    expired: expiresAt !== null && now >= expiresAt,
  }
}
