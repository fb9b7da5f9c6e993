import { and, desc, eq, gt, isNull, ne, or } from "drizzle-orm"
import { webhookSecrets } from "../../../schema/tables/webhooks.ts"
import type { Database } from "./database.ts"

export type WebhookSecret = typeof webhookSecrets.$inferSelect

export interface WebhookSecretStore {
  /** The account's secrets in use, the newest first. */
  list(accountId: string, now: number): Promise<WebhookSecret[]>
  add(secret: Pick<WebhookSecret, "secretId" | "accountId" | "sealed" | "createdAt" | "shownAt">): Promise<void>
  /** Notes that a secret has been shown. @returns false when it had been before */
  markShown(secretId: string, now: number): Promise<boolean>
  /** Lets every other secret that is in use without an end expire. */
  expire(accountId: string, change: { at: number; except: string }): Promise<void>
}

export function createWebhookSecretStore(database: Database): WebhookSecretStore {
  return {
    async list(accountId, now) {
      const { expiresAt, createdAt } = webhookSecrets
      const inUse = and(eq(webhookSecrets.accountId, accountId), or(isNull(expiresAt), gt(expiresAt, now)))
      return database.select().from(webhookSecrets).where(inUse).orderBy(desc(createdAt), desc(webhookSecrets.secretId))
    },

    async add(secret) {
      await database.insert(webhookSecrets).values(secret)
    },

    async markShown(secretId, now) {
      const unseen = and(eq(webhookSecrets.secretId, secretId), isNull(webhookSecrets.shownAt))
      const marked = await database.update(webhookSecrets).set({ shownAt: now }).where(unseen).returning()
      return marked.length === 1
    },

    async expire(accountId, { at, except }) {
      const { expiresAt, secretId } = webhookSecrets
      const others = and(eq(webhookSecrets.accountId, accountId), isNull(expiresAt), ne(secretId, except))
      await database.update(webhookSecrets).set({ expiresAt: at }).where(others)
    },
  }
}
