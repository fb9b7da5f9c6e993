import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemClock } from "../../src/adapters/platform.ts"
import { createBillingStore } from "../../src/adapters/store/accounts/billing.ts"
import { createChargeStore, createLeaseStore } from "../../src/adapters/store/accounts/charges.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createSessionStore } from "../../src/adapters/store/accounts/sessions.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createAuditStore } from "../../src/adapters/store/compliance/audit.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { receiveBillingEvent } from "../../src/services/accounts/receive-billing-event.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"
import { failAtRoundTrip } from "../support/stack/failing-store.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** Every event is accepted here. Signatures are tested in test/e2e/billing.test.ts. */
const payments = {
  prices: { pro: "price_pro" },
  readEvent: async (body: string) => ({ kind: "event", event: JSON.parse(body) }),
  checkoutOf: async (paymentId: string) => checkouts.get(paymentId) ?? null,
}
const checkouts = new Map<string, object>() // by payment id

const needsOf = (database: Database) =>
  testContext({
    clock: systemClock,
    keyLimiters: { ofKey: () => ({ invalidate: async () => undefined }) },
    payments,
    randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    store: {
      audit: createAuditStore(database, systemClock),
      billing: createBillingStore(database),
      ...{ keys: createKeyStore(database), leases: createLeaseStore(database) },
      operator: createOperatorStore(database),
      sessions: createSessionStore(database, systemClock),
    },
  })

const sendEvent = (event: object, database = server.open()) =>
  receiveBillingEvent(needsOf(database), { body: JSON.stringify(event), signature: "" })

let counter = 0
const nameOf = (thing: string) => `${thing}_${counter++}`

const checkoutEvent = (accountId: string, { customer = nameOf("cus"), checkout = nameOf("cs"), email = "" } = {}) => ({
  id: nameOf("evt"),
  type: "checkout.session.completed",
  data: {
    object: {
      id: checkout,
      customer,
      payment_status: "paid",
      metadata: { account_id: accountId, product: "credits_500" },
      customer_details: { email },
    },
  },
})

/** An event that reverses the payment of a checkout. */
const reversalEvent = (checkout: ReturnType<typeof checkoutEvent>, type: string, more: object) => {
  const payment_intent = `pi_${checkout.data.object.id}`
  checkouts.set(payment_intent, checkout.data.object)
  return { id: nameOf("evt"), type, data: { object: { id: nameOf("ch"), payment_intent, ...more } } }
}

const subscriptionEvent = (accountId: string, customer = nameOf("cus")) => ({
  id: nameOf("evt"),
  type: "customer.subscription.created",
  created: 1,
  data: {
    object: {
      id: nameOf("sub"),
      customer,
      status: "active",
      metadata: { account_id: accountId },
      items: { data: [{ price: { id: "price_pro" }, current_period_end: 2 }] },
    },
  },
})

/** An account with a key. */
async function newAccount(): Promise<string> {
  const accountId = nameOf("acc")
  const [keyId, digest] = [nameOf("kid"), nameOf("digest")]
  const key = { keyId, digest, pepperId: "p", accountId, ownerEmail: "a@b.test", name: "", createdAt: 1 }
  await createKeyStore(server.open()).create({ ...key, tier: "free", last4: "abcd", network: null, createdBy: null })
  return accountId
}

/** A subscription event. All events of a checkout have the same second. */
const sameSecond = (accountId: string, customer: string, kind: string, status: string) => {
  const event = subscriptionEvent(accountId, customer)
  const object = { ...event.data.object, id: `sub_of_${customer}`, status }
  return { ...event, type: `customer.subscription.${kind}`, data: { object } }
}

const creditsOf = (accountId: string) => createChargeStore(server.open()).creditsOf(accountId)
const planOf = async (accountId: string) => (await createOperatorStore(server.open()).account(accountId))?.tier

/** Sends an event while the store fails at each round trip in turn, and then again, as Stripe does. */
async function sendThroughOutages(
  outage: Parameters<typeof failAtRoundTrip>[1],
  eventFor: (accountId: string) => object | Promise<object>,
): Promise<string[]> {
  const accounts: string[] = []
  for (let n = 1; ; n++) {
    const accountId = await newAccount()
    const event = await eventFor(accountId)
    accounts.push(accountId)
    const outcome = await sendEvent(event, server.open({ fetch: failAtRoundTrip(n, outage) })).catch(() => "failed")
    if (outcome !== "failed") return accounts
    await sendEvent(event)
    expect(await sendEvent(event)).toBe(false)
  }
}

