import { eq, type SQL, sql } from "drizzle-orm"
import { billingCustomers, billingEvents, subscriptions } from "../../../../schema/tables/billing.ts"
import type { Tier } from "../../../../schema/vocabulary.ts"
import { RUNNING_STATES } from "../../../domain/accounts/tiers.ts"
import type { Database } from "../database.ts"

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
  /** Marks an event as handled, after all its work: until then a repeated event is handled again. */
  markHandled(event: { eventId: string; type: string; receivedAt: number }): Promise<void>
  /** Links a customer to its first account. A deleted account is not linked. */
  link(customerId: string, accountId: string): Promise<void>
  /**
   * Creates the account of a mailbox and links an unlinked customer to it, in one transaction. It changes nothing when an
   * account owns the mailbox. @param created `email`: the mailbox, by its cache key. `at` in Unix milliseconds
   */
  createAccount(customerId: string, created: { accountId: string; email: string; at: number }): Promise<void>
  accountOf(customerId: string): Promise<string | null>
  /** The customer of the account's running subscription, else the one of its own last checkout. */
  customerOf(accountId: string): Promise<string | null>
  /** Like `customerOf`, without customers of accepted offers: their cards and invoices may be another person's. */
  ownCustomerOf(accountId: string): Promise<string | null>
  /** Stores a newer subscription state. Of two states in one second, the later step remains. */
  saveSubscription(subscription: Subscription): Promise<void>
  subscriptionsOf(accountId: string): Promise<Subscription[]>
  /**
   * Adds the credits of a paid checkout, once per checkout even for repeated events.
   * @param bought `at` in Unix milliseconds @throws Error when the account is gone
   */
  addCredits(bought: { checkoutId: string; accountId: string; credits: number; at: number }): Promise<void>
  /**
   * Revokes credits of `addCredits` that are unused and not reserved by open work, once even for repeated events.
   * A later `addCredits` for the checkout adds nothing.
   */
  revokeCredits(bought: { checkoutId: string; accountId: string | null; credits: number; at: number }): Promise<void>
}

const isSameSecond = sql`${subscriptions.toldAt} = excluded.told_at`
/** A checkout creates and pays a subscription in one second. No step leads to the first state or from a final one. */
const isStep = sql`excluded.status <> 'incomplete' AND ${subscriptions.status} NOT IN ('canceled', 'incomplete_expired')`

/** The states of a running subscription, for `IN`. */
export const RUNNING = sql.raw(RUNNING_STATES.map((state) => `'${state}'`).join(", "))

/** Whether a subscription of the account runs. */
export function hasRunningSubscription(accountId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM billing_customers AS c JOIN subscriptions AS r ON r.customer_id = c.customer_id
    WHERE c.account_id = ${accountId} AND r.status IN (${RUNNING}))`
}

const IS_RUNNING = sql`EXISTS (SELECT 1 FROM subscriptions AS s
  WHERE s.customer_id = billing_customers.customer_id AND s.status IN (${RUNNING}))`

export function createBillingStore(database: Database): BillingStore {
  /** The processor may have deleted earlier customers, so the last one comes first. */
  async function lastCustomer(accountId: string, among: SQL): Promise<string | null> {
    const [row] = await database.all<{ id: string }>(sql`SELECT customer_id AS id FROM billing_customers
      WHERE account_id = ${accountId} AND ${among}
      ORDER BY ${IS_RUNNING} DESC, is_offered, rowid DESC LIMIT 1`)
    return row?.id ?? null
  }

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

    async createAccount(customerId, { accountId, email, at }) {
      await database.batch([
        database.run(sql`INSERT INTO accounts (account_id, email, created_at) SELECT ${accountId}, ${email}, ${at}
          WHERE NOT EXISTS (SELECT 1 FROM billing_customers WHERE customer_id = ${customerId})
          ON CONFLICT (email) DO NOTHING`),
        database.run(sql`INSERT INTO billing_customers (customer_id, account_id)
          SELECT ${customerId}, account_id FROM accounts WHERE account_id = ${accountId} ON CONFLICT DO NOTHING`),
      ])
    },

    async accountOf(customerId) {
      const rows = await database.select().from(billingCustomers).where(eq(billingCustomers.customerId, customerId))
      return rows[0]?.accountId ?? null
    },

    customerOf: (accountId) => lastCustomer(accountId, sql`(is_offered = 0 OR ${IS_RUNNING})`),
    ownCustomerOf: (accountId) => lastCustomer(accountId, sql`is_offered = 0`),

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

    async revokeCredits({ checkoutId, accountId, credits, at }) {
      const isAdded = sql`EXISTS (SELECT 1 FROM billing_events WHERE event_id = ${checkoutId} AND type = 'credits')`
      const left = sql`(SELECT credits FROM accounts WHERE account_id = ${accountId})`
      await database.batch([
        // Credits reserved by open work count as spent, so its refund shrinks.
        // The plus makes SQLite read only open charges.
        database.run(sql`UPDATE ledger SET reserved = max(0, reserved - max(0, ${credits} - ${left} - held.before))
          FROM (SELECT charge_id AS id, sum(reserved) OVER (ORDER BY charge_id) - reserved AS before FROM ledger
            WHERE +subject = ${accountId} AND source = 'credits' AND state IN ('call', 'job', 'lease')) AS held
          WHERE charge_id = held.id AND ${isAdded}`),
        database.run(sql`UPDATE accounts SET credits = max(0, credits - ${credits})
          WHERE account_id = ${accountId} AND ${isAdded}`),
        database.run(sql`INSERT INTO billing_events (event_id, type, received_at) VALUES (${checkoutId}, 'taken_back', ${at})
          ON CONFLICT (event_id) DO UPDATE SET type = excluded.type`),
      ])
    },
  }
}
