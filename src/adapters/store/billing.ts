import { and, eq, sql } from "drizzle-orm"
import { accounts } from "../../../schema/tables/accounts.ts"
import { billingCustomers, billingEvents, subscriptions } from "../../../schema/tables/billing.ts"
import type { Tier } from "../../../schema/vocabulary.ts"
import type { Database } from "./database.ts"

export interface Subscription {
  readonly subscriptionId: string
  readonly customerId: string
  readonly status: string
  readonly tier: Tier
  /** Unix seconds, both. */
  readonly periodEnd: number | null
  readonly toldAt: number
}

export interface BillingStore {
  /** @returns false when the event has been handled before */
  begin(event: { eventId: string; type: string; receivedAt: number }): Promise<boolean>
  /** Lets the event be told again: handling it failed. */
  forget(eventId: string): Promise<void>
  link(customerId: string, accountId: string): Promise<void>
  accountOf(customerId: string): Promise<string | null>
  customerOf(accountId: string): Promise<string | null>
  /** Keeps what is newer than what is known. */
  saveSubscription(subscription: Subscription): Promise<void>
  subscriptionsOf(accountId: string): Promise<Subscription[]>
  addCredits(accountId: string, credits: number): Promise<void>
  creditsOf(accountId: string): Promise<number>
}

export function createBillingStore(database: Database): BillingStore {
  return {
    async begin(event) {
      const begun = await database.insert(billingEvents).values(event).onConflictDoNothing().returning()
      return begun.length === 1
    },

    async forget(eventId) {
      await database.delete(billingEvents).where(eq(billingEvents.eventId, eventId))
    },

    async link(customerId, accountId) {
      await database.insert(billingCustomers).values({ customerId, accountId }).onConflictDoNothing()
    },

    async accountOf(customerId) {
      const rows = await database.select().from(billingCustomers).where(eq(billingCustomers.customerId, customerId))
      return rows[0]?.accountId ?? null
    },

    async customerOf(accountId) {
      const rows = await database.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId))
      return rows[0]?.customerId ?? null
    },

    async saveSubscription(subscription) {
      const { subscriptionId, ...row } = subscription
      await database
        .insert(subscriptions)
        .values(subscription)
        .onConflictDoUpdate({
          target: subscriptions.subscriptionId,
          set: row,
          setWhere: sql`${subscriptions.toldAt} <= excluded.told_at`,
        })
    },

    async subscriptionsOf(accountId) {
      const rows = await database
        .select()
        .from(subscriptions)
        .innerJoin(billingCustomers, eq(billingCustomers.customerId, subscriptions.customerId))
        .where(eq(billingCustomers.accountId, accountId))
      return rows.map((row) => row.subscriptions)
    },

    async addCredits(accountId, credits) {
      await database
        .update(accounts)
        .set({ credits: sql`coalesce(${accounts.credits}, 0) + ${credits}` })
        .where(and(eq(accounts.accountId, accountId)))
    },

    async creditsOf(accountId) {
      const rows = await database
        .select({ credits: accounts.credits })
        .from(accounts)
        .where(eq(accounts.accountId, accountId))
      return rows[0]?.credits ?? 0
    },
  }
}
