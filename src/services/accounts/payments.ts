import { LISTED_TIERS, type Tier } from "../../../schema/vocabulary.ts"
import type { Checkout } from "../../adapters/accounts/payments.ts"
import type { PaymentOffer } from "../../adapters/store/accounts/billing.ts"
import type { Context } from "../../context.ts"
import { type Caller, type Member, subjectOf } from "../../domain/accounts/caller.ts"
import { isRunning, planOf } from "../../domain/accounts/tiers.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "./count-free-work.ts"
import { emailOf } from "./identify.ts"
import { invalidateKeys } from "./keys.ts"

/**
 * Opens a checkout page of the payment processor for a plan or a pack of credits. The account changes only when the
 * processor's webhook reports the payment. @param product "starter", "pro", "enterprise" or "credits_<n>" @throws
 * AppError unavailable, not_found, rate_limited (the processor limits the calls of the whole service)
 */
export async function startCheckout(
  ctx: Context,
  { caller, payer, product }: { caller: Caller; payer: { accountId: string; email: string }; product: string },
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
      "not_configured",
      "billing is not configured: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set",
    )
  return payments
}

/** Offers that one answer lists. Each was paid, so few mailboxes have more than one. */
const MAX_LISTED = 100

/** One offer, and the session that decides about it. */
interface Decision {
  readonly caller: Member
  readonly offerId: string
}

/** Lists the open payments in the name of the caller's mailbox, the newest first. */
export function listPaymentOffers(ctx: Context, caller: Member): Promise<PaymentOffer[]> {
  return ctx.store.paymentOffers.openFor(emailOf(caller), MAX_LISTED)
}

/**
 * Links a payment to the caller's account: its subscription's plan applies, or its credits are added. Each step is
 * repeatable, so accepting again completes an interrupted call and changes nothing else.
 * @throws AppError not_found, conflict for an offer that was declined or has ended, and for a second running plan
 */
export async function acceptPaymentOffer(ctx: Context, { caller, offerId }: Decision): Promise<PaymentOffer> {
  const { accountId } = caller
  const [email, at] = [emailOf(caller), ctx.clock.now()]
  const offer = await ctx.store.paymentOffers.accept({ offerId, accountId, email, at })
  if (!offer) throw unknownOffer()
  if (offer.state !== "accepted") throw new AppError("conflict", REFUSED[offer.state])
  const { checkoutId, credits } = offer
  if (credits !== null) await ctx.store.billing.addCredits({ checkoutId, accountId, credits, at })
  await applyPlan(ctx, accountId)
  return offer
}

/** Declines a payment for good. Declining again changes nothing. @throws AppError not_found, conflict when it is accepted */
export async function declinePaymentOffer(ctx: Context, { caller, offerId }: Decision): Promise<PaymentOffer> {
  const offer = await ctx.store.paymentOffers.decline({ offerId, email: emailOf(caller), at: ctx.clock.now() })
  if (!offer) throw unknownOffer()
  if (offer.state === "accepted")
    throw new AppError(
      "conflict",
      "this payment is accepted already; cancel its plan on the page of POST /billing/portal",
    )
  return offer
}

const REFUSED = {
  open: "this account has a plan already; cancel it on the page of POST /billing/portal before you accept another",
  declined: "this payment was declined; ask the operator of this service about the money",
  ended: "this payment was refunded, or its subscription has ended",
} as const

function unknownOffer(): AppError {
  return new AppError("not_found", "there is no such payment offer")
}

/**
 * Gives the account and its keys the plan in force after a payment, from the next request on. Keys with a lower tier, and
 * better ones that the operator made, do not change. An account without subscriptions keeps the operator's plan, also when
 * it buys credits.
 */
export async function applyPlan(ctx: Context, accountId: string): Promise<void> {
  const change = { actor: "payments", action: "account.tier_changed", subject: accountId } as const
  // Repeats until the plan matches: another call may change the subscriptions or the grant after they were read.
  for (;;) {
    const [subscriptions, account] = await plansOf(ctx, accountId)
    if (!account) break
    // A version without grants sets the plan alone. No payment explains such a plan, so it stays.
    if (subscriptions.length === 0 && account.grantedTier === null) break
    const to = planOf(subscriptions, account.grantedTier)
    if (account.tier === to) break
    // The audit row comes first: a repeated event may add a second row, but no plan changes without a row.
    await ctx.store.audit.append({ ...change, details: { from: account.tier, to }, at: ctx.clock.now() })
    await ctx.store.operator.setTier(accountId, to, { preservesBetterKeys: true })
  }
  await invalidateKeys(ctx, accountId)
}

/**
 * Sets or removes the operator's plan. A running subscription of a higher plan stays in force.
 * @param tier free removes it @returns the plan in force, the active keys that have it, and the account's active keys
 */
export async function grantPlan(
  ctx: Context,
  { accountId, tier }: { accountId: string; tier: Tier },
): Promise<{ inForce: Tier; updatedKeys: number; keys: number }> {
  await ctx.store.operator.grant(accountId, tier === "free" ? null : tier)
  const [subscriptions, account] = await plansOf(ctx, accountId)
  const inForce = planOf(subscriptions, account?.grantedTier ?? null)
  const updatedKeys = await ctx.store.operator.setTier(accountId, inForce)
  // A payment may have changed the plan meanwhile.
  await applyPlan(ctx, accountId)
  return { inForce, updatedKeys, keys: (await ctx.store.keys.digestsOf(accountId)).length }
}

function plansOf({ store }: Context, accountId: string) {
  return Promise.all([store.billing.subscriptionsOf(accountId), store.operator.account(accountId)])
}
