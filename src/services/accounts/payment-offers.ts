import type { PaymentOffer } from "../../adapters/store/accounts/billing.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { applyPlan } from "./apply-plan.ts"
import { emailOf } from "./identify.ts"

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
