import type { Checkout } from "../../adapters/payments/stripe.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "baseUrl" | "billing" | "meter" | "payments" | "randomToken">

/** What pays for an account: its id, and an address for a customer nobody knows yet. */
export interface Payer {
  readonly accountId: string
  readonly email: string
}

/**
 * Opens a page of the payment processor for a plan or a pack of credits. Nothing changes here until its webhook says that
 * it is paid. @param product "starter", "pro", "enterprise" or "credits_<n>"
 * @throws AppError unavailable, not_found; rate_limited, as the processor takes only so many calls from all of us together
 */
export async function startCheckout(
  needs: Needs,
  { payer, product }: { payer: Payer; product: string },
): Promise<Checkout> {
  const payments = requirePayments(needs)
  const priceId = Object.hasOwn(payments.prices, product) ? payments.prices[product] : undefined
  if (!priceId) throw new AppError("not_found", `there is no plan ${product}; see /billing/plans`)
  await needs.meter.admit()
  const id = await needs.billing.customerOf(payer.accountId)
  return payments.createCheckout({
    priceId,
    product,
    mode: product.startsWith("credits_") ? "payment" : "subscription",
    accountId: payer.accountId,
    customer: { id, email: payer.email },
    returnUrl: `${needs.baseUrl}/console/`,
    idempotencyKey: needs.randomToken(),
  })
}

export function requirePayments({ payments }: Pick<Deps, "payments">) {
  if (!payments)
    throw new AppError(
      "unavailable",
      "billing is not configured: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set",
    )
  return payments
}
