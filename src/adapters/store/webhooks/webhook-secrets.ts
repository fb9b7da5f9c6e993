import { and, desc, eq, gt, isNull, notInArray, or, sql } from "drizzle-orm"
import { webhookSecrets } from "../../../../schema/tables/webhooks.ts"
import type { Database } from "../database.ts"

export type WebhookSecret = typeof webhookSecrets.$inferSelect
export type NewWebhookSecret = Pick<WebhookSecret, "secretId" | "accountId" | "sealed" | "createdAt">

export interface WebhookSecretStore {
  /** The account's active secrets, the newest first. */
  list(accountId: string, now: number): Promise<WebhookSecret[]>
  /** Adds a secret that was not shown yet, unless the account has an active one; `unreadable` ones do not count. */
  addFirst(secret: NewWebhookSecret, unreadable: readonly string[]): Promise<void>
  /** Adds a secret and marks it as shown. All other active secrets without an expiry expire, in one transaction. */
  rotate(secret: NewWebhookSecret, othersExpireAt: number): Promise<void>
  /** Marks a secret as shown. @returns false when it was shown before */
  markShown(secretId: string, now: number): Promise<boolean>
}

export function createWebhookSecretStore(database: Database): WebhookSecretStore {
  const { accountId, createdAt, expiresAt, secretId, shownAt } = webhookSecrets
  const inUse = (account: string, now: number) => and(eq(accountId, account), or(isNull(expiresAt), gt(expiresAt, now)))

  return {
    async list(account, now) {
      return database.select().from(webhookSecrets).where(inUse(account, now)).orderBy(desc(createdAt), desc(secretId))
    },

    async addFirst(secret, unreadable) {
      const others = and(inUse(secret.accountId, secret.createdAt), notInArray(secretId, [...unreadable]))
      await database.run(sql`INSERT INTO webhook_secrets (secret_id, account_id, sealed, created_at)
        SELECT ${secret.secretId}, ${secret.accountId}, ${secret.sealed}, ${secret.createdAt}
        WHERE NOT EXISTS (SELECT 1 FROM webhook_secrets WHERE ${others})`)
    },

    async rotate(secret, othersExpireAt) {
      const endless = and(eq(accountId, secret.accountId), isNull(expiresAt))
      await database.batch([
        database.update(webhookSecrets).set({ expiresAt: othersExpireAt }).where(endless),
        database.insert(webhookSecrets).values({ ...secret, shownAt: secret.createdAt }),
      ])
    },

    async markShown(id, now) {
      const unseen = and(eq(secretId, id), isNull(shownAt))
      const marked = await database.update(webhookSecrets).set({ shownAt: now }).where(unseen).returning()
      return marked.length === 1
    },
  }
}
