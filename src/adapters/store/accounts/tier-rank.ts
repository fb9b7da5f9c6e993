import { sql } from "drizzle-orm"
import { TIERS } from "../../../../schema/vocabulary.ts"

/** The rank of a row's `tier`. */
export const TIER_RANK = sql.raw(`CASE tier ${TIERS.map((tier, rank) => `WHEN '${tier}' THEN ${rank}`).join(" ")} END`)
