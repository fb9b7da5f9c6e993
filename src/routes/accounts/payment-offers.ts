import { z } from "@hono/zod-openapi"
import { OFFER_STATES, TIERS } from "../../../schema/vocabulary.ts"
import type { PaymentOffer } from "../../adapters/store/accounts/billing.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component, wholeNumberOr } from "../../http/fields.ts"
import { emailOf } from "../../services/accounts/identify.ts"
import { acceptPaymentOffer, declinePaymentOffer, listPaymentOffers } from "../../services/accounts/payments.ts"

const endpoint = endpointsOf("billing")

const offerId = z.string().max(64).openapi({ example: "offer_0123456789abcdef01234567" })
const OfferId = z.object({ offer_id: offerId.openapi({ description: "Id of the offer" }) })

/** What was paid, as the owner and the operator see it. */
const offerFields = {
  offer_id: offerId,
  plan: z
    .enum(TIERS)
    .nullable()
    .openapi({ description: "Null for credits, and for the operator before the processor names the plan" }),
  credits: z.int().nullable().openapi({ description: "Null for a plan" }),
  amount: z.int().nullable().openapi({
    description: "In the smallest unit of the currency: 2900 is 29.00 EUR. Null when unknown",
    example: 2900,
  }),
  currency: z.string().nullable().openapi({ description: "ISO 4217, in lower case", example: "eur" }),
  subscription_status: z.string().nullable().openapi({
    description: "The processor's status of the plan. Null for credits, and before the first event",
    example: "active",
  }),
  paid_at: z.iso.datetime(),
}

const Offer = component("PaymentOffer", {
  ...offerFields,
  payment: z.string().openapi({ description: "The end of the processor's checkout id", example: "a1B2c3D4" }),
})

/** Characters of the processor's id by which payer and operator recognize a payment. */
const SHOWN_CHARACTERS = 8

function presentPayment(offer: PaymentOffer) {
  return {
    offer_id: offer.offerId,
    plan: offer.tier,
    credits: offer.credits,
    amount: offer.amount,
    currency: offer.currency,
    subscription_status: offer.status,
    paid_at: iso(offer.createdAt),
  }
}

function presentOffer(offer: PaymentOffer): z.infer<typeof Offer> {
  return { ...presentPayment(offer), payment: offer.checkoutId.slice(-SHOWN_CHARACTERS) }
}

const list = endpoint("session", "GET /me/payment-offers", {
  operationId: "listPaymentOffers",
  summary: "List payments to accept",
  description:
    "Returns payments that were made in the name of this mailbox, and not by this account. Accept a payment only if you expect it: any person can pay in the name of any mailbox. Nothing changes before. Needs a session: an API key is 403.",
  answer: z.object({
    email: z.string(),
    offers: z.array(Offer).openapi({
      description: "At most 100, the newest first. Refunded credits and plans that have ended are not listed",
    }),
  }),
  async handle(c) {
    const caller = member(c)
    const offers = await listPaymentOffers(c.var.ctx, caller)
    return { email: emailOf(caller), offers: offers.map(presentOffer) }
  },
})

const accept = endpoint("session", "POST /me/payment-offers/{offer_id}/accept", {
  operationId: "acceptPaymentOffer",
  summary: "Accept a payment",
  description:
    "Links the payment to the account: its plan applies while its subscription runs, or its credits are added. Accepting again changes nothing. 409 for a declined or ended payment, and for a plan while another subscription runs. Needs a session: an API key is 403.",
  params: OfferId,
  answer: z.object({ offer_id: offerId, account_id: z.string(), status: z.literal("accepted") }),
  problems: [404, 409],
  async handle(c) {
    const [caller, { offer_id }] = [member(c), c.req.valid("param")]
    await acceptPaymentOffer(c.var.ctx, { caller, offerId: offer_id })
    c.set("auditNote", { subject: offer_id, details: { account: caller.accountId } })
    return { offer_id, account_id: caller.accountId, status: "accepted" as const }
  },
})

const decline = endpoint("session", "POST /me/payment-offers/{offer_id}/decline", {
  operationId: "declinePaymentOffer",
  summary: "Decline a payment",
  description:
    "Refuses the payment for good. The account does not change, and the operator decides about the money. 409 for an accepted payment. Needs a session: an API key is 403.",
  params: OfferId,
  answer: z.object({ offer_id: offerId, status: z.literal("declined") }),
  problems: [404, 409],
  async handle(c) {
    const [caller, { offer_id }] = [member(c), c.req.valid("param")]
    await declinePaymentOffer(c.var.ctx, { caller, offerId: offer_id })
    c.set("auditNote", { subject: offer_id, details: { account: caller.accountId } })
    return { offer_id, status: "declined" as const }
  },
})

export const paymentOfferEndpoints: Endpoint[] = [list, accept, decline]

const Payment = component("OfferedPayment", {
  ...offerFields,
  email: z.string().nullable().openapi({
    description: "The mailbox that the payment names. Null after its erasure",
    example: "owner@example.org",
  }),
  state: z.enum(OFFER_STATES).openapi({
    description: "`ended`: refunded, or its subscription has ended, before the owner decided",
  }),
  checkout_id: z.string().openapi({ description: "The processor's id of the checkout", example: "cs_live_a1B2c3D4" }),
  customer_id: z.string().openapi({ description: "The processor's id of the payer", example: "cus_Q1w2E3r4" }),
})

const listOffered = endpointsOf("admin")("admin", "GET /admin/payment-offers", {
  operationId: "listOfferedPayments",
  summary: "List payments without an account",
  description:
    "Returns payments in the name of a mailbox whose account did not make them, the newest first. They change no account until its owner accepts. Refund those that are declined or stay open at the payment processor. They are deleted after a year.",
  query: z.object({
    state: z.enum(OFFER_STATES).optional().openapi({ description: "Only offers in this state" }),
    limit: wholeNumberOr(100, { min: 1, max: 500, description: "Payments per page" }),
    offset: wholeNumberOr(0, { min: 0, max: 1_000_000, description: "Payments to skip" }),
  }),
  answer: z.object({ payments: z.array(Payment), limit: z.int(), offset: z.int() }),
  async handle(c) {
    const { state = null, limit, offset } = c.req.valid("query")
    const offers = await c.var.ctx.store.paymentOffers.list({ state, limit, offset })
    const payments = offers.map((offer) => ({
      ...presentPayment(offer),
      email: offer.email,
      state: offer.state,
      checkout_id: offer.checkoutId,
      customer_id: offer.customerId,
    }))
    return { payments, limit, offset }
  },
})

export const offeredPaymentEndpoints: Endpoint[] = [listOffered]
