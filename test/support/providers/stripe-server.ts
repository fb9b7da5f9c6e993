import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

export const STRIPE = {
  secretKey: "sk_test_standin",
  webhookSecret: "whsec_standin",
  prices: { starter: "price_starter", pro: "price_pro", credits_500: "price_credits" },
} as const

const PRICES: Readonly<Record<string, object>> = {
  price_starter: { unit_amount: 900, currency: "eur", recurring: { interval: "month" } },
  price_pro: { unit_amount: 4_900, currency: "eur", recurring: { interval: "month" } },
  price_credits: { unit_amount: 500, currency: "eur", recurring: null },
}

export interface StripeCall {
  readonly path: string
  readonly authorization: string
  readonly idempotencyKey: string
  readonly form: Readonly<Record<string, string>>
}

/**
 * A stub of the part of Stripe's API that the service uses: /v1/checkout/sessions, /v1/billing_portal/sessions and
 * /v1/prices/{id}, form-encoded requests, JSON answers.
 * The payment of cs_1 is pi_cs_1.
 */
export async function startStripeServer() {
  const calls: StripeCall[] = []
  const sessions = new Map<string, object>()
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    const { authorization = "" } = request.headers
    calls.push({
      path: request.url ?? "",
      authorization,
      idempotencyKey: String(request.headers["idempotency-key"] ?? ""),
      form,
    })
    response.setHeader("content-type", "application/json")
    if (authorization !== `Bearer ${STRIPE.secretKey}`) {
      const error = { type: "invalid_request_error", message: "Invalid API Key provided" }
      return void response.writeHead(401).end(JSON.stringify({ error }))
    }
    const url = new URL(request.url ?? "", "http://stripe")
    if (request.method === "GET" && url.pathname === "/v1/checkout/sessions") {
      const made = sessions.get(url.searchParams.get("payment_intent") ?? "")
      const list = { object: "list", url: url.pathname, has_more: false, data: made ? [made] : [] }
      return void response.end(JSON.stringify(list))
    }
    const simple = answerSimple(request.method, url.pathname, form)
    if (simple) return void response.writeHead(simple.status).end(JSON.stringify(simple.body))
    if (request.method !== "POST" || request.url !== "/v1/checkout/sessions")
      return void response.writeHead(404).end("{}")
    const refused = refusal(form)
    if (refused) {
      const error = { type: "invalid_request_error", ...refused }
      return void response.writeHead(400).end(JSON.stringify({ error }))
    }
    const id = `cs_test_${calls.length}`
    const metadata = { account_id: form["metadata[account_id]"], product: form["metadata[product]"] }
    const session = { id, object: "checkout.session", customer: `cus_of_${id}`, mode: form.mode, metadata }
    sessions.set(`pi_${id}`, session)
    response.end(JSON.stringify({ ...session, url: `https://checkout.stripe.test/${id}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

interface Answered {
  readonly status: number
  readonly body: object
}

function answerSimple(method: string | undefined, path: string, form: StripeCall["form"]): Answered | null {
  return method === "GET" ? answerPrice(path) : answerPortal(path, form)
}

/** The answer of GET /v1/prices/{id}; null for another path. */
function answerPrice(path: string): Answered | null {
  const id = /^\/v1\/prices\/(\w+)$/.exec(path)?.[1]
  if (!id) return null
  const made = PRICES[id]
  if (made) return { status: 200, body: { id, object: "price", ...made } }
  const error = { type: "invalid_request_error", code: "resource_missing", message: `No such price: '${id}'` }
  return { status: 404, body: { error } }
}

/** The answer of POST /v1/billing_portal/sessions; null for another path. */
function answerPortal(path: string, { customer, return_url }: StripeCall["form"]): Answered | null {
  if (path !== "/v1/billing_portal/sessions") return null
  const url = `https://billing.stripe.test/${customer}`
  return { status: 200, body: { id: "bps_1", object: "billing_portal.session", customer, return_url, url } }
}

/** The error of a rejected checkout; null when it is accepted. */
function refusal({ customer, customer_creation, customer_email }: StripeCall["form"]): object | null {
  // A deleted customer, or a test-mode customer with a live key.
  if (customer?.startsWith("cus_gone"))
    return { code: "resource_missing", param: "customer", message: `No such customer: '${customer}'` }
  if (customer_email?.startsWith("odd@"))
    return { code: "email_invalid", param: "customer_email", message: `Invalid email address: ${customer_email}` }
  return customer && customer_creation
    ? { message: "You may only specify one of these parameters: customer, customer_creation." }
    : null
}
