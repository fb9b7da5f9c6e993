import type Stripe from "stripe"
import type { PriceList } from "./price-list.ts"

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
export type ReadEvent =
  | { readonly kind: "event"; readonly event: Stripe.Event }
  | { readonly kind: "forged" | "malformed" }

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
