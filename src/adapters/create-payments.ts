import type { Config } from "../env.ts"
import type { Payments } from "./payments.ts"

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
