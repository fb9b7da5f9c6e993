import { z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { Checkout } from "../../adapters/accounts/payments.ts"
import { availableOf, periodOf, tierIn } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, wellFormed } from "../../http/fields.ts"
import { ownerMailbox } from "../../http/input-fields.ts"
import { readBytes } from "../../http/request-body.ts"
import { recallLeases } from "../../services/accounts/charge.ts"
import { countFreeWork } from "../../services/accounts/count-free-work.ts"
import { emailOf } from "../../services/accounts/identify.ts"
import { openPortal, startCheckout } from "../../services/accounts/payments.ts"
import { receiveBillingEvent } from "../../services/accounts/receive-billing-event.ts"

const endpoint = endpointsOf("billing")

const EVENT_BYTES = 1_000_000

const CheckoutAnswer = component("Checkout", "A page of the payment processor; nothing changes before it is paid", {
  checkout_url: z.string(),
  session_id: z.string(),
  plan: z.string(),
})

const presentCheckout = ({ url, sessionId }: Checkout, plan: string): z.infer<typeof CheckoutAnswer> => ({
  checkout_url: url,
  session_id: sessionId,
  plan,
})

const checkout = endpoint("key", "POST /billing/checkout/{plan}", {
  operationId: "checkout",
  summary: "Buy a plan or credits",
  description:
    "Creates a payment page for the account and returns its URL. Nothing is charged until the payment is made there. 409 for a plan that the account already has.",
  params: z.object({
    plan: z.string().max(40).openapi({ description: "Name of a plan of GET /plans", example: "pro" }),
  }),
  answer: CheckoutAnswer,
  problems: [404, 409],
  async handle(c) {
    const { plan } = c.req.valid("param")
    const payer = member(c)
    const opened = await startCheckout(c.var.ctx, {
      caller: payer,
      payer: { accountId: payer.accountId, email: emailOf(payer) },
      product: plan,
    })
    return presentCheckout(opened, plan)
  },
})

const signup = endpoint("key-optional", "POST /billing/signup", {
  operationId: "billingSignup",
  summary: "Sign up for a paid plan",
  description:
    "Creates a payment page for a new customer. After the payment, the customer signs in by a mailed link. Needs no key. When an account owns the mailbox already, its owner is offered the payment (GET /me/payment-offers), and nothing else changes. In a session of the mailbox, the page is that of the account: 409 for a plan while another one runs.",
  json: z.object({
    email: ownerMailbox(),
    plan: z.string().max(40).openapi({ description: "Name of a plan of GET /plans", example: "starter" }),
  }),
  answer: CheckoutAnswer,
  problems: [400, 404, 409],
  async handle(c) {
    const { email, plan } = c.req.valid("json")
    const { caller, ctx } = c.var
    const address = wellFormed(email)
    const isOwn = caller.kind === "member" && caller.keyId === null && caller.email === cacheKey(address)
    const payer = { accountId: isOwn ? caller.accountId : "new", email: address.normalized }
    return presentCheckout(await startCheckout(ctx, { caller, payer, product: plan }), plan)
  },
})

const portal = endpoint("session", "POST /billing/portal", {
  operationId: "billingPortal",
  summary: "Open the billing portal",
  description:
    "Returns a page of the payment processor. There the owner changes or cancels the plan and reads invoices. Needs a session: an API key is 403. 409 for an account that never bought anything.",
  answer: z.object({
    portal_url: z.string().openapi({ description: "Valid for a few minutes, for one visitor" }),
  }),
  problems: [403, 409],
  async handle(c) {
    const { accountId } = member(c)
    await countFreeWork(c.var.ctx, "paymentPages", accountId)
    return { portal_url: await openPortal(c.var.ctx, accountId) }
  },
})

const usage = endpoint("key-or-admin", "GET /billing/usage/{customer_id}", {
  operationId: "billingUsage",
  summary: "Get a customer's usage",
  description:
    "Returns used credits, bought credits that are left, and subscriptions. A key reads its own account, the admin secret reads any.",
  params: z.object({
    customer_id: z.string().max(100).openapi({
      description: "The account's id, or the payment processor's customer id",
      example: "acc_0123456789abcdef01234567",
    }),
  }),
  answer: z.object({
    customer_id: z.string(),
    period: z.string(),
    credits_used: z.int(),
    credits_limit: z
      .int()
      .nullable()
      .openapi({ description: "Of the period, at the account's plan. Null when unlimited" }),
    bought_credits_left: z.int().openapi({ description: "Used after the period's credits" }),
    credits_available: z.int().nullable().openapi({
      description: "Left of the period, and bought ones. Null when unlimited",
    }),
    subscriptions: arrayOf({ plan: z.enum(TIERS), status: z.string(), period_end: z.iso.datetime().nullable() }),
  }),
  problems: [404],
  async handle(c) {
    const { billing, charges, operator } = c.var.ctx.store
    const { customer_id } = c.req.valid("param")
    const { caller } = c.var
    const accountId = (await billing.accountOf(customer_id)) ?? (await operator.account(customer_id))?.accountId
    const isOwn = caller.kind === "admin" || (caller.kind === "member" && caller.accountId === accountId)
    if (!accountId || !isOwn) throw new AppError("not_found", "there is no such customer")
    const period = periodOf(c.var.ctx.clock.now())
    await recallLeases(c.var.ctx, [accountId])
    const [used, left, subscriptions, account] = await Promise.all([
      charges.usedBy(accountId, period),
      charges.creditsOf(accountId),
      billing.subscriptionsOf(accountId),
      operator.account(accountId),
    ])
    const { limits } = c.var.ctx.config
    const limit = limits.table[tierIn(limits, account?.tier ?? "free")].perMonth
    return {
      customer_id,
      period,
      credits_used: used,
      credits_limit: limit,
      bought_credits_left: left ?? 0,
      credits_available: availableOf({ limit, used, bought: left }),
      subscriptions: subscriptions.map(({ tier, status, periodEnd }) => ({
        plan: tier,
        status,
        period_end: periodEnd === null ? null : iso(periodEnd * 1_000),
      })),
    }
  },
})

const webhook = endpoint("public", "POST /billing/stripe-webhook", {
  operationId: "stripeWebhook",
  summary: "Receive a payment event",
  description:
    "Stripe calls this after a payment. The signature is checked on the raw bytes, so no other caller can use it. An event that was received before changes nothing.",
  headers: z.object({
    "stripe-signature": z.string().max(1_000).optional().openapi({ description: "Signature of Stripe over the body" }),
  }),
  content: { "application/json": { schema: z.unknown() } },
  answer: z.object({ received: z.literal(true), changed: z.boolean() }),
  problems: [400],
  body: { maxBytes: EVENT_BYTES, isStreamed: true },
  async handle(c) {
    const body = new TextDecoder().decode(await readBytes(c, EVENT_BYTES))
    const changed = await receiveBillingEvent(c.var.ctx, { body, signature: c.req.header("stripe-signature") ?? "" })
    return { received: true as const, changed }
  },
})

export const billingEndpoints: Endpoint[] = [checkout, signup, portal, usage, webhook]
