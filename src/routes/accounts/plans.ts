import { z } from "@hono/zod-openapi"
import { LISTED_TIERS } from "../../../schema/vocabulary.ts"
import type { Price, PriceList } from "../../adapters/accounts/payments.ts"
import type { Context } from "../../context.ts"
import { advantagesOf, type ListedTier } from "../../domain/accounts/tiers.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component } from "../../http/fields.ts"

const endpoint = endpointsOf("billing")

const PriceOf = component("Price", {
  unit_amount: z
    .int()
    .openapi({ description: "In the smallest unit of the currency: 2900 is 29.00 EUR", example: 2900 }),
  currency: z.string().openapi({ description: "ISO 4217, in lower case", example: "eur" }),
  interval: z.enum(["day", "week", "month", "year"]).nullable().openapi({ description: "Null when it is paid once" }),
})

const price = PriceOf.nullable().openapi({
  description: "From the payment processor, at most an hour old. Null for what is not for sale, or while it is unknown",
})

const PlanLimits = z.object({
  name: z.enum(LISTED_TIERS),
  monthly_limit: z.int().nullable().openapi({ description: "Null when unlimited" }),
  rate_per_min: z.int().nullable(),
  price,
  adds: z.array(z.string()).openapi({
    description: "What the plan has that the one before it lacks, in words",
    example: ["10,000 credits a month", "100 requests a minute", "priority in the queue of lists"],
  }),
})

function presentPrice(found: Price | undefined): z.infer<typeof price> {
  return found ? { unit_amount: found.unitAmount, currency: found.currency, interval: found.interval } : null
}

function presentPlan(ctx: Context, name: ListedTier, prices: PriceList): z.infer<typeof PlanLimits> {
  const { limits } = ctx.config
  const { perMonth, perMinute } = limits.table[name]
  const adds = advantagesOf(limits, name)
  return { name, monthly_limit: perMonth, rate_per_min: perMinute, price: presentPrice(prices[name]), adds }
}

const pricesOf = async ({ payments }: Context): Promise<PriceList> => (await payments?.currentPrices()) ?? {}

const plans = endpoint("public", "GET /plans", {
  operationId: "plans",
  summary: "List the plans",
  description: "Returns each plan with its price, its credits a month and its requests a minute. Needs no key.",
  answer: z.object({ plans: z.array(PlanLimits) }),
  async handle(c) {
    const { ctx } = c.var
    const prices = await pricesOf(ctx)
    return { plans: ctx.config.limits.tiers.map((name) => presentPlan(ctx, name, prices)) }
  },
})

const billingPlans = endpoint("public", "GET /billing/plans", {
  operationId: "billingPlans",
  summary: "List what is for sale",
  description:
    "Returns the plans and credit packs that this service sells, with their prices. Needs no key. Use a `name` from here in `POST /billing/checkout/{plan}`.",
  answer: z.object({
    plans: z.array(PlanLimits.extend({ can_be_bought: z.boolean() })),
    credit_packs: arrayOf({ name: z.string().openapi({ example: "credits_10000" }), credits: z.int(), price }),
  }),
  async handle(c) {
    const { ctx } = c.var
    const products = ctx.payments?.prices ?? {}
    const prices = await pricesOf(ctx)
    const packs = Object.keys(products).flatMap((name) => {
      const credits = /^credits_(\d+)$/.exec(name)?.[1]
      return credits ? [{ name, credits: Number(credits), price: presentPrice(prices[name]) }] : []
    })
    const list = ctx.config.limits.tiers.map((name) => ({
      ...presentPlan(ctx, name, prices),
      can_be_bought: name in products,
    }))
    return { plans: list, credit_packs: packs }
  },
})

export const planEndpoints: Endpoint[] = [plans, billingPlans]
