import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { KeyUsage } from "../../adapters/store/accounts/keys.ts"
import { type Limits, tierIn } from "../../domain/accounts/tiers.ts"

export const KeyId = z.object({ key_id: z.string().max(64).openapi({ example: "kid_0123456789abcdef01234567" }) })
export const monthlyLimit = z.int().nullable().openapi({ description: "Null when unlimited", example: 100 })
export const perMinute = z.int().nullable().openapi({ description: "Null when unlimited", example: 10 })
export const last4 = z.string().openapi({ description: "The last four characters of the key", example: "8fQ2" })

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
  })
  .openapi("Key")

export function presentKey(key: KeyUsage, limits: Limits): z.infer<typeof Key> {
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
  }
}
