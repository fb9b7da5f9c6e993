import type { UsageMeter } from "../../adapters/key-limiter/usage-meter.ts"
import type { Checkout } from "../../adapters/payments.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"

/** The paying account, and an address for a customer that the processor does not have yet. */
export interface Payer {
  readonly accountId: string
  readonly email: string
}

/**
 * Opens a checkout page of the payment processor for a plan or a pack of credits. The account changes only when the
 * processor's webhook reports the payment. @param product "starter", "pro", "enterprise" or "credits_<n>" @throws
 * AppError unavailable, not_found, rate_limited (the processor limits the calls of the whole service)
 */
export async function startCheckout(
  ctx: Context,
  meter: UsageMeter,
  { payer, product }: { payer: Payer; product: string },
): Promise<Checkout> {
  const payments = requirePayments(ctx)
  const priceId = Object.hasOwn(payments.prices, product) ? payments.prices[product] : undefined
  if (!priceId) throw new AppError("not_found", `there is no plan ${product}; see /billing/plans`)
  await meter.authorize()
  const id = await ctx.store.billing.customerOf(payer.accountId)
  return payments.createCheckout({
    priceId,
    product,
    mode: product.startsWith("credits_") ? "payment" : "subscription",
    accountId: payer.accountId,
    customer: { id, email: payer.email },
    returnUrl: `${ctx.config.baseUrl}/console/`,
    idempotencyKey: ctx.randomToken(),
  })
}

export function requirePayments({ payments }: Pick<Context, "payments">) {
  if (!payments)
    throw new AppError(
      "unavailable",
      "billing is not configured: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set",
    )
  return payments
}
