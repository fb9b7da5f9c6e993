import { type SQL, sql } from "drizzle-orm"
import type { Suppression } from "../../domain/suppression/suppression.ts"

type Entry = Suppression & { readonly addressHash: string; readonly address: string | null }

/** One statement that puts entries on a list. */
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
    FROM json_each(${JSON.stringify(rows)}) WHERE true ${keepTheGraver(now)}`
}

/**
 * What becomes of an entry that is added again. One that has expired is as good as none. One in force keeps its first
 * day and the later end; what a mailbox or its owner said (bounce, complaint, unsubscribe) is not painted over by less.
 */
export function keepTheGraver(now: number): SQL {
  const expired = sql`coalesce(suppressions.expires_at <= ${now}, false)`
  const milder = sql`(excluded.reason IN ('soft_bounce', 'manual') AND suppressions.reason NOT IN ('soft_bounce', 'manual'))`
  const kept = (column: SQL) =>
    sql`CASE WHEN ${expired} OR NOT ${milder} THEN excluded.${column} ELSE suppressions.${column} END`
  return sql`ON CONFLICT (account_id, address_hash) DO UPDATE SET
      address = excluded.address,
      reason = ${kept(sql`reason`)},
      source = ${kept(sql`source`)},
      created_at = CASE WHEN ${expired} THEN excluded.created_at ELSE suppressions.created_at END,
      expires_at = CASE
        WHEN ${expired} THEN excluded.expires_at
        WHEN suppressions.expires_at IS NULL OR excluded.expires_at IS NULL THEN NULL
        ELSE max(suppressions.expires_at, excluded.expires_at) END`
}
