import { createRoute, z } from "@hono/zod-openapi"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { Checkout } from "../../adapters/payments.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint, withBody } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { readBytes } from "../../http/raw-body.ts"
import { ok, problem } from "../../http/responses.ts"
import { wellFormed } from "../../http/well-formed.ts"
import { emailOf } from "../../services/accounts/identify.ts"
import { recallLeases } from "../../services/accounts/recall-leases.ts"
import { receiveBillingEvent } from "../../services/accounts/receive-billing-event.ts"
import { startCheckout } from "../../services/accounts/start-checkout.ts"

const EVENT_BYTES = 1_000_000

const plans = endpoint(
  "public",
  createRoute({
    method: "get",
    path: "/billing/plans",
    operationId: "billingPlans",
    tags: ["accounts"],
    summary: "Plans and credit packs for sale",
    responses: {
      200: ok(
        z.object({
          plans: z.array(
            z.object({
              name: z.enum(TIERS),
              monthly_limit: z.int().nullable().openapi({ description: "Null when unlimited" }),
              rate_per_min: z.int().nullable(),
              can_be_bought: z.boolean(),
            }),
          ),
          credit_packs: z.array(z.object({ name: z.string().openapi({ example: "credits_10000" }), credits: z.int() })),
        }),
      ),
    },
  }),
  (c) => {
    const { payments } = c.var.ctx
    const { limits } = c.var.ctx.config
    const prices = payments?.prices ?? {}
    const packs = Object.keys(prices).flatMap((name) => {
      const credits = /^credits_(\d+)$/.exec(name)?.[1]
      return credits ? [{ name, credits: Number(credits) }] : []
    })
    const list = TIERS.map((name) => {
      const { perMonth, perMinute } = limits.table[name]
      return { name, monthly_limit: perMonth, rate_per_min: perMinute, can_be_bought: name in prices }
    })
    return c.json({ plans: list, credit_packs: packs }, 200)
  },
)

const CheckoutAnswer = z
  .object({ checkout_url: z.string(), session_id: z.string(), plan: z.string() })
  .openapi("Checkout", { description: "A page of the payment processor; nothing changes before it is paid" })

const presentCheckout = ({ url, sessionId }: Checkout, plan: string): z.infer<typeof CheckoutAnswer> => ({
  checkout_url: url,
  session_id: sessionId,
  plan,
})

const checkout = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/billing/checkout/{plan}",
    operationId: "checkout",
    tags: ["accounts"],
    summary: "Create a payment page for a plan or a credit pack",
    request: { params: z.object({ plan: z.string().max(40).openapi({ example: "pro" }) }) },
    responses: { 200: ok(CheckoutAnswer), ...problem(404) },
  }),
  async (c) => {
    const { plan } = c.req.valid("param")
    const payer = member(c)
    const opened = await startCheckout(c.var.ctx, c.var.meter, {
      payer: { accountId: payer.accountId, email: emailOf(payer) },
      product: plan,
    })
    return c.json(presentCheckout(opened, plan), 200)
  },
)

const signup = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/billing/signup",
    operationId: "billingSignup",
    tags: ["accounts"],
    summary: "Sign up for a paid plan: pay first, then sign in by a link to the address",
    request: {
      body: json(
        z.object({
          email: z.string().max(320).openapi({ example: "owner@example.org" }),
          plan: z.string().max(40).openapi({ example: "starter" }),
        }),
      ),
    },
    responses: { 200: ok(CheckoutAnswer), ...problem(400, 404) },
  }),
  async (c) => {
    const { email, plan } = c.req.valid("json")
    const address = wellFormed(email)
    const payer = { accountId: "new", email: address.normalized }
    return c.json(presentCheckout(await startCheckout(c.var.ctx, c.var.meter, { payer, product: plan }), plan), 200)
  },
)

const usage = endpoint(
  "key-or-admin",
  createRoute({
    method: "get",
    path: "/billing/usage/{customer_id}",
    operationId: "billingUsage",
    tags: ["accounts"],
    summary: "A customer's used credits, bought credits left, and subscriptions",
    request: {
      params: z.object({
        customer_id: z.string().max(100).openapi({
          description: "The account's id, or the payment processor's customer id",
          example: "acc_0123456789abcdef01234567",
        }),
      }),
    },
    responses: {
      200: ok(
        z.object({
          customer_id: z.string(),
          period: z.string(),
          credits_used: z.int(),
          bought_credits_left: z.int(),
          subscriptions: z.array(
            z.object({ plan: z.enum(TIERS), status: z.string(), period_end: z.iso.datetime().nullable() }),
          ),
        }),
      ),
      ...problem(404),
    },
  }),
  async (c) => {
    const { clock } = c.var.ctx
    const { billing, charges, operator } = c.var.ctx.store
    const { customer_id } = c.req.valid("param")
    const { caller } = c.var
    const accountId = (await billing.accountOf(customer_id)) ?? (await operator.account(customer_id))?.accountId
    const isOwn = caller.kind === "admin" || (caller.kind === "member" && caller.accountId === accountId)
    if (!accountId || !isOwn) throw new AppError("not_found", "there is no such customer")
    const period = periodOf(clock.now())
    await recallLeases(c.var.ctx, [accountId])
    const [used, left, subscriptions] = await Promise.all([
      charges.usedBy(accountId, period),
      charges.creditsOf(accountId),
      billing.subscriptionsOf(accountId),
    ])
    return c.json(
      {
        customer_id,
        period,
        credits_used: used,
        bought_credits_left: left ?? 0,
        subscriptions: subscriptions.map(({ tier, status, periodEnd }) => ({
          plan: tier,
          status,
          period_end: periodEnd === null ? null : iso(periodEnd * 1_000),
        })),
      },
      200,
    )
  },
)

const webhook = endpoint(
  "public",
  createRoute({
    method: "post",
    path: "/billing/stripe-webhook",
    operationId: "stripeWebhook",
    tags: ["accounts"],
    summary: "Receive payment events from Stripe; checks their signature on the raw bytes",
    request: {
      headers: z.object({ "stripe-signature": z.string().max(1_000).optional() }),
      body: { required: true, content: { "application/json": { schema: z.unknown() } } },
    },
    responses: { 200: ok(z.object({ received: z.literal(true), changed: z.boolean() })) },
  }),
  async (c) => {
    const body = new TextDecoder().decode(await readBytes(c, EVENT_BYTES))
    const changed = await receiveBillingEvent(c.var.ctx, { body, signature: c.req.header("stripe-signature") ?? "" })
    return c.json({ received: true as const, changed }, 200)
  },
)

export const billingEndpoints: Endpoint[] = [
  plans,
  checkout,
  signup,
  usage,
  withBody(webhook, { maxBytes: EVENT_BYTES, isStreamed: true }),
]
