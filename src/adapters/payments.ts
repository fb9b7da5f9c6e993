import type Stripe from "stripe"

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

/** Payments through Stripe's library. */
export interface Payments {
  /** Price ids by product: a tier, or "credits_<n>". */
  readonly prices: Readonly<Record<string, string>>
  createCheckout(request: CheckoutRequest): Promise<Checkout>
  /** The checkout session of a payment; null for a payment without one. @throws AppError unavailable */
  checkoutOf(paymentId: string): Promise<Stripe.Checkout.Session | null>
  /** The event of a webhook; null when its signature is invalid. @param body unparsed */
  readEvent(body: string, signature: string): Promise<Stripe.Event | null>
}
