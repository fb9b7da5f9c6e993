import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Payments } from "../../src/adapters/payments/stripe.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { createAuditStore } from "../../src/adapters/store/audit.ts"
import { createBillingStore } from "../../src/adapters/store/billing.ts"
import { createChargeStore } from "../../src/adapters/store/charges.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createKeyStore } from "../../src/adapters/store/keys.ts"
import { createOperatorStore } from "../../src/adapters/store/operator.ts"
import { createSessionStore } from "../../src/adapters/store/sessions.ts"
import type { Deps } from "../../src/deps.ts"
import { receiveBillingEvent } from "../../src/services/accounts/receive-billing-event.ts"
import { startDatabase } from "../support/database.ts"
import { stopsAnsweringAt } from "../support/failing-store.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** Signatures are Stripe's own matter (test/e2e/billing.test.ts): here every event holds. */
const payments = {
  prices: { pro: "price_pro" },
  readEvent: async (body: string) => JSON.parse(body),
  checkoutOf: async (paymentId: string) => checkouts.get(paymentId) ?? null,
} as unknown as Payments
/** By what paid for them. */
const checkouts = new Map<string, object>()

const needsOf = (database: Database) =>
  ({
    audit: createAuditStore(database, systemClock),
    billing: createBillingStore(database),
    clock: systemClock,
    gates: { ofKey: () => ({ forget: async () => undefined }) },
    keys: createKeyStore(database),
    operator: createOperatorStore(database),
    payments,
    randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    sessions: createSessionStore(database, systemClock),
  }) as unknown as Deps

const tell = (event: object, database = server.open()) =>
  receiveBillingEvent(needsOf(database), { body: JSON.stringify(event), signature: "" })

let counter = 0
const nameOf = (thing: string) => `${thing}_${counter++}`

