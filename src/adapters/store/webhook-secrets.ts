import { and, desc, eq, gt, isNull, notInArray, or, sql } from "drizzle-orm"
import { webhookSecrets } from "../../../schema/tables/webhooks.ts"
import type { Database } from "./database.ts"

export type WebhookSecret = typeof webhookSecrets.$inferSelect
export type NewWebhookSecret = Pick<WebhookSecret, "secretId" | "accountId" | "sealed" | "createdAt">

export interface WebhookSecretStore {
  /** The account's secrets in use, the newest first. */
  list(accountId: string, now: number): Promise<WebhookSecret[]>
  /** Adds a secret, not shown yet, unless the account has one in use; `unreadable` ones do not count. */
  addFirst(secret: NewWebhookSecret, unreadable: readonly string[]): Promise<void>
  /** Adds a secret that is shown with this, and lets all others that are in use without an end expire, in one step. */
  rotate(secret: NewWebhookSecret, othersExpireAt: number): Promise<void>
  /** Notes that a secret has been shown. @returns false when it had been before */
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
