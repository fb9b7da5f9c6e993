import type Stripe from "stripe"
import { inTime } from "../../concurrency/deadlines.ts"
import { MINUTE_MS } from "../../domain/time.ts"

export interface Checkout {
  readonly sessionId: string
  readonly url: string
}

interface CheckoutRequest {
  readonly priceId: string
  readonly mode: "subscription" | "payment"
  readonly accountId: string
  /** The customer when known, and the email address for a new one. */
  readonly customer: { readonly id: string | null; readonly email: string }
  /** The purchased product; the webhook returns it in the metadata. */
  readonly product: string
  readonly returnUrl: string
  /** Identical requests share one session. */
  readonly idempotencyKey: string
}

/** `forged`: the signature is invalid. `malformed`: the signature is Stripe's, but the body is no event. */
type ReadEvent = { readonly kind: "event"; readonly event: Stripe.Event } | { readonly kind: "forged" | "malformed" }

/** Payments through Stripe's library. */
export interface Payments {
  /** Price ids by product: a tier, or "credits_<n>". */
  readonly prices: Readonly<Record<string, string>>
  /** What the products cost, at most an hour old. Without an answer the last known prices; never fails. */
  currentPrices(): Promise<PriceList>
  createCheckout(request: CheckoutRequest): Promise<Checkout>
  /** A page where a customer changes and cancels plans and reads invoices. @throws AppError unavailable */
  openPortal(request: { customerId: string; returnUrl: string }): Promise<string>
  /** The checkout session of a payment; null for a payment without one. @throws AppError unavailable */
  checkoutOf(paymentId: string): Promise<Stripe.Checkout.Session | null>
  /** The event of a webhook. @param body unparsed */
  readEvent(body: string, signature: string): Promise<ReadEvent>
}

/** A price at the payment processor. */
export interface Price {
  /** In the smallest unit of the currency: 2900 is 29.00 EUR, and 2,900 JPY. */
  readonly unitAmount: number
  /** ISO 4217, in lower case. */
  readonly currency: string
  /** How often it is paid; null for a pack of credits, which is paid once. */
  readonly interval: "day" | "week" | "month" | "year" | null
}

/** Prices by product. A product whose price is not known is absent. */
export type PriceList = Readonly<Record<string, Price>>

/** What an isolate knows of the prices. */
export interface PriceMemory {
  known: PriceList
  /** When the prices are read again, Unix ms. */
  dueAt: number
}

export const newPriceMemory = (): PriceMemory => ({ known: {}, dueAt: 0 })

const LIFETIME_MS = 60 * MINUTE_MS
const RETRY_MS = MINUTE_MS
const WITHIN_MS = 3_000

interface PriceListDeps {
  readonly memory: PriceMemory
  readonly now: () => number
  /** @throws when the processor does not answer */
  readonly read: () => Promise<PriceList>
}

/**
 * Reads prices at most once an hour, and after a failure once a minute. While one request reads, the others get the last
 * known prices, so that a flood of requests is one call. They share no promise: in a Worker each may await its own calls only.
 */
export async function currentPrices({ memory, now, read }: PriceListDeps): Promise<PriceList> {
  if (now() < memory.dueAt) return memory.known
  memory.dueAt = now() + RETRY_MS
  try {
    memory.known = await inTime(WITHIN_MS, (signal) => Promise.race([read(), rejectedBy(signal)]))
    memory.dueAt = now() + LIFETIME_MS
  } catch {
    // The last known prices count, until the next attempt.
  }
  return memory.known
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  )
}
