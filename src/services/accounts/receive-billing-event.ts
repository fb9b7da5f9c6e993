import type Stripe from "stripe"
import { LISTED_TIERS, type Tier } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { hex } from "../../domain/accounts/crypto.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"
import { recallLeases } from "./charge.ts"
import { applyPlan, requirePayments } from "./payments.ts"

/**
 * Handles an event of the payment processor. Repeated events and events out of order are safe. @returns whether it
 * changed anything @throws AppError unauthorized when the signature is invalid, bad_request when the body is no event
 */
export async function receiveBillingEvent(
  ctx: Context,
  { body, signature }: { body: string; signature: string },
): Promise<boolean> {
  const read = await requirePayments(ctx).readEvent(body, signature)
  if (read.kind !== "event")
    throw read.kind === "forged"
      ? new AppError("unauthorized", "the signature of this event is invalid")
      : new AppError("bad_request", "the body is not an event of Stripe: a JSON object with id, type, created and data")
  const { event } = read
  if (await ctx.store.billing.isHandled(event.id)) return false
  const isChanged = await handle(ctx, event)
  await ctx.store.billing.markHandled({ eventId: event.id, type: event.type, receivedAt: ctx.clock.now() })
  return isChanged
}

/** Each step is repeatable. After a failure the processor sends the event again, and every step runs again. */
async function handle(ctx: Context, event: Stripe.Event): Promise<boolean> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return completeCheckout(ctx, event.data.object)
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
      return changeSubscription(ctx, event.data.object, event.created)
    case "charge.refunded":
      // "refunded" means the full amount. A partial refund is the operator's decision and takes no credits back.
      return event.data.object.refunded && reclaimCredits(ctx, event.data.object.payment_intent)
    case "charge.dispute.closed":
      return event.data.object.status === "lost" && reclaimCredits(ctx, event.data.object.payment_intent)
    default:
      return false
  }
}

async function completeCheckout(ctx: Context, session: Stripe.Checkout.Session): Promise<boolean> {
  const customerId = idOf(session.customer)
  if (!customerId) return false
  const credits = creditsIn(session)
  // An "unpaid" session sends another event once the money has arrived.
  const isPaid = session.payment_status !== "unpaid"
  const accountId = await payingAccount(ctx, customerId, session)
  if (!accountId) return (credits === null || isPaid) && offerPayment(ctx, customerId, session)
  if (credits && isPaid)
    await ctx.store.billing.addCredits({
      checkoutId: session.id,
      accountId,
      credits,
      at: ctx.clock.now(),
    })
  await applyPlan(ctx, accountId)
  return true
}

/** Takes back the credits of a refunded checkout. A plan ends with its subscription. */
async function reclaimCredits(ctx: Context, payment: Stripe.Charge["payment_intent"]): Promise<boolean> {
  const paymentId = idOf(payment)
  const session = paymentId === null ? null : await requirePayments(ctx).checkoutOf(paymentId)
  const credits = session && creditsIn(session)
  if (!credits) return false
  const customerId = idOf(session.customer)
  const accountId = customerId && (await ctx.store.billing.accountOf(customerId))
  // Credits that no call uses are revoked too.
  if (accountId) await recallLeases(ctx, [accountId])
  await ctx.store.billing.revokeCredits({ checkoutId: session.id, accountId, credits, at: ctx.clock.now() })
  return true
}

/** Returns how many credits a checkout sold, null when it sold something else. */
function creditsIn({ metadata }: Stripe.Checkout.Session): number | null {
  const credits = /^credits_(\d{1,9})$/.exec(metadata?.product ?? "")?.[1]
  return credits === undefined ? null : Number(credits)
}

/**
 * Returns the customer's account: the one that began the checkout, else a new one for the payer's mailbox. Null when an
 * account owns that mailbox: a payment never changes it without its owner. `client_reference_id` is not read, because the
 * URL of a payment link sets it.
 */
async function payingAccount(
  ctx: Context,
  customerId: string,
  session: Stripe.Checkout.Session,
): Promise<string | null> {
  const { billing } = ctx.store
  const requested = session.metadata?.account_id
  if (requested) await billing.link(customerId, requested)
  const linked = await billing.accountOf(customerId)
  const email = linked ? null : mailboxOf(session)
  if (!email) return linked
  const accountId = `acc_${hex(ctx.randomBytes(12))}`
  await billing.createAccount(customerId, { accountId, email, at: ctx.clock.now() })
  return billing.accountOf(customerId)
}

/** Offers a payment to the owner of the mailbox that it names. @returns false for a purchase of something else */
async function offerPayment(ctx: Context, customerId: string, session: Stripe.Checkout.Session): Promise<boolean> {
  const email = mailboxOf(session)
  const [credits, tier] = [creditsIn(session), asTier(session.metadata?.product)]
  const isOurs = credits !== null || tier !== null || session.mode === "subscription"
  if (!email || !isOurs) return false
  const { amount_total: amount = null, currency = null } = session
  const offerId = `offer_${hex(ctx.randomBytes(12))}`
  const offer = { offerId, checkoutId: session.id, customerId, email, tier, credits, amount, currency }
  await ctx.store.paymentOffers.add({ ...offer, createdAt: ctx.clock.now() })
  return true
}

function mailboxOf({ customer_details, customer_email }: Stripe.Checkout.Session): string | null {
  const address = parseAddress(customer_details?.email ?? customer_email ?? "")
  return address.ok ? cacheKey(address) : null
}

async function changeSubscription(ctx: Context, subscription: Stripe.Subscription, toldAt: number): Promise<boolean> {
  const customerId = idOf(subscription.customer)
  const tier = tierOf(ctx, subscription)
  if (!customerId || !tier) return false
  const { id: subscriptionId, status } = subscription
  const periodEnd = periodEndOf(subscription)
  await ctx.store.billing.saveSubscription({ subscriptionId, customerId, status, tier, periodEnd, toldAt })
  const requested = subscription.metadata.account_id
  if (requested) await ctx.store.billing.link(customerId, requested)
  const accountId = await ctx.store.billing.accountOf(customerId)
  if (accountId) await applyPlan(ctx, accountId)
  return true
}

/** A webhook's API version never changes. Before 2025-03-31 the period is on the subscription, not its items. */
function periodEndOf(subscription: Stripe.Subscription & { current_period_end?: number }): number | null {
  return subscription.items.data[0]?.current_period_end ?? subscription.current_period_end ?? null
}

function tierOf({ payments }: Pick<Context, "payments">, { metadata, items }: Stripe.Subscription): Tier | null {
  const priceId = items.data[0]?.price.id
  const bought = Object.entries(payments?.prices ?? {}).find(([, id]) => id === priceId)?.[0] ?? metadata.product
  return asTier(bought)
}

function asTier(product: string | undefined): Tier | null {
  return LISTED_TIERS.find((tier) => tier === product) ?? null
}

function idOf(thing: string | { id: string } | null): string | null {
  return typeof thing === "string" ? thing : (thing?.id ?? null)
}
