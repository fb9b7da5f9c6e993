import { and, eq, gt, ne, sql } from "drizzle-orm"
import { accounts, identities, sessions, signInLinks } from "../../../../schema/tables/accounts.ts"
import type { Tier } from "../../../../schema/vocabulary.ts"
import { sha256 } from "../../../domain/accounts/crypto.ts"
import { DAY_MS, HOUR_MS } from "../../../domain/time.ts"
import type { Clock } from "../../platform.ts"
import type { Database } from "../database.ts"

const ABSOLUTE_MS = 30 * DAY_MS
const IDLE_MS = 7 * DAY_MS
const LINK_MS = 15 * 60_000
/** Minimum time between two writes of `lastSeenAt`. */
const TOUCH_MS = HOUR_MS

interface Session {
  readonly accountId: string
  readonly email: string
  readonly tier: Tier
  readonly isSuspended: boolean
}

export interface SignInLink {
  readonly email: string
  /** The API key of the request. Null without one. */
  readonly keyId: string | null
  /** The browser of the request. Null for a program. */
  readonly browserId: string | null
}

/** What happens to a link that is used. */
export type LinkUse =
  /** `keyId`: the API key that requested the link in this browser */
  | { readonly kind: "used"; readonly email: string; readonly keyId: string | null }
  /** This browser did not request the link, which stays as it was. */
  | { readonly kind: "unconfirmed"; readonly email: string }

export type SessionStore = ReturnType<typeof createSessionStore>

export function createSessionStore(database: Database, clock: Clock) {
  return {
    /** The active session of a token; null for an unknown, expired, idle or malformed token. */
    async find(
      token: string,
    ): Promise<(Session & { readonly signedInAt: number; readonly signInKeyId: string | null }) | null> {
      const tokenHash = await sha256(token)
      const now = clock.now()
      const live = and(
        eq(sessions.tokenHash, tokenHash),
        gt(sessions.expiresAt, now),
        gt(sessions.lastSeenAt, now - IDLE_MS),
      )
      const rows = await database
        .select({
          accountId: accounts.accountId,
          email: accounts.email,
          tier: accounts.tier,
          suspendedAt: accounts.suspendedAt,
          seenAt: sessions.lastSeenAt,
          signedInAt: sessions.createdAt,
          signInKeyId: sessions.signInKeyId,
        })
        .from(sessions)
        .innerJoin(accounts, eq(accounts.accountId, sessions.accountId))
        .where(live)
      const row = rows[0]
      if (!row?.email) return null
      if (row.seenAt < now - TOUCH_MS)
        await database.update(sessions).set({ lastSeenAt: now }).where(eq(sessions.tokenHash, tokenHash))
      const { accountId, email, tier, suspendedAt, signedInAt, signInKeyId } = row
      return { accountId, email, tier, isSuspended: suspendedAt !== null, signedInAt, signInKeyId }
    },

    /** @param session `signInKeyId`: the key that requested the link in this browser @returns the session's latest end, Unix milliseconds */
    async create(
      token: string,
      session: { readonly accountId: string; readonly signInKeyId: string | null },
    ): Promise<number> {
      const now = clock.now()
      const expiresAt = now + ABSOLUTE_MS
      await database
        .insert(sessions)
        .values({ ...session, tokenHash: await sha256(token), createdAt: now, lastSeenAt: now, expiresAt })
      return expiresAt
    },

    async end(token: string) {
      await database.delete(sessions).where(eq(sessions.tokenHash, await sha256(token)))
    },

    /** Ends the sessions of an account. @param except the token of one that stays @returns how many ended */
    async endAll(accountId: string, except: string | null): Promise<number> {
      const others = except === null ? undefined : ne(sessions.tokenHash, await sha256(except))
      const ended = await database
        .delete(sessions)
        .where(and(eq(sessions.accountId, accountId), gt(sessions.expiresAt, clock.now()), others))
      return ended.rowsAffected
    },

    /** @returns when the link ends, Unix milliseconds */
    async createLink(token: string, { email, keyId, browserId }: SignInLink): Promise<number> {
      const now = clock.now()
      const browserHash = browserId && (await sha256(browserId))
      const link = { tokenHash: await sha256(token), email, keyId, browserHash }
      const expiresAt = now + LINK_MS
      await database.insert(signInLinks).values({ ...link, createdAt: now, expiresAt })
      return expiresAt
    },

    /** Consumes a sign-in link, in its browser or after a confirmation. @returns null for a used or unknown one */
    async useLink(
      token: string,
      { browserId, isConfirmed }: { readonly browserId: string | null; readonly isConfirmed: boolean },
    ): Promise<LinkUse | null> {
      const now = clock.now()
      const browserHash = browserId && (await sha256(browserId))
      const unused = sql`token_hash = ${await sha256(token)} AND used_at IS NULL AND expires_at > ${now}`
      const [used] = await database
        .update(signInLinks)
        .set({ usedAt: now })
        .where(isConfirmed ? unused : sql`${unused} AND browser_hash = ${browserHash}`)
        .returning({ email: signInLinks.email, keyId: signInLinks.keyId, browserHash: signInLinks.browserHash })
      if (used) {
        const isSameBrowser = browserHash !== null && used.browserHash === browserHash
        return { kind: "used", email: used.email, keyId: isSameBrowser ? used.keyId : null }
      }
      if (isConfirmed) return null
      const [link] = await database.select({ email: signInLinks.email }).from(signInLinks).where(unused)
      return link ? { kind: "unconfirmed", email: link.email } : null
    },

    /**
     * The proven address of a provider's user id. The first sign-in links the id to the address's account.
     * @param identity `isHosted`: the provider hosts the mailbox
     * @returns null when it does not and the id is not linked
     */
    async emailOfIdentity({
      provider,
      subject,
      email,
      isHosted,
      newAccountId,
    }: {
      readonly provider: string
      readonly subject: string
      readonly email: string
      readonly isHosted: boolean
      readonly newAccountId: string
    }): Promise<string | null> {
      const known = await database
        .select({ email: accounts.email })
        .from(identities)
        .innerJoin(accounts, eq(accounts.accountId, identities.accountId))
        .where(and(eq(identities.provider, provider), eq(identities.subject, subject)))
      if (known[0]?.email) return known[0].email
      if (!isHosted) return null
      const { accountId } = await this.accountOf(email, newAccountId)
      await database.insert(identities).values({ provider, subject, accountId }).onConflictDoNothing()
      return email
    },

    /** The account of a proven address, created if necessary. @param tier the operator's plan of a new account */
    async accountOf(email: string, newAccountId: string, tier: Tier = "free"): Promise<Session> {
      const plan = { tier, grantedTier: tier === "free" ? null : tier }
      const created = { accountId: newAccountId, email, createdAt: clock.now(), ...plan }
      const [, rows] = await database.batch([
        database.insert(accounts).values(created).onConflictDoNothing({ target: accounts.email }),
        database.select().from(accounts).where(eq(accounts.email, email)),
      ])
      const account = rows[0]
      if (!account) throw new Error("an account that was just made is not there")
      return { accountId: account.accountId, email, tier: account.tier, isSuspended: account.suspendedAt !== null }
    },
  }
}
