import { createRoute, z } from "@hono/zod-openapi"
import { OFFER_STATES } from "../../../schema/vocabulary.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumberOr } from "../../http/fields.ts"
import { ok } from "../../http/responses.ts"
import { offerFields, presentPayment } from "../accounts/payment-offers.ts"

const Payment = z
  .object({
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
  .openapi("OfferedPayment")

const list = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/payment-offers",
    operationId: "listOfferedPayments",
    tags: ["admin"],
    summary: "List payments without an account",
    description:
      "Returns payments in the name of a mailbox whose account did not make them, the newest first. They change no account until its owner accepts. Refund those that are declined or stay open at the payment processor. They are deleted after a year.",
    request: {
      query: z.object({
        state: z.enum(OFFER_STATES).optional(),
        limit: wholeNumberOr(100, { min: 1, max: 500, description: "Payments per page" }),
        offset: wholeNumberOr(0, { min: 0, max: 1_000_000, description: "Payments to skip" }),
      }),
    },
    responses: { 200: ok(z.object({ payments: z.array(Payment), limit: z.int(), offset: z.int() })) },
  }),
  async (c) => {
    const { state = null, limit, offset } = c.req.valid("query")
    const offers = await c.var.ctx.store.paymentOffers.list({ state, limit, offset })
    const payments = offers.map((offer) => ({
      ...presentPayment(offer),
      email: offer.email,
      state: offer.state,
      checkout_id: offer.checkoutId,
      customer_id: offer.customerId,
    }))
    return c.json({ payments, limit, offset }, 200)
  },
)

export const offeredPaymentEndpoints: Endpoint[] = [list]
