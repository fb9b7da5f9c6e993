import { and, desc, eq, gt, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { accounts, apiKeys, oauthGrants, usage } from "../../../../schema/tables/accounts.ts"
import {
  DEFAULT_FORM_POLICY,
  type KeyRestrictions,
  type RestrictionChange,
  UNRESTRICTED,
} from "../../../domain/accounts/key-restrictions.ts"
import type { Database } from "../database.ts"
import { adoptAccount } from "./unclaimed-accounts.ts"

export type KeyRecord = Omit<
  typeof apiKeys.$inferSelect,
  "digest" | "pepperId" | "rotatedTo" | "revokedAt" | "restrictions"
> & {
  /** The operator suspended the account. Its keys stay active and are refused until the account is resumed. */
  readonly isSuspended: boolean
  /** Null for a key without restrictions. */
  readonly restrictions: KeyRestrictions | null
}

export interface KeyUsage extends KeyRecord {
  /** Credits, both. */
  readonly usedInPeriod: number
  readonly usedTotal: number
  /** Verifications with new and with stored results. */
  readonly verifiedInPeriod: number
  readonly verifiedTotal: number
  /** The key that replaced this one when it was rotated; else null. */
  readonly replacedBy: string | null
}

/** What an account used without a key, in a period. */
export interface SessionUsage {
  readonly credits: number
  readonly verifications: number
}

export type NewKey = Omit<KeyRecord, "isActive" | "isSuspended" | "lastUsed" | "restrictions"> &
  Pick<typeof apiKeys.$inferSelect, "digest" | "pepperId"> & { readonly restrictions?: RestrictionChange }

/** A field that is left out stays; null removes a restriction. */
export interface KeyChange {
  readonly name?: string
  readonly restrictions: RestrictionChange
}

export type KeyStore = ReturnType<typeof createKeyStore>

/** Stored without the fields that are null. */
function readRestrictions(text: string): KeyRestrictions {
  const { form = null, ...others } = JSON.parse(text) as Partial<KeyRestrictions>
  return { ...UNRESTRICTED, ...others, form: form && { ...DEFAULT_FORM_POLICY, ...form } }
}

const RECORD = {
  keyId: apiKeys.keyId,
  accountId: apiKeys.accountId,
  ownerEmail: apiKeys.ownerEmail,
  name: apiKeys.name,
  tier: apiKeys.tier,
  isActive: apiKeys.isActive,
  isSuspended: sql`EXISTS (SELECT 1 FROM accounts AS a
    WHERE a.account_id = api_keys.account_id AND a.suspended_at IS NOT NULL)`.mapWith(Boolean),
  createdAt: apiKeys.createdAt,
  lastUsed: apiKeys.lastUsed,
  last4: apiKeys.last4,
  network: apiKeys.network,
  createdBy: apiKeys.createdBy,
  restrictions: sql<KeyRestrictions | null>`${apiKeys.restrictions}`.mapWith(readRestrictions),
}

/**
 * The column's new value: the given fields merged into the stored ones (RFC 7396), so that concurrent changes of
 * different fields all stay. Null without any restriction.
 */
function asStored(given: RestrictionChange = {}, stored: SQLWrapper = sql`NULL`): SQL {
  const merged = sql`json_patch(coalesce(${stored}, '{}'), ${JSON.stringify(given)})`
  return sql`nullif(${merged}, '{}')`
}

/** Whether an account has an active key or a session. */
const hasAccess = (accountId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM api_keys WHERE account_id = ${accountId} AND is_active = 1)
    OR EXISTS (SELECT 1 FROM sessions WHERE account_id = ${accountId})`

export function createKeyStore(database: Database) {
  const addAccount = (key: NewKey) =>
    database.insert(accounts).values({ accountId: key.accountId, createdAt: key.createdAt }).onConflictDoNothing()

  const insertWhere = (key: NewKey, condition: SQL, restrictions = asStored(key.restrictions)) => {
    const columns = sql.raw(
      "key_id, digest, pepper_id, account_id, owner_email, name, tier, created_at, last4, network, created_by, restrictions",
    )
    const values = sql`${key.keyId}, ${key.digest}, ${key.pepperId}, ${key.accountId}, ${key.ownerEmail}, ${key.name}, ${key.tier}, ${key.createdAt}, ${key.last4}, ${key.network}, ${key.createdBy}, ${restrictions}`
    return sql`INSERT INTO api_keys (${columns}) SELECT ${values} WHERE ${condition}`
  }

  const addWhere = async (key: NewKey, condition: SQL) =>
    (await database.all(sql`${insertWhere(key, condition)} RETURNING key_id`)).length === 1

  return {
    async byDigest(digest: string): Promise<KeyRecord | null> {
      return (await database.select(RECORD).from(apiKeys).where(eq(apiKeys.digest, digest)))[0] ?? null
    },

    /** A key of that account; null for an unknown one and for another account's. */
    async find(keyId: string, accountId: string): Promise<(KeyRecord & { digest: string }) | null> {
      const own = and(eq(apiKeys.keyId, keyId), eq(apiKeys.accountId, accountId))
      return (
        (
          await database
            .select({ ...RECORD, digest: apiKeys.digest })
            .from(apiKeys)
            .where(own)
        )[0] ?? null
      )
    },

    async list(accountId: string, period: string): Promise<KeyUsage[]> {
      const usedInPeriod = sql<number>`coalesce(sum(${usage.used}) FILTER (WHERE ${usage.period} = ${period}), 0)`
      const verified = (days: SQL) =>
        sql<number>`coalesce((SELECT sum(count) FROM key_counts AS k WHERE k.key_id = api_keys.key_id AND ${days}), 0)`
      return database
        .select({
          ...RECORD,
          usedInPeriod,
          usedTotal: sql<number>`coalesce(sum(${usage.used}), 0)`,
          verifiedInPeriod: verified(sql`substr(k.day, 1, 7) = ${period}`),
          verifiedTotal: verified(sql`true`),
          replacedBy: apiKeys.rotatedTo,
        })
        .from(apiKeys)
        .leftJoin(usage, eq(usage.subject, apiKeys.keyId))
        .where(eq(apiKeys.accountId, accountId))
        .groupBy(apiKeys.keyId)
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.keyId))
    },

    /** Use by sessions: with that of the keys it adds up to the account's. */
    async usedBySessions(accountId: string, period: string): Promise<SessionUsage> {
      const inPeriod = sql`day >= ${period} AND day < ${`${period}~`}`
      const [row] = await database.all<SessionUsage>(sql`SELECT
        (SELECT coalesce(sum(coalesce(settled, reserved)), 0) FROM ledger
          WHERE subject = ${accountId} AND period = ${period} AND key_id IS NULL) AS credits,
        (SELECT coalesce(sum(count), 0) FROM daily_counts WHERE account_id = ${accountId} AND ${inPeriod})
          - (SELECT coalesce(sum(count), 0) FROM key_counts WHERE ${inPeriod}
            AND key_id IN (SELECT key_id FROM api_keys WHERE account_id = ${accountId})) AS verifications`)
      return row ?? { credits: 0, verifications: 0 }
    },

    /** Adds the first key of a new account. */
    async create(key: NewKey) {
      await database.batch([
        addAccount(key),
        database.insert(apiKeys).values({ ...key, restrictions: asStored(key.restrictions) }),
      ])
    },

    /** Adds a key to an account that has another key or a session. @returns false when the account was closed meanwhile */
    add: (key: NewKey): Promise<boolean> => addWhere(key, hasAccess(key.accountId)),

    /**
     * The same for a key that a program gets by an approved code, which is used up in the same transaction. So a second
     * use finds the key of the first. @returns false also when the code was used or expired
     */
    async addByCode(codeDigest: string, key: NewKey): Promise<boolean> {
      const { keyId, createdAt } = key
      const grant = eq(oauthGrants.codeDigest, codeDigest)
      const isUsedByKey = sql`EXISTS (SELECT 1 FROM oauth_grants WHERE code_digest = ${codeDigest} AND key_id = ${keyId})`
      const [, { rowsAffected }] = await database.batch([
        database
          .update(oauthGrants)
          .set({ state: "used", keyId })
          .where(and(grant, eq(oauthGrants.state, "approved"), gt(oauthGrants.expiresAt, createdAt))),
        database.run(insertWhere(key, sql`${isUsedByKey} AND (${hasAccess(key.accountId)})`)),
      ])
      return rowsAffected === 1
    },

    /** Adds the operator's key to an account, which may have no other. @returns false when the account was closed meanwhile */
    addAsOperator: (key: NewKey): Promise<boolean> =>
      addWhere(key, sql`EXISTS (SELECT 1 FROM accounts WHERE account_id = ${key.accountId} AND closed_at IS NULL)`),

    /** Revokes `keyId` and adds a key with its restrictions, in one transaction. @returns false if it was inactive */
    async rotate(keyId: string, key: NewKey): Promise<boolean> {
      const isActive = sql`EXISTS (SELECT 1 FROM api_keys
        WHERE key_id = ${keyId} AND account_id = ${key.accountId} AND is_active = 1)`
      const [, revoked] = await database.batch([
        database.run(insertWhere(key, isActive, sql`(SELECT restrictions FROM api_keys WHERE key_id = ${keyId})`)),
        database
          .update(apiKeys)
          .set({ isActive: false, revokedAt: key.createdAt, rotatedTo: key.keyId, network: null, createdBy: null })
          .where(and(eq(apiKeys.keyId, keyId), eq(apiKeys.accountId, key.accountId), eq(apiKeys.isActive, true)))
          .returning({ keyId: apiKeys.keyId }),
      ])
      return revoked.length === 1
    },

    /** Changes the given fields of an active key. @returns false when the key was not active */
    async change(keyId: string, accountId: string, { name, restrictions }: KeyChange): Promise<boolean> {
      const active = and(eq(apiKeys.keyId, keyId), eq(apiKeys.accountId, accountId), eq(apiKeys.isActive, true))
      const changed = await database
        .update(apiKeys)
        .set({ ...(name === undefined ? {} : { name }), restrictions: asStored(restrictions, apiKeys.restrictions) })
        .where(active)
        .returning({ keyId: apiKeys.keyId })
      return changed.length === 1
    },

    /** @returns false when the key was not active */
    async revoke(keyId: string, accountId: string, now: number): Promise<boolean> {
      const revoked = await database
        .update(apiKeys)
        .set({ isActive: false, revokedAt: now, network: null, createdBy: null })
        .where(and(eq(apiKeys.keyId, keyId), eq(apiKeys.accountId, accountId), eq(apiKeys.isActive, true)))
        .returning({ keyId: apiKeys.keyId })
      return revoked.length === 1
    },

    /** Digests of an account's active keys, whose limiters must be invalidated after a change. */
    async digestsOf(accountId: string): Promise<string[]> {
      const active = and(eq(apiKeys.accountId, accountId), eq(apiKeys.isActive, true))
      return (await database.select({ digest: apiKeys.digest }).from(apiKeys).where(active)).map(({ digest }) => digest)
    },

    /** Moves an unclaimed account. The caller invalidates its limiters. @returns the number of moved keys */
    adopt: (adoption: { from: string; to: string; now: number }): Promise<number> => adoptAccount(database, adoption),

    /** Records the last use of a key. */
    async touch(keyId: string, now: number) {
      await database.update(apiKeys).set({ lastUsed: now }).where(eq(apiKeys.keyId, keyId))
    },
  }
}
