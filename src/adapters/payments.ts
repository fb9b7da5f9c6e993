import type Stripe from "stripe"
import type { Config } from "../env.ts"

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

/** Null when STRIPE_SECRET_KEY is not set. Stripe's library is loaded at the first call. */
export function createPayments({ stripe: settings }: Pick<Config, "stripe">): Payments | null {
  if (!settings) return null
  const open = async () => (await import("./stripe.ts")).createStripePayments(settings)
  return {
    prices: settings.prices,
    createCheckout: async (request) => (await open()).createCheckout(request),
    checkoutOf: async (paymentId) => (await open()).checkoutOf(paymentId),
    readEvent: async (body, signature) => (await open()).readEvent(body, signature),
  }
}
