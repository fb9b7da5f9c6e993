import { eq, type SQL, sql } from "drizzle-orm"
import {
  billingCustomers,
  billingEvents,
  type paymentOffers,
  subscriptions,
} from "../../../../schema/tables/billing.ts"
import type { OfferState } from "../../../../schema/vocabulary.ts"
import { RUNNING_STATES } from "../../../domain/accounts/tiers.ts"
import type { Database } from "../database.ts"

type Subscription = typeof subscriptions.$inferSelect

const isSameSecond = sql`${subscriptions.toldAt} = excluded.told_at`
/** A checkout creates and pays a subscription in one second. No step leads to the first state or from a final one. */
const isStep = sql`excluded.status <> 'incomplete' AND ${subscriptions.status} NOT IN ('canceled', 'incomplete_expired')`

/** The states of a running subscription, for `IN`. */
const RUNNING = sql.raw(RUNNING_STATES.map((state) => `'${state}'`).join(", "))

/** Whether a subscription of the account runs. */
function hasRunningSubscription(accountId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM billing_customers AS c JOIN subscriptions AS r ON r.customer_id = c.customer_id
    WHERE c.account_id = ${accountId} AND r.status IN (${RUNNING}))`
}

const IS_RUNNING = sql`EXISTS (SELECT 1 FROM subscriptions AS s
  WHERE s.customer_id = billing_customers.customer_id AND s.status IN (${RUNNING}))`

export function createBillingStore(database: Database) {
  /** The processor may have deleted earlier customers, so the last one comes first. */
  async function lastCustomer(accountId: string, filter: SQL): Promise<string | null> {
    const [row] = await database.all<{ id: string }>(sql`SELECT customer_id AS id FROM billing_customers
      WHERE account_id = ${accountId} AND ${filter}
      ORDER BY ${IS_RUNNING} DESC, is_offered, rowid DESC LIMIT 1`)
    return row?.id ?? null
  }

  return {
    async isHandled(eventId: string): Promise<boolean> {
      const rows = await database.select().from(billingEvents).where(eq(billingEvents.eventId, eventId))
      return rows.length > 0
    },

    /** Marks an event as handled, after all its work: until then a repeated event is handled again. */
    async markHandled(event: { eventId: string; type: string; receivedAt: number }) {
      await database.insert(billingEvents).values(event).onConflictDoNothing()
    },

    /** Links a customer to its first account. A deleted account is not linked. */
    async link(customerId: string, accountId: string) {
      await database.run(sql`INSERT INTO billing_customers (customer_id, account_id)
        SELECT ${customerId}, account_id FROM accounts WHERE account_id = ${accountId} ON CONFLICT DO NOTHING`)
    },

    /**
     * Creates the account of a mailbox and links an unlinked customer to it, in one transaction. It changes nothing when an
     * account owns the mailbox. @param created `email`: the mailbox, by its cache key. `at` in Unix milliseconds
     */
    async createAccount(
      customerId: string,
      { accountId, email, at }: { accountId: string; email: string; at: number },
    ) {
      await database.batch([
        database.run(sql`INSERT INTO accounts (account_id, email, created_at) SELECT ${accountId}, ${email}, ${at}
          WHERE NOT EXISTS (SELECT 1 FROM billing_customers WHERE customer_id = ${customerId})
          ON CONFLICT (email) DO NOTHING`),
        database.run(sql`INSERT INTO billing_customers (customer_id, account_id)
          SELECT ${customerId}, account_id FROM accounts WHERE account_id = ${accountId} ON CONFLICT DO NOTHING`),
      ])
    },

    async accountOf(customerId: string): Promise<string | null> {
      const rows = await database.select().from(billingCustomers).where(eq(billingCustomers.customerId, customerId))
      return rows[0]?.accountId ?? null
    },

    /** The customer of the account's running subscription, else the one of its own last checkout. */
    customerOf: (accountId: string): Promise<string | null> =>
      lastCustomer(accountId, sql`(is_offered = 0 OR ${IS_RUNNING})`),
    /** Like `customerOf`, without customers of accepted offers: their cards and invoices may be another person's. */
    ownCustomerOf: (accountId: string): Promise<string | null> => lastCustomer(accountId, sql`is_offered = 0`),

    /** Stores a newer subscription state. Of two states in one second, the later step remains. */
    async saveSubscription(subscription: Subscription) {
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

    async subscriptionsOf(accountId: string): Promise<Subscription[]> {
      const rows = await database
        .select()
        .from(subscriptions)
        .innerJoin(billingCustomers, eq(billingCustomers.customerId, subscriptions.customerId))
        .where(eq(billingCustomers.accountId, accountId))
      return rows.map((row) => row.subscriptions)
    },

    /** Adds the credits of a paid checkout, once even for repeated events. @throws Error when the account is gone */
    async addCredits({
      checkoutId,
      accountId,
      credits,
      at,
    }: {
      checkoutId: string
      accountId: string
      credits: number
      at: number
    }) {
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

    /**
     * Revokes credits of `addCredits` that are unused and not reserved by open work, once even for repeated events.
     * A later `addCredits` for the checkout adds nothing.
     */
    async revokeCredits({
      checkoutId,
      accountId,
      credits,
      at,
    }: {
      checkoutId: string
      accountId: string | null
      credits: number
      at: number
    }) {
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

/** A payment in the name of a mailbox whose account it has not made. */
export type PaymentOffer = Omit<typeof paymentOffers.$inferSelect, "decision" | "decidedAt"> & {
  readonly state: OfferState
  /** The processor's status of the subscription. Null for credits, and before its first event. */
  readonly status: string | null
}

type NewOffer = Omit<PaymentOffer, "state" | "status">

/** One offer, and the account whose owner decides about it. */
interface Decision {
  readonly offerId: string
  readonly accountId: string
  /** The account's mailbox, by its cache key. */
  readonly email: string
  /** Unix milliseconds. */
  readonly at: number
}

/** Of the subscription that the checkout began, once an event has reported it. */
const ofSubscription = (column: "status" | "tier") => sql`(SELECT ${sql.identifier(column)} FROM subscriptions AS s
  WHERE s.customer_id = o.customer_id AND o.credits IS NULL
  ORDER BY s.status IN (${RUNNING}) DESC, s.told_at DESC LIMIT 1)`
const STATUS = ofSubscription("status")
const TIER = sql`coalesce(${ofSubscription("tier")}, o.tier)`
const IS_REFUNDED = sql`EXISTS (SELECT 1 FROM billing_events AS e WHERE e.event_id = o.checkout_id AND e.type = 'taken_back')`
/** Without an event about the subscription, its checkout alone says that it was paid. */
const STATE = sql`CASE WHEN o.decision IS NOT NULL THEN o.decision
  WHEN ${IS_REFUNDED} OR coalesce(${STATUS} NOT IN (${RUNNING}), false) THEN 'ended' ELSE 'open' END`

/** Credits that were accepted and not added. Accepting again adds them. */
const IS_INTERRUPTED = sql`(decision = 'accepted' AND credits IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM billing_events AS e WHERE e.event_id = o.checkout_id))`

/** Whether the account has accepted another plan, about whose subscription no event has arrived. */
function hasPlanOnItsWay(accountId: string, offerId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM payment_offers AS p
    JOIN billing_customers AS c ON c.customer_id = p.customer_id AND c.account_id = ${accountId}
    WHERE p.offer_id <> ${offerId} AND p.decision = 'accepted' AND p.credits IS NULL
    AND NOT EXISTS (SELECT 1 FROM subscriptions AS s WHERE s.customer_id = p.customer_id))`
}

