import { eq, sql } from "drizzle-orm"
import { billingCustomers, billingEvents, subscriptions } from "../../../schema/tables/billing.ts"
import type { Tier } from "../../../schema/vocabulary.ts"
import type { Database } from "./database.ts"

interface Subscription {
  readonly subscriptionId: string
  readonly customerId: string
  readonly status: string
  readonly tier: Tier
  /** Unix seconds, both. */
  readonly periodEnd: number | null
  readonly toldAt: number
}

export interface BillingStore {
  isHandled(eventId: string): Promise<boolean>
  /** Said when nothing is left to do: until then an event that is told again is handled again. */
  markHandled(event: { eventId: string; type: string; receivedAt: number }): Promise<void>
  /** The first account a customer paid for stays its own; an account that is gone gets none. */
  link(customerId: string, accountId: string): Promise<void>
  accountOf(customerId: string): Promise<string | null>
  /** The one linked last: a customer may be gone at the processor. */
  customerOf(accountId: string): Promise<string | null>
  /** Keeps a subscription's newer state; of two told within one second, the one that cannot have come first. */
  saveSubscription(subscription: Subscription): Promise<void>
  subscriptionsOf(accountId: string): Promise<Subscription[]>
  /**
   * Adds what a paid checkout bought, once however often it is told.
   * @param bought `at` in Unix milliseconds @throws Error when the account is gone
   */
  addCredits(bought: { checkoutId: string; accountId: string; credits: number; at: number }): Promise<void>
  /**
   * Takes back what `addCredits` added, as far as it is left or open work leaves it over: once, however often it is
   * told. `addCredits` adds nothing for it afterwards.
   */
  takeBackCredits(bought: { checkoutId: string; accountId: string | null; credits: number; at: number }): Promise<void>
}

const isSameSecond = sql`${subscriptions.toldAt} = excluded.told_at`
/** A checkout makes and pays a subscription in one second: none goes back to its first state, or on from a last one. */
const isStep = sql`excluded.status <> 'incomplete' AND ${subscriptions.status} NOT IN ('canceled', 'incomplete_expired')`

export function createBillingStore(database: Database): BillingStore {
  return {
    async isHandled(eventId) {
      const rows = await database.select().from(billingEvents).where(eq(billingEvents.eventId, eventId))
      return rows.length > 0
    },

    async markHandled(event) {
      await database.insert(billingEvents).values(event).onConflictDoNothing()
    },

    async link(customerId, accountId) {
      await database.run(sql`INSERT INTO billing_customers (customer_id, account_id)
        SELECT ${customerId}, account_id FROM accounts WHERE account_id = ${accountId} ON CONFLICT DO NOTHING`)
    },

    async accountOf(customerId) {
      const rows = await database.select().from(billingCustomers).where(eq(billingCustomers.customerId, customerId))
      return rows[0]?.accountId ?? null
    },

    async customerOf(accountId) {
      const rows = await database
        .select()
        .from(billingCustomers)
        .where(eq(billingCustomers.accountId, accountId))
        .orderBy(sql`rowid DESC`)
        .limit(1)
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
          setWhere: sql`${subscriptions.toldAt} < excluded.told_at OR (${isSameSecond} AND ${isStep})`,
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

    async addCredits({ checkoutId, accountId, credits, at }) {
      const mark = sql`SELECT 1 FROM billing_events WHERE event_id = ${checkoutId}`
      const [, , marks] = await database.batch([
        database.run(sql`UPDATE accounts SET credits = coalesce(credits, 0) + ${credits}
          WHERE account_id = ${accountId} AND NOT EXISTS (${mark})`),
        database.run(sql`INSERT INTO billing_events (event_id, type, received_at)
          SELECT ${checkoutId}, 'credits', ${at} FROM accounts WHERE account_id = ${accountId} ON CONFLICT DO NOTHING`),
        database.all(mark),
      ])
      if (marks.length === 0) throw new Error("the account that credits were bought for is gone")
    },

    async takeBackCredits({ checkoutId, accountId, credits, at }) {
      const isAdded = sql`EXISTS (SELECT 1 FROM billing_events WHERE event_id = ${checkoutId} AND type = 'credits')`
      const left = sql`(SELECT credits FROM accounts WHERE account_id = ${accountId})`
      await database.batch([
        // What open work holds of them stays spent: it has so much less to give back. The plus reads open charges only.
        database.run(sql`UPDATE ledger SET reserved = max(0, reserved - max(0, ${credits} - ${left} - held.before))
          FROM (SELECT charge_id AS id, sum(reserved) OVER (ORDER BY charge_id) - reserved AS before FROM ledger
            WHERE +subject = ${accountId} AND source = 'credits' AND state IN ('call', 'job')) AS held
          WHERE charge_id = held.id AND ${isAdded}`),
        database.run(sql`UPDATE accounts SET credits = max(0, credits - ${credits})
          WHERE account_id = ${accountId} AND ${isAdded}`),
        database.run(sql`INSERT INTO billing_events (event_id, type, received_at) VALUES (${checkoutId}, 'taken_back', ${at})
          ON CONFLICT (event_id) DO UPDATE SET type = excluded.type`),
      ])
    },
  }
}
