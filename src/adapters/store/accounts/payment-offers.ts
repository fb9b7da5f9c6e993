import { type SQL, sql } from "drizzle-orm"
import type { OfferState, Tier } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"
import { hasRunningSubscription, RUNNING } from "./billing.ts"

/** A payment in the name of a mailbox whose account it has not made. */
export interface PaymentOffer {
  readonly offerId: string
  /** The processor's ids, both. */
  readonly checkoutId: string
  readonly customerId: string
  /** The mailbox, by its cache key. Null after its erasure. */
  readonly email: string | null
  /** The plan of a subscription. Null for credits, and while no event has named the plan. */
  readonly tier: Tier | null
  /** Null for a subscription. */
  readonly credits: number | null
  /** In the smallest unit of the currency. Null when the processor did not report it. */
  readonly amount: number | null
  readonly currency: string | null
  readonly state: OfferState
  /** The processor's status of the subscription. Null for credits, and before its first event. */
  readonly status: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
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

export interface PaymentOfferStore {
  /** Stores an offer, once per checkout. */
  add(offer: NewOffer): Promise<void>
  /** The mailbox's open offers of credits and of known plans, and credits whose acceptance was interrupted, the newest first. */
  openFor(email: string, limit: number): Promise<PaymentOffer[]>
  /**
   * Marks an open offer as accepted and links its customer, in one transaction. Accepting again changes nothing. A plan is
   * not accepted while a subscription of the account runs.
   * @returns the offer with its state, null for an offer to another mailbox
   */
  accept(decision: Decision): Promise<PaymentOffer | null>
  /** Marks an offer that is not accepted as declined. @returns like `accept` */
  decline(decision: Omit<Decision, "accountId">): Promise<PaymentOffer | null>
  /** Offers to all mailboxes, the newest first. @param state null for all */
  list(page: { state: OfferState | null; limit: number; offset: number }): Promise<PaymentOffer[]>
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

export function createPaymentOfferStore(database: Database): PaymentOfferStore {
  const read = (rest: SQL) =>
    database.all<PaymentOffer>(sql`SELECT offer_id AS "offerId", checkout_id AS "checkoutId",
        customer_id AS "customerId", email, ${TIER} AS tier, credits, amount, currency,
        ${STATE} AS state, ${STATUS} AS status, created_at AS "createdAt"
      FROM payment_offers AS o WHERE ${rest}`)

  const find = async (offerId: string, email: string) =>
    (await read(sql`offer_id = ${offerId} AND email = ${email}`))[0] ?? null

  return {
    async add({ offerId, checkoutId, customerId, email, tier, credits, amount, currency, createdAt }) {
      await database.run(sql`INSERT INTO payment_offers
          (offer_id, checkout_id, customer_id, email, tier, credits, amount, currency, created_at)
        VALUES (${offerId}, ${checkoutId}, ${customerId}, ${email}, ${tier}, ${credits}, ${amount}, ${currency}, ${createdAt})
        ON CONFLICT (checkout_id) DO NOTHING`)
    },

    openFor: (email, limit) =>
      read(sql`email = ${email} AND (${IS_INTERRUPTED}
        OR ${STATE} = 'open' AND (credits IS NOT NULL OR ${TIER} IS NOT NULL))
        ORDER BY created_at DESC, offer_id LIMIT ${limit}`),

    async accept({ offerId, accountId, email, at }) {
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

    async decline({ offerId, email, at }) {
      await database.run(sql`UPDATE payment_offers SET decision = 'declined', decided_at = ${at}
        WHERE offer_id = ${offerId} AND email = ${email} AND decision IS NULL`)
      return find(offerId, email)
    },

    list: ({ state, limit, offset }) =>
      read(sql`${state === null ? sql`true` : sql`${STATE} = ${state}`}
        ORDER BY created_at DESC, offer_id LIMIT ${limit} OFFSET ${offset}`),
  }
}
