import { afterAll, beforeAll, expect, test } from "vitest"
import { createPayments } from "../../../src/adapters/create-payments.ts"
import { newPriceMemory } from "../../../src/adapters/price-list.ts"
import { STRIPE, startStripeServer } from "../../support/providers/stripe-server.ts"

let server: Awaited<ReturnType<typeof startStripeServer>>
beforeAll(async () => {
  server = await startStripeServer()
})
afterAll(() => server.stop())

const open = (
  customerId: string | null,
  mode: "subscription" | "payment" = "payment",
  email = "owner@mailbox.test",
) => {
  server.calls.splice(0)
  return createPayments(
    { stripe: { ...STRIPE, apiUrl: server.url } },
    { now: () => 0, priceMemory: newPriceMemory() },
  )!.createCheckout({
    ...{ priceId: "price_1", mode, accountId: "acc_1", product: "credits_500", returnUrl: "https://service.example/" },
    customer: { id: customerId, email },
    idempotencyKey: "key-1",
  })
}

test("a known customer pays under the customer id, a new one under the email address", async () => {
  await open("cus_1")
  expect(server.calls.map(({ form }) => [form.customer, form.customer_email])).toEqual([["cus_1", undefined]])
  await open(null)
  expect(server.calls.map(({ form }) => [form.customer, form.customer_email])).toEqual([
    [undefined, "owner@mailbox.test"],
  ])
})

test("a customer deleted at Stripe is created again, under another idempotency key", async () => {
  expect(await open("cus_gone")).toMatchObject({ url: expect.stringContaining("checkout.stripe.test") })
  expect(server.calls.map(({ form }) => form.customer ?? form.customer_email)).toEqual([
    "cus_gone",
    "owner@mailbox.test",
  ])
  const [first, second] = server.calls.map(({ idempotencyKey }) => idempotencyKey)
  expect(first).not.toBe(second)
})

test("a Stripe error is reported by its codes, because its message may name an address", async () => {
  const refused = await open(null, "payment", "odd@mailbox.test").catch((error: Error) => error)
  expect(refused).toMatchObject({ code: "unavailable" })
  const { message } = (refused as Error).cause as Error
  expect(message).toMatch(/^Stripe answered 400 .*email_invalid.*customer_email/)
  expect(message).not.toContain("@")
})
