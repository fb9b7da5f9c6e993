import Stripe from "stripe"
import type { Config } from "../../env.ts"
import { AppError } from "../../errors.ts"
import type { Payments, Price, PriceList } from "./payments.ts"

type StripeConfig = NonNullable<Config["stripe"]>

interface StripePayments extends Omit<Payments, "prices" | "currentPrices"> {
  /** @param ids price ids by product @throws AppError unavailable */
  readPrices(ids: Payments["prices"]): Promise<PriceList>
}

/** Payments by calls to Stripe. */
export function createStripePayments(settings: StripeConfig): StripePayments {
  const stripe = connect(settings)
  return {
    async createCheckout({ priceId, mode, accountId, customer, product, returnUrl, idempotencyKey }) {
      const metadata = { account_id: accountId, product }
      const open = (payer: Stripe.Checkout.SessionCreateParams, key: string) =>
        stripe.checkout.sessions.create(
          {
            mode,
            line_items: [{ price: priceId, quantity: 1 }],
            client_reference_id: accountId,
            metadata,
            ...payer,
            ...(mode === "subscription" ? { subscription_data: { metadata } } : {}),
            success_url: `${returnUrl}?checkout=done`,
            cancel_url: `${returnUrl}?checkout=cancelled`,
          },
          { idempotencyKey: key },
        )
      // Stripe creates a subscription's customer itself. It refuses `customer_creation` for a subscription.
      const asNew = {
        customer_email: customer.email,
        ...(mode === "payment" ? { customer_creation: "always" as const } : {}),
      }
      const { id } = customer
      const known =
        id === null ? null : await open({ customer: id }, idempotencyKey).catch(nullIfCustomerIsMissing).catch(refused)
      const session = known ?? (await open(asNew, `${idempotencyKey}-new`).catch(refused))
      if (!session.url) throw new AppError("unavailable", "the payment processor returned no payment page")
      return { sessionId: session.id, url: session.url }
    },

    async openPortal({ customerId, returnUrl }) {
      const opened = await stripe.billingPortal.sessions
        .create({ customer: customerId, return_url: returnUrl })
        .catch(refused)
      return opened.url
    },

    async readPrices(ids) {
      const read = Object.entries(ids).map(async ([product, id]) => {
        const found = priceOf(await stripe.prices.retrieve(id).catch(refused))
        return found ? ([[product, found]] as const) : []
      })
      return Object.fromEntries((await Promise.all(read)).flat())
    },

    async checkoutOf(paymentId) {
      const { data } = await stripe.checkout.sessions.list({ payment_intent: paymentId, limit: 1 }).catch(refused)
      return data[0] ?? null
    },

    async readEvent(body, signature) {
      try {
        const event = await stripe.webhooks.constructEventAsync(body, signature, settings.webhookSecret)
        return isEvent(event) ? { kind: "event", event } : { kind: "malformed" }
      } catch (error) {
        return { kind: error instanceof SyntaxError ? "malformed" : "forged" }
      }
    },
  }
}

const INTERVALS = ["day", "week", "month", "year"] as const

/** Null for a price without one fixed amount, as with tiers or an amount that the customer chooses. */
function priceOf({ unit_amount: unitAmount, currency, recurring }: Stripe.Price): Price | null {
  const interval = recurring ? INTERVALS.find((one) => one === recurring.interval) : null
  return unitAmount === null || interval === undefined ? null : { unitAmount, currency, interval }
}

function isEvent(value: unknown): value is Stripe.Event {
  const { id, type, created, data } = (value ?? {}) as Partial<Stripe.Event>
  return (
    typeof id === "string" &&
    typeof type === "string" &&
    typeof created === "number" &&
    typeof data?.object === "object" &&
    data.object !== null
  )
}

/** The customer was deleted, or was created in Stripe's test mode. */
function nullIfCustomerIsMissing(error: unknown): null {
  const { code, param } = error instanceof Stripe.errors.StripeInvalidRequestError ? error : {}
  if (code === "resource_missing" && param === "customer") return null
  throw error
}

/** @throws AppError unavailable; its cause leaves out Stripe's message, which may name an address */
function refused(error: unknown): never {
  const message = "the payment processor could not handle the request; try again shortly"
  if (!(error instanceof Stripe.errors.StripeError)) throw new AppError("unavailable", message, { cause: error })
  const { statusCode = "nothing", type, code, param, requestId } = error
  const known = [type, code, param, requestId].filter((part) => part !== undefined).join(", ")
  throw new AppError("unavailable", message, { cause: new Error(`Stripe answered ${statusCode} (${known})`) })
}

function connect({ secretKey, apiUrl }: StripeConfig): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl)
  return new Stripe(secretKey, {
    httpClient: Stripe.createFetchHttpClient(),
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
    maxNetworkRetries: 1,
    timeout: 10_000,
    telemetry: false,
  })
}