export function createPaymentOfferStore(database: Database) {
  const read = (rest: SQL) =>
    database.all<PaymentOffer>(sql`SELECT offer_id AS "offerId", checkout_id AS "checkoutId",
        customer_id AS "customerId", email, ${TIER} AS tier, credits, amount, currency,
        ${STATE} AS state, ${STATUS} AS status, created_at AS "createdAt"
      FROM payment_offers AS o WHERE ${rest}`)

  const find = async (offerId: string, email: string) =>
    (await read(sql`offer_id = ${offerId} AND email = ${email}`))[0] ?? null

  return {
    /** Stores an offer, once per checkout. */
    async add({ offerId, checkoutId, customerId, email, tier, credits, amount, currency, createdAt }: NewOffer) {
      await database.run(sql`INSERT INTO payment_offers
          (offer_id, checkout_id, customer_id, email, tier, credits, amount, currency, created_at)
        VALUES (${offerId}, ${checkoutId}, ${customerId}, ${email}, ${tier}, ${credits}, ${amount}, ${currency}, ${createdAt})
        ON CONFLICT (checkout_id) DO NOTHING`)
    },

    /** The mailbox's open offers of credits and of known plans, and credits whose acceptance was interrupted, the newest first. */
    openFor: (email: string, limit: number): Promise<PaymentOffer[]> =>
      read(sql`email = ${email} AND (${IS_INTERRUPTED}
        OR ${STATE} = 'open' AND (credits IS NOT NULL OR ${TIER} IS NOT NULL))
        ORDER BY created_at DESC, offer_id LIMIT ${limit}`),

    /**
     * Marks an open offer as accepted and links its customer, in one transaction. Accepting again changes nothing. A plan is
     * not accepted while a subscription of the account runs.
     * @returns the offer with its state, null for an offer to another mailbox
     */
    async accept({ offerId, accountId, email, at }: Decision): Promise<PaymentOffer | null> {
      const own = sql`offer_id = ${offerId} AND email = ${email}`
      await database.batch([
        database.run(sql`UPDATE payment_offers AS o SET decision = 'accepted', decided_at = ${at}
          WHERE ${own} AND ${STATE} = 'open'
          AND (credits IS NOT NULL OR NOT ${hasRunningSubscription(accountId)} AND NOT ${hasPlanOnItsWay(accountId, offerId)})
          AND EXISTS (SELECT 1 FROM accounts WHERE account_id = ${accountId} AND email = ${email})
          AND NOT EXISTS (SELECT 1 FROM billing_customers AS c
            WHERE c.customer_id = o.customer_id AND c.account_id <> ${accountId})`),
        database.run(sql`INSERT INTO billing_customers (customer_id, account_id, is_offered)
          SELECT customer_id, ${accountId}, true FROM payment_offers
          WHERE ${own} AND decision = 'accepted' ON CONFLICT DO NOTHING`),
      ])
      return find(offerId, email)
    },

    /** Marks an offer that is not accepted as declined. @returns like `accept` */
    async decline({ offerId, email, at }: Omit<Decision, "accountId">): Promise<PaymentOffer | null> {
      await database.run(sql`UPDATE payment_offers SET decision = 'declined', decided_at = ${at}
        WHERE offer_id = ${offerId} AND email = ${email} AND decision IS NULL`)
      return find(offerId, email)
    },

    /** Offers to all mailboxes, the newest first. @param state null for all */
    list: ({
      state,
      limit,
      offset,
    }: {
      state: OfferState | null
      limit: number
      offset: number
    }): Promise<PaymentOffer[]> =>
      read(sql`${state === null ? sql`true` : sql`${STATE} = ${state}`}
        ORDER BY created_at DESC, offer_id LIMIT ${limit} OFFSET ${offset}`),
  }
}
