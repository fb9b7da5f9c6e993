import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

export const STRIPE = {
  secretKey: "sk_test_standin",
  webhookSecret: "whsec_standin",
  prices: { starter: "price_starter", pro: "price_pro", credits_500: "price_credits" },
} as const

export interface StripeCall {
  readonly path: string
  readonly authorization: string
  readonly idempotencyKey: string
  readonly form: Readonly<Record<string, string>>
}

/**
 * A stub of the part of Stripe's API that the service uses: /v1/checkout/sessions, form-encoded requests, JSON answers.
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
