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

/** A stand-in for Stripe's published API as far as it is used: POST /v1/checkout/sessions, form-encoded, JSON back. */
export async function startStripeServer() {
  const calls: StripeCall[] = []
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
    if (request.method !== "POST" || request.url !== "/v1/checkout/sessions")
      return void response.writeHead(404).end("{}")
    // Deleted, or one of the test mode asked for with a live key.
    if (form.customer?.startsWith("cus_gone")) {
      const message = `No such customer: '${form.customer}'`
      const error = { type: "invalid_request_error", code: "resource_missing", param: "customer", message }
      return void response.writeHead(400).end(JSON.stringify({ error }))
    }
    if (form.customer && form.customer_creation) {
      const message = "You may only specify one of these parameters: customer, customer_creation."
      return void response.writeHead(400).end(JSON.stringify({ error: { type: "invalid_request_error", message } }))
    }
    const id = `cs_test_${calls.length}`
    response.end(
      JSON.stringify({ id, object: "checkout.session", url: `https://checkout.stripe.test/${id}`, mode: form.mode }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
