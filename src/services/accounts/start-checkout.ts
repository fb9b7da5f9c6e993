import { LISTED_TIERS } from "../../../schema/vocabulary.ts"
import type { Checkout } from "../../adapters/accounts/payments.ts"
import type { Context } from "../../context.ts"
import { type Caller, subjectOf } from "../../domain/accounts/caller.ts"
import { isRunning } from "../../domain/accounts/tiers.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "./count-free-work.ts"

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
  { caller, payer, product }: { caller: Caller; payer: Payer; product: string },
): Promise<Checkout> {
  const payments = requirePayments(ctx)
  const priceId = Object.hasOwn(payments.prices, product) ? payments.prices[product] : undefined
  const isOtherVariant = LISTED_TIERS.some((tier) => tier === product && !ctx.config.limits.tiers.includes(tier))
  if (!priceId || isOtherVariant) throw new AppError("not_found", `there is no plan ${product}; see /billing/plans`)
  await countFreeWork(ctx, "paymentPages", subjectOf(caller))
  const id = await ctx.store.billing.ownCustomerOf(payer.accountId)
  if (!product.startsWith("credits_") && (await ctx.store.billing.subscriptionsOf(payer.accountId)).some(isRunning))
    throw new AppError("conflict", "this account has a plan already; change it on the page of POST /billing/portal")
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

/**
 * Opens the processor's page where an account changes or cancels its plan and reads its invoices.
 * @throws AppError unavailable, conflict for an account that never paid
 */
export async function openPortal(ctx: Context, accountId: string): Promise<string> {
  const payments = requirePayments(ctx)
  const customerId = await ctx.store.billing.customerOf(accountId)
  if (customerId === null)
    throw new AppError("conflict", "this account has not bought anything yet; buy a plan with /billing/checkout/{plan}")
  return payments.openPortal({ customerId, returnUrl: `${ctx.config.baseUrl}/console/#/billing` })
}

export function requirePayments({ payments }: Pick<Context, "payments">) {
  if (!payments)
    throw new AppError(
      "unavailable",
      "billing is not configured: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set",
    )
  return payments
}
