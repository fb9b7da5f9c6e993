import Stripe from "stripe"
import type { Config } from "../../env.ts"
import { AppError } from "../../errors.ts"

type StripeConfig = NonNullable<Config["stripe"]>

export interface Checkout {
  readonly sessionId: string
  readonly url: string
}

interface CheckoutWish {
  readonly priceId: string
  readonly mode: "subscription" | "payment"
  readonly accountId: string
  /** Who pays: a customer where one is known, and the address for a new one. */
  readonly customer: { readonly id: string | null; readonly email: string }
  /** What the price stands for, told back by the webhook. */
  readonly product: string
  readonly returnUrl: string
  /** The same wish twice is one session. */
  readonly idempotencyKey: string
}

/** Payments by Stripe, through its own library. */
export interface Payments {
  /** Price ids by what they buy: a tier, or "credits_<n>". */
  readonly prices: Readonly<Record<string, string>>
  createCheckout(wish: CheckoutWish): Promise<Checkout>
  /** The checkout that a payment was made in; null when it was made otherwise. @throws AppError unavailable */
  checkoutOf(paymentId: string): Promise<Stripe.Checkout.Session | null>
  /** The event a webhook tells; null when its signature does not hold. @param body as it came */
  readEvent(body: string, signature: string): Promise<Stripe.Event | null>
}

/** Null when STRIPE_SECRET_KEY is not set. */
export function createPayments({ stripe: settings }: Pick<Config, "stripe">): Payments | null {
  if (!settings) return null
  const stripe = connect(settings)
  return {
    prices: settings.prices,

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
      // Stripe makes the customer of a subscription by itself, and takes one we know only without being told to make one.
      const asNew = {
        customer_email: customer.email,
        ...(mode === "payment" ? { customer_creation: "always" as const } : {}),
      }
      const { id } = customer
      const known = id === null ? null : await open({ customer: id }, idempotencyKey).catch(nullIfGone).catch(refused)
      const session = known ?? (await open(asNew, `${idempotencyKey}-new`).catch(refused))
      if (!session.url) throw new AppError("unavailable", "the payment processor gave no page to pay on")
      return { sessionId: session.id, url: session.url }
    },

    async checkoutOf(paymentId) {
      const { data } = await stripe.checkout.sessions.list({ payment_intent: paymentId, limit: 1 }).catch(refused)
      return data[0] ?? null
    },

    async readEvent(body, signature) {
      try {
        return await stripe.webhooks.constructEventAsync(body, signature, settings.webhookSecret)
      } catch {
        return null
      }
    },
  }
}

/** A customer that was deleted, or was made in Stripe's test mode before the key was a live one. */
function nullIfGone(error: unknown): null {
  const { code, param } = error instanceof Stripe.errors.StripeInvalidRequestError ? error : {}
  if (code === "resource_missing" && param === "customer") return null
  throw error
}

/** @throws AppError unavailable, whose cause leaves out Stripe's own words: they may name an address */
function refused(error: unknown): never {
  const message = "the payment processor did not take the request; try again shortly"
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
