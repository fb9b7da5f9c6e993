import { afterAll, beforeAll, expect, test } from "vitest"
import { createPayments } from "../../../src/adapters/accounts/create-payments.ts"
import { currentPrices, newPriceMemory, type PriceList } from "../../../src/adapters/accounts/payments.ts"
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

const MINUTE = 60_000
const PRO: PriceList = { pro: { unitAmount: 4_900, currency: "eur", interval: "month" } }
const DEARER: PriceList = { pro: { unitAmount: 5_900, currency: "eur", interval: "month" } }

/** Prices whose processor gives one answer after the other; null is a failure. */
function reader(...answers: (PriceList | null)[]) {
  const memory = newPriceMemory()
  const calls = { count: 0 }
  const read = async () => {
    const answer = answers[calls.count++]
    if (!answer) throw new Error("no answer")
    return answer
  }
  return { calls, at: (ms: number) => currentPrices({ memory, now: () => ms + MINUTE, read }) }
}

test("prices are read once an hour", async () => {
  const { at, calls } = reader(PRO, DEARER)
  expect([await at(0), await at(59 * MINUTE), await at(60 * MINUTE)]).toEqual([PRO, PRO, DEARER])
  expect(calls.count).toBe(2)
})

test("after a failure the last known prices count, and the next attempt is a minute later", async () => {
  const { at, calls } = reader(PRO, null, DEARER)
  await at(0)
  expect([await at(60 * MINUTE), await at(60 * MINUTE + 1), await at(61 * MINUTE)]).toEqual([PRO, PRO, DEARER])
  expect(calls.count).toBe(3)
})

test("a flood of requests is one call, also before any price is known", async () => {
  const { at, calls } = reader(PRO)
  const all = await Promise.all(Array.from({ length: 50 }, () => at(0)))
  expect(calls.count).toBe(1)
  expect(all[0]).toEqual(PRO)
  expect(all.slice(1)).toEqual(Array(49).fill({}))
})
