import { type SQL, sql } from "drizzle-orm"
import { TIERS, type Tier } from "../../../../schema/vocabulary.ts"
import { TIER_RANK } from "../accounts/ledger-sql.ts"
import type { Database } from "../database.ts"
import { rangesOf } from "../in-batches.ts"

/** An account as the operator sees it. Times in Unix milliseconds. */
export interface UserRow {
  readonly accountId: string
  /** Null: the account has no proven owner. */
  readonly email: string | null
  /** The address that the creator of the newest key gave. Nothing proves it. Null without a key. */
  readonly keyOwner: string | null
  /** The account's plan. Sessions have this tier. */
  readonly plan: Tier
  /** The operator's part of the plan; null without one. */
  readonly grantedPlan: Tier | null
  /** The highest tier in force: of the plan and of the active keys. */
  readonly tier: Tier
  readonly activeKeys: number
  /** Credits used in the requested period. */
  readonly used: number
  /** Remaining bought credits; null if none were ever bought. */
  readonly boughtCredits: number | null
  readonly createdAt: number
  /** The last use of a key or a session; null before the first. */
  readonly lastUsedAt: number | null
  readonly suspendedAt: number | null
}

export interface UserPage {
  /** Only accounts with a greater id. */
  readonly after: string
  readonly limit: number
  readonly offset: number
  readonly onlyProven: boolean
  readonly onlySuspended: boolean
  /** Part of an account id, a key id, or an owner's address, in lower case. Empty: all accounts. */
  readonly search: string
}

interface Row extends Omit<UserRow, "tier"> {
  readonly rank: number
}

const KEYS = sql`FROM api_keys AS k WHERE k.account_id = accounts.account_id`

/** The operator's view of accounts. */
export function createUserStore(database: Database) {
  async function read(where: SQL, period: string): Promise<UserRow[]> {
    const rows =
      await database.all<Row>(sql`SELECT account_id AS "accountId", email, tier AS plan, granted_tier AS "grantedPlan",
        (SELECT owner_email ${KEYS} ORDER BY k.created_at DESC LIMIT 1) AS "keyOwner",
        max(${TIER_RANK}, coalesce((SELECT max(${TIER_RANK}) ${KEYS} AND k.is_active), 0)) AS rank,
        (SELECT count(*) ${KEYS} AND k.is_active) AS "activeKeys",
        coalesce((SELECT used FROM usage AS u WHERE u.subject = accounts.account_id AND u.period = ${period}), 0) AS used,
        credits AS "boughtCredits", created_at AS "createdAt", suspended_at AS "suspendedAt",
        nullif(max(coalesce((SELECT max(last_used) ${KEYS}), 0), coalesce((SELECT max(last_seen_at)
          FROM sessions AS s WHERE s.account_id = accounts.account_id), 0)), 0) AS "lastUsedAt"
      FROM accounts WHERE ${where}`)
    return rows.map(({ rank, ...row }) => ({ ...row, tier: TIERS[rank]! }))
  }

  return {
    /** Ordered by account id. @param period of the credits, "2026-11" */
    async list(
      { after, limit, offset, onlyProven, onlySuspended, search }: UserPage,
      period: string,
    ): Promise<UserRow[]> {
      const filter = sql.join(
        [
          sql`account_id > ${after} AND closed_at IS NULL`,
          ...(onlyProven ? [sql`email IS NOT NULL`] : []),
          ...(onlySuspended ? [sql`suspended_at IS NOT NULL`] : []),
        ],
        sql` AND `,
      )
      if (search === "" && !onlySuspended)
        return read(sql`${filter} ORDER BY account_id LIMIT ${limit} OFFSET ${offset}`, period)
      // No index has these, so the accounts are searched in batches.
      const found: UserRow[] = []
      let left = offset
      for await (const rows of rangesOf(database, { table: "accounts", where: filter, by: "account_id" })) {
        const some = await read(sql`${rows} AND ${mentions(search)} ORDER BY account_id LIMIT ${limit + left}`, period)
        found.push(...some.slice(left))
        left = Math.max(0, left - some.length)
        if (found.length >= limit) break
      }
      return found.slice(0, limit)
    },

    async find(accountId: string, period: string): Promise<UserRow | null> {
      return (await read(sql`account_id = ${accountId}`, period))[0] ?? null
    },

    /** Suspends or resumes an account. @param at Unix ms; null resumes @returns false when nothing changed */
    async setSuspended(accountId: string, at: number | null): Promise<boolean> {
      const differs = at === null ? sql`suspended_at IS NOT NULL` : sql`suspended_at IS NULL`
      const { rowsAffected } = await database.run(
        sql`UPDATE accounts SET suspended_at = ${at} WHERE account_id = ${accountId} AND ${differs}`,
      )
      return rowsAffected > 0
    },

    /** The account of a key; null for an unknown key. */
    async accountOfKey(keyId: string): Promise<string | null> {
      const rows = await database.all<{ id: string }>(
        sql`SELECT account_id AS id FROM api_keys WHERE key_id = ${keyId}`,
      )
      return rows[0]?.id ?? null
    },
  }
}

function mentions(text: string): SQL {
  const has = (column: string) => sql`instr(lower(${sql.raw(column)}), ${text}) > 0`
  return sql`(${text} = '' OR ${has("account_id")} OR coalesce(${has("email")}, 0) OR EXISTS (SELECT 1 ${KEYS}
    AND (${has("k.owner_email")} OR ${has("k.key_id")})))`
}
