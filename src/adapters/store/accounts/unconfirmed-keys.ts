import { type SQL, sql } from "drizzle-orm"
import type { Database } from "../database.ts"

/** An active key that names a mailbox without a proof. Times in Unix milliseconds. */
export interface UnconfirmedKey {
  readonly keyId: string
  /** Its unclaimed account, which moves as a whole. */
  readonly accountId: string
  readonly digest: string
  /** The last four characters of the secret. */
  readonly last4: string
  /** Network of the anonymous creator, cut to a /24 or /48. Null for a key made with another key or by the operator. */
  readonly network: string | null
  readonly createdAt: number
  readonly lastUsed: number | null
  /** The key requested the sign-in link of this session, in the same browser. */
  readonly requestedSignIn: boolean
  /** Active keys of its account, which join together. */
  readonly lineageKeys: number
}

/** Keys that a mailbox's owner may join or revoke: those made in its name, and the one that requested its link there. */
export interface Offer {
  readonly email: string
  readonly signInKeyId: string | null
}

export interface UnconfirmedKeyStore {
  /** The key that requested the sign-in first, then the newest. */
  list(offer: Offer, limit: number): Promise<UnconfirmedKey[]>
  /** Counts up to `limit` keys. */
  count(offer: Offer, limit: number): Promise<number>
  /** One offered key; null for any other. */
  find(offer: Offer, keyId: string): Promise<UnconfirmedKey | null>
}

interface Row extends Omit<UnconfirmedKey, "requestedSignIn"> {
  readonly requestedSignIn: number
}

export function createUnconfirmedKeyStore(database: Database): UnconfirmedKeyStore {
  async function read({ email, signInKeyId }: Offer, rest: SQL): Promise<UnconfirmedKey[]> {
    const rows =
      await database.all<Row>(sql`SELECT key_id AS "keyId", account_id AS "accountId", digest, last4, network,
        created_at AS "createdAt", last_used AS "lastUsed", key_id IS ${signInKeyId} AS "requestedSignIn",
        (SELECT count(*) FROM api_keys AS l WHERE l.account_id = k.account_id AND l.is_active = 1) AS "lineageKeys"
      FROM api_keys AS k WHERE ${offered({ email, signInKeyId })} AND ${rest}`)
    return rows.map((row) => ({ ...row, requestedSignIn: row.requestedSignIn === 1 }))
  }

  return {
    list: (offer, limit) =>
      read(offer, sql`true ORDER BY key_id IS ${offer.signInKeyId} DESC, created_at DESC, key_id LIMIT ${limit}`),

    async count(offer, limit) {
      const rows = await database.all<{ n: number }>(
        sql`SELECT count(*) AS n FROM (SELECT 1 FROM api_keys AS k WHERE ${offered(offer)} LIMIT ${limit})`,
      )
      return rows[0]?.n ?? 0
    },

    async find(offer, keyId) {
      return (await read(offer, sql`key_id = ${keyId}`))[0] ?? null
    },
  }
}

/** A suspended account stays where it is, so that its owner cannot move its keys. */
function offered({ email, signInKeyId }: Offer): SQL {
  // With OR instead of UNION, SQLite would scan the whole table.
  return sql`key_id IN (SELECT key_id FROM api_keys WHERE is_active = 1 AND owner_email = ${email}
      UNION SELECT key_id FROM api_keys WHERE is_active = 1 AND key_id = ${signInKeyId})
    AND EXISTS (SELECT 1 FROM accounts AS a WHERE a.account_id = k.account_id
      AND a.email IS NULL AND a.closed_at IS NULL AND a.suspended_at IS NULL)`
}
