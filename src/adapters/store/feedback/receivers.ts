import { and, desc, eq, sql } from "drizzle-orm"
import { receivers, usedTokens } from "../../../../schema/tables/feedback.ts"
import type { InboundProvider } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"
import { deleteInBatches } from "../in-batches.ts"

/** An endpoint to which a sending provider posts an account's events. */
export interface Receiver {
  readonly receiverId: string
  readonly accountId: string
  readonly provider: InboundProvider
  /** Sealed for this receiver only. */
  readonly sealedSecret: string
  /** Unix milliseconds, both; null before the first event. */
  readonly createdAt: number
  readonly lastEventAt: number | null
  readonly accepted: number
  readonly refused: number
}

export interface ReceiverStore {
  create(
    receiver: Omit<Receiver, "lastEventAt" | "accepted" | "refused"> & { readonly tokenHash: string },
  ): Promise<void>
  list(accountId: string): Promise<Receiver[]>
  /** @returns whether the account had it */
  remove(accountId: string, receiverId: string): Promise<boolean>
  byToken(tokenHash: string, provider: InboundProvider): Promise<Receiver | null>
  /** Counts events of a receiver. @param now Unix ms */
  count(receiverId: string, events: { accepted: number; refused: number }, now: number): Promise<void>
  /** Consumes a single-use token. @returns false when it was used before */
  consumeToken(receiverId: string, token: { hash: string; expiresAt: number }): Promise<boolean>
  /** Releases the token of a request that failed, so that the provider can send it again. */
  releaseToken(receiverId: string, hash: string): Promise<void>
  deleteExpiredTokens(now: number): Promise<void>
}

export function createReceiverStore(database: Database): ReceiverStore {
  return {
    async create(receiver) {
      await database.insert(receivers).values(receiver)
    },

    async list(accountId) {
      return database
        .select()
        .from(receivers)
        .where(eq(receivers.accountId, accountId))
        .orderBy(desc(receivers.createdAt))
    },

    async remove(accountId, receiverId) {
      const own = and(eq(receivers.accountId, accountId), eq(receivers.receiverId, receiverId))
      const removed = await database.delete(receivers).where(own).returning({ receiverId: receivers.receiverId })
      return removed.length > 0
    },

    async byToken(tokenHash, provider) {
      const that = and(eq(receivers.tokenHash, tokenHash), eq(receivers.provider, provider))
      return (await database.select().from(receivers).where(that))[0] ?? null
    },

    async count(receiverId, { accepted, refused }, now) {
      const lastEventAt = accepted > 0 ? now : receivers.lastEventAt
      await database
        .update(receivers)
        .set({
          accepted: sql`${receivers.accepted} + ${accepted}`,
          refused: sql`${receivers.refused} + ${refused}`,
          lastEventAt: sql`${lastEventAt}`,
        })
        .where(eq(receivers.receiverId, receiverId))
    },

    async consumeToken(receiverId, { hash, expiresAt }) {
      const added = await database
        .insert(usedTokens)
        .values({ receiverId, tokenHash: hash, expiresAt })
        .onConflictDoNothing()
        .returning({ tokenHash: usedTokens.tokenHash })
      return added.length > 0
    },

    async releaseToken(receiverId, hash) {
      await database
        .delete(usedTokens)
        .where(and(eq(usedTokens.receiverId, receiverId), eq(usedTokens.tokenHash, hash)))
    },

    async deleteExpiredTokens(now) {
      await deleteInBatches(database, { table: "used_tokens", where: sql`expires_at < ${now}` })
    },
  }
}
