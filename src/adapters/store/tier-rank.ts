import { sql } from "drizzle-orm"
import { TIERS } from "../../../schema/vocabulary.ts"

/** How high the `tier` of a row stands. */
export const TIER_RANK = sql.raw(`CASE tier ${TIERS.map((tier, rank) => `WHEN '${tier}' THEN ${rank}`).join(" ")} END`)
