import { type SQL, sql } from "drizzle-orm"
import type { Suppression } from "../../../domain/feedback/suppression.ts"

type Entry = Suppression & { readonly addressHash: string; readonly address: string | null }

/** One statement that adds entries to a list. */
export function upsertSuppressions(list: string, entries: readonly Entry[], now: number): SQL {
  const rows = entries.map(({ addressHash, address, reason, source, createdAt, expiresAt }) => [
    addressHash,
    address,
    reason,
    source,
    createdAt,
    expiresAt,
  ])
  return sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at)
    SELECT ${list}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
    FROM json_each(${JSON.stringify(rows)}) WHERE true ${keepStronger(now)}`
}

/**
 * The conflict clause for an entry that is added again. An expired entry is replaced. An active entry keeps its
 * creation date and the later expiry. A bounce, complaint or unsubscribe is never replaced by a weaker reason.
 */
export function keepStronger(now: number): SQL {
  const expired = sql`coalesce(suppressions.expires_at <= ${now}, false)`
  const milder = sql`(excluded.reason IN ('soft_bounce', 'manual') AND suppressions.reason NOT IN ('soft_bounce', 'manual'))`
  const strongest = (column: SQL) =>
    sql`CASE WHEN ${expired} OR NOT ${milder} THEN excluded.${column} ELSE suppressions.${column} END`
  return sql`ON CONFLICT (account_id, address_hash) DO UPDATE SET
      address = excluded.address,
      reason = ${strongest(sql`reason`)},
      source = ${strongest(sql`source`)},
      created_at = CASE WHEN ${expired} THEN excluded.created_at ELSE suppressions.created_at END,
      expires_at = CASE
        WHEN ${expired} THEN excluded.expires_at
        WHEN suppressions.expires_at IS NULL OR excluded.expires_at IS NULL THEN NULL
        ELSE max(suppressions.expires_at, excluded.expires_at) END`
}
