import { afterAll, beforeAll, expect, test } from "vitest"
import { createPayments } from "../../src/adapters/payments/stripe.ts"
import { STRIPE, startStripeServer } from "../support/stripe-server.ts"

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
  return createPayments({ stripe: { ...STRIPE, apiUrl: server.url } })!.createCheckout({
    ...{ priceId: "price_1", mode, accountId: "acc_1", product: "credits_500", returnUrl: "https://service.example/" },
    customer: { id: customerId, email },
    idempotencyKey: "key-1",
  })
}

test("a known customer pays as himself, a new one by his address", async () => {
  await open("cus_1")
  expect(server.calls.map(({ form }) => [form.customer, form.customer_email])).toEqual([["cus_1", undefined]])
  await open(null)
  expect(server.calls.map(({ form }) => [form.customer, form.customer_email])).toEqual([
    [undefined, "owner@mailbox.test"],
  ])
})

test("a customer that Stripe has no more is made anew, under another key", async () => {
  expect(await open("cus_gone")).toMatchObject({ url: expect.stringContaining("checkout.stripe.test") })
  expect(server.calls.map(({ form }) => form.customer ?? form.customer_email)).toEqual([
    "cus_gone",
    "owner@mailbox.test",
  ])
  const [first, second] = server.calls.map(({ idempotencyKey }) => idempotencyKey)
  expect(first).not.toBe(second)
})

test("what Stripe refuses is told by its codes: its words may name an address", async () => {
  const refused = await open(null, "payment", "odd@mailbox.test").catch((error: Error) => error)
  expect(refused).toMatchObject({ code: "unavailable" })
  const { message } = (refused as Error).cause as Error
  expect(message).toMatch(/^Stripe answered 400 .*email_invalid.*customer_email/)
  expect(message).not.toContain("@")
})
