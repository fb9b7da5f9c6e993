import { sql } from "drizzle-orm"
import { TIERS } from "../../../../schema/vocabulary.ts"

const rankOf = (column: string) =>
  sql.raw(`CASE ${column} ${TIERS.map((tier, rank) => `WHEN '${tier}' THEN ${rank}`).join(" ")} END`)

/** The rank of a row's `tier`. */
export const TIER_RANK = rankOf("tier")
/** The rank of the operator's plan of an account; null without one. */
export const GRANTED_RANK = rankOf("granted_tier")
