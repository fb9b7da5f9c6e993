import { and, eq, gt } from "drizzle-orm"
import { oauthGrants } from "../../../../schema/tables/accounts.ts"
import type { Clock } from "../../platform.ts"
import type { Database } from "../database.ts"

export type OAuthGrant = typeof oauthGrants.$inferSelect
export type NewOAuthGrant = typeof oauthGrants.$inferInsert

/** Codes of programs that sign in: see `oauthGrants` in schema/tables/accounts.ts. */
export function createOAuthGrantStore(database: Database, clock: Clock) {
  const isAlive = () => gt(oauthGrants.expiresAt, clock.now())

  return {
    async add(grant: NewOAuthGrant) {
      await database.insert(oauthGrants).values(grant)
    },

    /** Also an expired or a used one. */
    async byCode(codeDigest: string): Promise<OAuthGrant | null> {
      return (await database.select().from(oauthGrants).where(eq(oauthGrants.codeDigest, codeDigest)))[0] ?? null
    },

    /** The grant that waits for a decision. */
    async byUserCode(userCodeDigest: string): Promise<OAuthGrant | null> {
      const waiting = and(eq(oauthGrants.userCodeDigest, userCodeDigest), eq(oauthGrants.state, "pending"), isAlive())
      return (await database.select().from(oauthGrants).where(waiting))[0] ?? null
    },

    /** Decides a pending grant once. @returns false when it was decided or expired meanwhile */
    async decide(codeDigest: string, accountId: string, state: "approved" | "denied"): Promise<boolean> {
      const decided = await database
        .update(oauthGrants)
        .set({ state, accountId })
        .where(and(eq(oauthGrants.codeDigest, codeDigest), eq(oauthGrants.state, "pending"), isAlive()))
        .returning({ codeDigest: oauthGrants.codeDigest })
      return decided.length === 1
    },

    /** Records a poll. */
    async recordPoll(codeDigest: string, intervalSeconds: number) {
      const polled = { polledAt: clock.now(), intervalSeconds }
      await database.update(oauthGrants).set(polled).where(eq(oauthGrants.codeDigest, codeDigest))
    },
  }
}