describe.each([
  { lost: "request", isBack: true },
  { lost: "request", isBack: false },
  { lost: "answer", isBack: true },
  { lost: "answer", isBack: false },
] as const)("a store that fails, its $lost lost, back at once: $isBack", (outage) => {
  test("bought credits are added once, at whichever step it fails", async () => {
    const accounts = await sendThroughOutages(outage, (accountId) => checkoutEvent(accountId))
    expect(accounts.length).toBeGreaterThan(5)
    expect(await Promise.all(accounts.map(creditsOf))).toEqual(accounts.map(() => 500))
  })

  test("refunded credits are removed once, at whichever step it fails", async () => {
    const accounts = await sendThroughOutages(outage, async (accountId) => {
      const customer = nameOf("cus")
      const [one, other] = [checkoutEvent(accountId, { customer }), checkoutEvent(accountId, { customer })]
      for (const event of [one, other]) await sendEvent(event)
      return reversalEvent(one, "charge.refunded", { refunded: true })
    })
    expect(accounts.length).toBeGreaterThan(3)
    expect(await Promise.all(accounts.map(creditsOf))).toEqual(accounts.map(() => 500))
  })

  test("a plan is never lost, at whichever step it fails", async () => {
    const accounts = await sendThroughOutages(outage, (accountId) => subscriptionEvent(accountId))
    expect(accounts.length).toBeGreaterThan(5)
    expect(await Promise.all(accounts.map(planOf))).toEqual(accounts.map(() => "pro"))
    const written = accounts.map(async (subject) => {
      const rows = await createAuditStore(server.open(), systemClock).page({ limit: 9, subject })
      return rows.map(({ action, actor }) => `${action} by ${actor}`)
    })
    for (const rows of await Promise.all(written)) expect(rows).toContain("account.tier_changed by payments")
  })
})

