import type Stripe from "stripe"
import { TIERS, type Tier } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { planOf } from "../../domain/billing/plan-of.ts"
import { hex } from "../../domain/keys/digest.ts"
import { AppError } from "../../errors.ts"
import { requirePayments } from "./start-checkout.ts"

type Needs = Pick<
  Deps,
  "audit" | "billing" | "clock" | "gates" | "keys" | "operator" | "payments" | "randomBytes" | "sessions"
>

/**
 * Handles an event of the payment processor: once however often it is told, and right in whatever order.
 * @returns whether it changed anything @throws AppError unauthorized when its signature does not hold
 */
export async function receiveBillingEvent(
  needs: Needs,
  { body, signature }: { body: string; signature: string },
): Promise<boolean> {
  const event = await requirePayments(needs).readEvent(body, signature)
  if (!event) throw new AppError("unauthorized", "the signature of this event does not hold")
  if (await needs.billing.isHandled(event.id)) return false
  const isChanged = await handle(needs, event)
  await needs.billing.markHandled({ eventId: event.id, type: event.type, receivedAt: needs.clock.now() })
  return isChanged
}

/** Each step may be taken again: whatever breaks off, the processor tells the event again and all of it is done. */
async function handle(needs: Needs, event: Stripe.Event): Promise<boolean> {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return completeCheckout(needs, event.data.object)
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
      return changeSubscription(needs, event.data.object, event.created)
    case "charge.refunded":
      // "refunded" is all of it; a part is the operator's kindness.
      return event.data.object.refunded && takeBackCredits(needs, event.data.object.payment_intent)
    case "charge.dispute.closed":
      return event.data.object.status === "lost" && takeBackCredits(needs, event.data.object.payment_intent)
    default:
      return false
  }
}

async function completeCheckout(needs: Needs, session: Stripe.Checkout.Session): Promise<boolean> {
  const customerId = idOf(session.customer)
  const accountId = customerId && (await payingFor(needs, customerId, session))
  if (!accountId) return false
  const credits = creditsIn(session)
  // Paid, or nothing to pay; "unpaid" is told again when the money has come.
  if (credits && session.payment_status !== "unpaid")
    await needs.billing.addCredits({
      checkoutId: session.id,
      accountId,
      credits,
      at: needs.clock.now(),
    })
  await applyPlan(needs, accountId)
  return true
}

/** What a checkout was for, when its money has gone back. A plan goes with its subscription, which the operator ends. */
async function takeBackCredits(needs: Needs, payment: Stripe.Charge["payment_intent"]): Promise<boolean> {
  const paymentId = idOf(payment)
  const session = paymentId === null ? null : await requirePayments(needs).checkoutOf(paymentId)
  const credits = session && creditsIn(session)
  if (!credits) return false
  const customerId = idOf(session.customer)
  const accountId = customerId && (await needs.billing.accountOf(customerId))
  await needs.billing.takeBackCredits({ checkoutId: session.id, accountId, credits, at: needs.clock.now() })
  return true
}

/** How many credits a checkout sold; null when it sold something else. */
function creditsIn({ metadata }: Stripe.Checkout.Session): number | null {
  const credits = /^credits_(\d{1,9})$/.exec(metadata?.product ?? "")?.[1]
  return credits === undefined ? null : Number(credits)
}

/**
 * The account that asked; or, when it is new or has joined another one since, the customer's, or that of the payer's
 * address, which its owner gets by signing in.
 */
async function payingFor(
  { billing, randomBytes, sessions }: Needs,
  customerId: string,
  session: Stripe.Checkout.Session,
): Promise<string | null> {
  const asked = session.metadata?.account_id ?? session.client_reference_id
  if (asked) await billing.link(customerId, asked)
  const linked = await billing.accountOf(customerId)
  if (linked) return linked
  const address = parseAddress(session.customer_details?.email ?? session.customer_email ?? "")
  if (!address.ok) return null
  const payer = await sessions.accountOf(cacheKey(address), `acc_${hex(randomBytes(12))}`)
  await billing.link(customerId, payer.accountId)
  return payer.accountId
}

async function changeSubscription(needs: Needs, subscription: Stripe.Subscription, toldAt: number): Promise<boolean> {
  const customerId = idOf(subscription.customer)
  const tier = tierOf(needs, subscription)
  if (!customerId || !tier) return false
  const { id: subscriptionId, status } = subscription
  const periodEnd = periodEndOf(subscription)
  await needs.billing.saveSubscription({ subscriptionId, customerId, status, tier, periodEnd, toldAt })
  const told = subscription.metadata.account_id
  if (told) await needs.billing.link(customerId, told)
  const accountId = await needs.billing.accountOf(customerId)
  if (accountId) await applyPlan(needs, accountId)
  return true
}

/** A webhook keeps the API version it was made with: before 2025-03-31 the period was the subscription's, not its items'. */
function periodEndOf(subscription: Stripe.Subscription & { current_period_end?: number }): number | null {
  return subscription.items.data[0]?.current_period_end ?? subscription.current_period_end ?? null
}

function tierOf({ payments }: Needs, { metadata, items }: Stripe.Subscription): Tier | null {
  const priceId = items.data[0]?.price.id
  const bought = Object.entries(payments?.prices ?? {}).find(([, id]) => id === priceId)?.[0] ?? metadata.product
  return TIERS.find((tier) => tier === bought) ?? null
}

/**
 * Gives the account and its keys the plan its subscriptions pay for; in force from the next request on. Keys made for less
 * stay so. Who never had one keeps the plan the operator gave: buying credits takes nothing away.
 */
async function applyPlan(needs: Needs, accountId: string): Promise<void> {
  const change = { actor: "payments", action: "account.tier_changed", subject: accountId } as const
  // Until nothing is left to change: another event may have changed the subscriptions after they were read here.
  for (;;) {
    const subscriptions = await needs.billing.subscriptionsOf(accountId)
    if (subscriptions.length === 0) return
    const [to, account] = [planOf(subscriptions), await needs.operator.account(accountId)]
    if (!account || account.tier === to) break
    // Written down first: a row too many, when the event is told again, is better than a plan nobody wrote down.
    await needs.audit.append({ ...change, details: { to }, at: needs.clock.now() })
    await needs.operator.setTier(accountId, to)
  }
  const digests = await needs.keys.digestsOf(accountId)
  await Promise.all(digests.map((digest) => needs.gates.ofKey(digest).forget()))
}

function idOf(thing: string | { id: string } | null): string | null {
  return typeof thing === "string" ? thing : (thing?.id ?? null)
}
