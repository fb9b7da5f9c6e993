import { and, desc, eq, sql } from "drizzle-orm"
import { receivers, usedTokens } from "../../../../schema/tables/suppression.ts"
import type { InboundProvider } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"
import { deleteInBatches } from "../in-batches.ts"

/** An endpoint to which a sending provider posts an account's events. */
export type Receiver = Omit<typeof receivers.$inferSelect, "tokenHash">

/** Events and requests to count for a receiver. */
export type ReceiverCounts = Partial<Pick<Receiver, "accepted" | "refused" | "unreadable">>

export function createReceiverStore(database: Database) {
  return {
    async create(
      receiver: Omit<Receiver, "lastEventAt" | "accepted" | "refused" | "unreadable"> & { readonly tokenHash: string },
    ) {
      await database.insert(receivers).values(receiver)
    },

    async list(accountId: string): Promise<Receiver[]> {
      return database
        .select()
        .from(receivers)
        .where(eq(receivers.accountId, accountId))
        .orderBy(desc(receivers.createdAt))
    },

    /** @returns whether the account had it */
    async remove(accountId: string, receiverId: string): Promise<boolean> {
      const own = and(eq(receivers.accountId, accountId), eq(receivers.receiverId, receiverId))
      const removed = await database.delete(receivers).where(own).returning({ receiverId: receivers.receiverId })
      return removed.length > 0
    },

    async byToken(tokenHash: string, provider: InboundProvider): Promise<Receiver | null> {
      const that = and(eq(receivers.tokenHash, tokenHash), eq(receivers.provider, provider))
      return (await database.select().from(receivers).where(that))[0] ?? null
    },

    /** Counts events of a receiver. @param now Unix ms */
    async count(receiverId: string, { accepted = 0, refused = 0, unreadable = 0 }: ReceiverCounts, now: number) {
      const lastEventAt = accepted > 0 ? now : receivers.lastEventAt
      await database
        .update(receivers)
        .set({
          accepted: sql`${receivers.accepted} + ${accepted}`,
          refused: sql`${receivers.refused} + ${refused}`,
          unreadable: sql`${receivers.unreadable} + ${unreadable}`,
          lastEventAt: sql`${lastEventAt}`,
        })
        .where(eq(receivers.receiverId, receiverId))
    },

    /** Binds a token to its first event. @returns whether the token is bound to this event, now or since before */
    async claimToken(
      receiverId: string,
      { hash, eventHash, expiresAt }: { hash: string; eventHash: string; expiresAt: number },
    ): Promise<boolean> {
      const [bound] = await database
        .insert(usedTokens)
        .values({ receiverId, tokenHash: hash, eventHash, expiresAt })
        // Changes nothing. Without an update, the existing row would not be returned.
        .onConflictDoUpdate({
          target: [usedTokens.receiverId, usedTokens.tokenHash],
          set: { eventHash: sql`${usedTokens.eventHash}` },
        })
        .returning({ eventHash: usedTokens.eventHash })
      return bound?.eventHash === eventHash
    },

    async deleteExpiredTokens(now: number) {
      await deleteInBatches(database, { table: "used_tokens", where: sql`expires_at < ${now}` })
    },
  }
}