describe("credits", () => {
  test("of one checkout are added once, for many concurrent events", async () => {
    const accountId = await newAccount()
    const [customer, checkout] = [nameOf("cus"), nameOf("cs")]
    const one = checkoutEvent(accountId, { customer, checkout })
    const other = checkoutEvent(accountId, { customer, checkout })
    await Promise.all(Array.from({ length: 10 }, (_, i) => sendEvent(i % 2 ? one : other)))
    expect(await creditsOf(accountId)).toBe(500)
    await sendEvent(checkoutEvent(accountId, { customer }))
    expect(await creditsOf(accountId)).toBe(1_000)
  })

  test("bought for an account that was adopted since go to the adopting account", async () => {
    const database = server.open()
    const [lineage, customer] = [await newAccount(), nameOf("cus")]
    await sendEvent(checkoutEvent(lineage, { customer }))
    const { accountId } = await createSessionStore(database, systemClock).accountOf("owner@inbox.test", nameOf("acc"))
    await createKeyStore(database).adopt({ from: lineage, to: accountId, now: 1 })
    await sendEvent(checkoutEvent(lineage, { customer }))
    expect(await creditsOf(accountId)).toBe(1_000)
  })

  test("of a free checkout are added, those of an unpaid one are not", async () => {
    const accountId = await newAccount()
    const withStatus = (payment_status: string) => {
      const event = checkoutEvent(accountId)
      return { ...event, data: { object: { ...event.data.object, payment_status } } }
    }
    await sendEvent(withStatus("unpaid"))
    expect(await creditsOf(accountId)).toBeNull()
    await sendEvent(withStatus("no_payment_required"))
    expect(await creditsOf(accountId)).toBe(500)
  })

  test("do not replace a plan that the operator gave", async () => {
    const accountId = await newAccount()
    await createOperatorStore(server.open()).setTier(accountId, "pro")
    await sendEvent(checkoutEvent(accountId))
    expect(await planOf(accountId)).toBe("pro")
  })

  test.each([
    { type: "charge.refunded", more: { refunded: true }, left: 500 },
    { type: "charge.refunded", more: { refunded: false, amount_refunded: 1 }, left: 1_000 },
    { type: "charge.dispute.closed", more: { status: "lost" }, left: 500 },
    { type: "charge.dispute.closed", more: { status: "won" }, left: 1_000 },
    { type: "charge.dispute.created", more: { status: "needs_response" }, left: 1_000 },
  ])("after $type ($more), of two packs: $left", async ({ type, more, left }) => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    const [one, other] = [checkoutEvent(accountId, { customer }), checkoutEvent(accountId, { customer })]
    for (const event of [one, other]) await sendEvent(event)
    for (let again = 0; again < 2; again++) await sendEvent(reversalEvent(one, type, more))
    expect(await creditsOf(accountId)).toBe(left)
  })

  test("that are spent leave no debt, and those refunded before they were added are never added", async () => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    const [one, other] = [checkoutEvent(accountId, { customer }), checkoutEvent(accountId, { customer })]
    await sendEvent(one)
    await server.open().run(sql`UPDATE accounts SET credits = 20 WHERE account_id = ${accountId}`)
    await sendEvent(reversalEvent(one, "charge.refunded", { refunded: true }))
    await sendEvent(reversalEvent(other, "charge.refunded", { refunded: true }))
    await sendEvent(other)
    expect(await creditsOf(accountId)).toBe(0)
  })

  test("reserved by open work are not released after their refund, except those bought separately", async () => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    const [one, other] = [checkoutEvent(accountId, { customer }), checkoutEvent(accountId, { customer })]
    for (const event of [one, other]) await sendEvent(event)
    const charges = createChargeStore(server.open())
    const jobs = [nameOf("job"), nameOf("job"), nameOf("job")]
    for (const chargeId of jobs) {
      const charge = { chargeId, subject: accountId, limit: 0, keyId: null, period: "2026-11", credits: 300 }
      expect(await charges.reserve({ ...charge, kind: "job" }, 1)).toMatchObject({ granted: true })
    }
    for (let again = 0; again < 2; again++) await sendEvent(reversalEvent(one, "charge.refunded", { refunded: true }))
    expect(await creditsOf(accountId)).toBe(0)
    // The first job uses the refunded credits. The other 500 are still paid.
    await charges.settle(jobs[0]!, 50)
    for (const chargeId of jobs.slice(1)) await charges.settle(chargeId, 0)
    expect(await creditsOf(accountId)).toBe(500)
  })

  test("of a payment for something else remain", async () => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    await sendEvent(checkoutEvent(accountId, { customer }))
    const charge = { id: nameOf("ch"), refunded: true, payment_intent: "pi_of_an_invoice" }
    expect(await sendEvent({ id: nameOf("evt"), type: "charge.refunded", data: { object: charge } })).toBe(false)
    expect(await creditsOf(accountId)).toBe(500)
  })

  test("are never recorded as added to an account that is gone", async () => {
    const billing = createBillingStore(server.open())
    const checkout = { checkoutId: nameOf("cs"), credits: 500, at: 1 }
    await expect(billing.addCredits({ ...checkout, accountId: "acc_gone" })).rejects.toThrow("is gone")
    const accountId = await newAccount()
    await billing.addCredits({ ...checkout, accountId })
    expect(await creditsOf(accountId)).toBe(500)
  })
})

test.each([
  { events: ["updated active", "created incomplete"], plan: "pro" },
  { events: ["created incomplete", "updated active"], plan: "pro" },
  { events: ["deleted canceled", "updated active"], plan: "free" },
  { events: ["updated incomplete_expired", "created incomplete"], plan: "free" },
])("$events, all in one second: $plan", async ({ events, plan }) => {
  const [accountId, customer] = [await newAccount(), nameOf("cus")]
  for (const one of events) {
    const [kind = "", status = ""] = one.split(" ")
    await sendEvent(sameSecond(accountId, customer, kind, status))
  }
  expect(await planOf(accountId)).toBe(plan)
})

test("an older API version has the end of the period next to the items, not in them", async () => {
  const [accountId, customer] = [await newAccount(), nameOf("cus")]
  const event = subscriptionEvent(accountId, customer)
  const object = { ...event.data.object, current_period_end: 7, items: { data: [{ price: { id: "price_pro" } }] } }
  await sendEvent({ ...event, data: { object } })
  expect(await createBillingStore(server.open()).subscriptionsOf(accountId)).toMatchObject([{ periodEnd: 7 }])
})