const bought = (accountId: string, { customer = nameOf("cus"), checkout = nameOf("cs"), email = "" } = {}) => ({
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

/** Money of a checkout that goes back, by what the processor tells of it. */
const wentBack = (checkout: ReturnType<typeof bought>, type: string, more: object) => {
  const payment_intent = `pi_${checkout.data.object.id}`
  checkouts.set(payment_intent, checkout.data.object)
  return { id: nameOf("evt"), type, data: { object: { id: nameOf("ch"), payment_intent, ...more } } }
}

const subscribed = (accountId: string, customer = nameOf("cus")) => ({
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
  await createKeyStore(server.open()).create({ ...key, tier: "free" })
  return accountId
}

/** A subscription's event of the one second in which a checkout makes, pays and changes it. */
const sameSecond = (accountId: string, customer: string, kind: string, status: string) => {
  const event = subscribed(accountId, customer)
  const object = { ...event.data.object, id: `sub_of_${customer}`, status }
  return { ...event, type: `customer.subscription.${kind}`, data: { object } }
}

const creditsOf = (accountId: string) => createChargeStore(server.open()).creditsOf(accountId)
const planOf = async (accountId: string) => (await createOperatorStore(server.open()).account(accountId))?.tier

/** Tells an event while the store stops answering, at each round trip in turn, and then again, as the processor does. */
async function tellThroughOutages(
  outage: Parameters<typeof stopsAnsweringAt>[1],
  eventFor: (accountId: string) => object | Promise<object>,
): Promise<string[]> {
  const accounts: string[] = []
  for (let n = 1; ; n++) {
    const accountId = await newAccount()
    const event = await eventFor(accountId)
    accounts.push(accountId)
    const outcome = await tell(event, server.open({ fetch: stopsAnsweringAt(n, outage) })).catch(() => "failed")
    if (outcome !== "failed") return accounts
    await tell(event)
    expect(await tell(event)).toBe(false)
  }
}

describe.each([
  { lost: "request", isBack: true },
  { lost: "request", isBack: false },
  { lost: "answer", isBack: true },
  { lost: "answer", isBack: false },
] as const)("a store that stops answering, its $lost lost, back at once: $isBack", (outage) => {
  test("bought credits are added once, whichever step it was", async () => {
    const accounts = await tellThroughOutages(outage, (accountId) => bought(accountId))
    expect(accounts.length).toBeGreaterThan(5)
    expect(await Promise.all(accounts.map(creditsOf))).toEqual(accounts.map(() => 500))
  })

  test("refunded credits are taken back once, whichever step it was", async () => {
    const accounts = await tellThroughOutages(outage, async (accountId) => {
      const customer = nameOf("cus")
      const [one, other] = [bought(accountId, { customer }), bought(accountId, { customer })]
      for (const event of [one, other]) await tell(event)
      return wentBack(one, "charge.refunded", { refunded: true })
    })
    expect(accounts.length).toBeGreaterThan(3)
    expect(await Promise.all(accounts.map(creditsOf))).toEqual(accounts.map(() => 500))
  })

  test("a plan is never lost, whichever step it was", async () => {
    const accounts = await tellThroughOutages(outage, (accountId) => subscribed(accountId))
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
  test("of one checkout are added once, told by many events at once", async () => {
    const accountId = await newAccount()
    const [customer, checkout] = [nameOf("cus"), nameOf("cs")]
    const one = bought(accountId, { customer, checkout })
    const other = bought(accountId, { customer, checkout })
    await Promise.all(Array.from({ length: 10 }, (_, i) => tell(i % 2 ? one : other)))
    expect(await creditsOf(accountId)).toBe(500)
    await tell(bought(accountId, { customer }))
    expect(await creditsOf(accountId)).toBe(1_000)
  })

  test("bought for a lineage that has joined an account since go to the account", async () => {
    const database = server.open()
    const [lineage, customer] = [await newAccount(), nameOf("cus")]
    await tell(bought(lineage, { customer }))
    const { accountId } = await createSessionStore(database, systemClock).accountOf("owner@inbox.test", nameOf("acc"))
    await createKeyStore(database).adopt({ from: lineage, to: accountId, now: 1 })
    await tell(bought(lineage, { customer }))
    expect(await creditsOf(accountId)).toBe(1_000)
    await tell(bought(lineage, { email: "owner@inbox.test" }))
    expect(await creditsOf(accountId)).toBe(1_500)
  })

  test("that cost nothing are added too; those that are still to be paid are not", async () => {
    const accountId = await newAccount()
    const withStatus = (payment_status: string) => {
      const event = bought(accountId)
      return { ...event, data: { object: { ...event.data.object, payment_status } } }
    }
    await tell(withStatus("unpaid"))
    expect(await creditsOf(accountId)).toBeNull()
    await tell(withStatus("no_payment_required"))
    expect(await creditsOf(accountId)).toBe(500)
  })

  test("take away no plan that the operator gave", async () => {
    const accountId = await newAccount()
    await createOperatorStore(server.open()).setTier(accountId, "pro")
    await tell(bought(accountId))
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
    const [one, other] = [bought(accountId, { customer }), bought(accountId, { customer })]
    for (const event of [one, other]) await tell(event)
    for (let again = 0; again < 2; again++) await tell(wentBack(one, type, more))
    expect(await creditsOf(accountId)).toBe(left)
  })

  test("that are used up leave no debt; those refunded before they were added are never added", async () => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    const [one, other] = [bought(accountId, { customer }), bought(accountId, { customer })]
    await tell(one)
    await server.open().run(sql`UPDATE accounts SET credits = 20 WHERE account_id = ${accountId}`)
    await tell(wentBack(one, "charge.refunded", { refunded: true }))
    await tell(wentBack(other, "charge.refunded", { refunded: true }))
    await tell(other)
    expect(await creditsOf(accountId)).toBe(0)
  })

  test("that open work holds do not come back with what it leaves over, but for those bought beside them", async () => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    const [one, other] = [bought(accountId, { customer }), bought(accountId, { customer })]
    for (const event of [one, other]) await tell(event)
    const charges = createChargeStore(server.open())
    const jobs = [nameOf("job"), nameOf("job"), nameOf("job")]
    for (const chargeId of jobs) {
      const charge = { chargeId, subject: accountId, limit: 0, keyId: null, period: "2026-11", credits: 300 }
      expect(await charges.reserve({ ...charge, kind: "job" }, 1)).toMatchObject({ granted: true })
    }
    for (let again = 0; again < 2; again++) await tell(wentBack(one, "charge.refunded", { refunded: true }))
    expect(await creditsOf(accountId)).toBe(0)
    // The first job pays with what was refunded; the other 500 are still paid for.
    await charges.settle(jobs[0]!, 50)
    for (const chargeId of jobs.slice(1)) await charges.settle(chargeId, 0)
    expect(await creditsOf(accountId)).toBe(500)
  })

  test("of a payment that was for something else stay", async () => {
    const [accountId, customer] = [await newAccount(), nameOf("cus")]
    await tell(bought(accountId, { customer }))
    const charge = { id: nameOf("ch"), refunded: true, payment_intent: "pi_of_an_invoice" }
    expect(await tell({ id: nameOf("evt"), type: "charge.refunded", data: { object: charge } })).toBe(false)
    expect(await creditsOf(accountId)).toBe(500)
  })

  test("are never marked as added to an account that is gone", async () => {
    const billing = createBillingStore(server.open())
    const checkout = { checkoutId: nameOf("cs"), credits: 500, at: 1 }
    await expect(billing.addCredits({ ...checkout, accountId: "acc_gone" })).rejects.toThrow("is gone")
    const accountId = await newAccount()
    await billing.addCredits({ ...checkout, accountId })
    expect(await creditsOf(accountId)).toBe(500)
  })
})

test.each([
  { told: ["updated active", "created incomplete"], plan: "pro" },
  { told: ["created incomplete", "updated active"], plan: "pro" },
  { told: ["deleted canceled", "updated active"], plan: "free" },
  { told: ["updated incomplete_expired", "created incomplete"], plan: "free" },
])("$told, all of one second: $plan", async ({ told, plan }) => {
  const [accountId, customer] = [await newAccount(), nameOf("cus")]
  for (const one of told) {
    const [kind = "", status = ""] = one.split(" ")
    await tell(sameSecond(accountId, customer, kind, status))
  }
  expect(await planOf(accountId)).toBe(plan)
})

test("who has paid as several customers is the last of them", async () => {
  const accountId = await newAccount()
  for (const customer of ["cus_z", "cus_a"]) await tell(bought(accountId, { customer }))
  expect(await createBillingStore(server.open()).customerOf(accountId)).toBe("cus_a")
})

test("a webhook of an older API version names the period's end beside the items, not in them", async () => {
  const [accountId, customer] = [await newAccount(), nameOf("cus")]
  const event = subscribed(accountId, customer)
  const object = { ...event.data.object, current_period_end: 7, items: { data: [{ price: { id: "price_pro" } }] } }
  await tell({ ...event, data: { object } })
  expect(await createBillingStore(server.open()).subscriptionsOf(accountId)).toMatchObject([{ periodEnd: 7 }])
})

test("a plan told for a lineage that has joined an account comes with the checkout's payer", async () => {
  const sessions = createSessionStore(server.open(), systemClock)
  const { accountId } = await sessions.accountOf("payer@inbox.test", nameOf("acc"))
  const customer = nameOf("cus")
  await tell(subscribed("acc_joined", customer))
  await tell(bought("acc_joined", { customer, email: "payer@inbox.test" }))
  expect(await planOf(accountId)).toBe("pro")
  const links = await server.open().all(sql`SELECT 1 FROM billing_customers WHERE account_id = 'acc_joined'`)
  expect(links).toEqual([])
})
