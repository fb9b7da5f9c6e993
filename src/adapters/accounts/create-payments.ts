import type { Config } from "../../env.ts"
import { currentPrices, type Payments, type PriceMemory } from "./payments.ts"

interface PaymentDeps {
  readonly now: () => number
  /** Outlives a request. */
  readonly priceMemory: PriceMemory
}

/** Null when STRIPE_SECRET_KEY is not set. Stripe's library is loaded at the first call. */
export function createPayments(
  { stripe: settings }: Pick<Config, "stripe">,
  { now, priceMemory: memory }: PaymentDeps,
): Payments | null {
  if (!settings) return null
  const open = async () => (await import("./stripe.ts")).createStripePayments(settings)
  return {
    prices: settings.prices,
    currentPrices: () => currentPrices({ memory, now, read: async () => (await open()).readPrices(settings.prices) }),
    createCheckout: async (request) => (await open()).createCheckout(request),
    openPortal: async (request) => (await open()).openPortal(request),
    checkoutOf: async (paymentId) => (await open()).checkoutOf(paymentId),
    readEvent: async (body, signature) => (await open()).readEvent(body, signature),
  }
}
