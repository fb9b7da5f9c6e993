import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { randomBytes, systemClock } from "../../src/adapters/platform.ts"
import { createBillingStore, createPaymentOfferStore } from "../../src/adapters/store/accounts/billing.ts"
import { createChargeStore } from "../../src/adapters/store/accounts/charges.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createSessionStore } from "../../src/adapters/store/accounts/sessions.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createAuditStore } from "../../src/adapters/store/compliance/audit.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { LIMIT_TABLES, LIMIT_TIERS } from "../../src/domain/accounts/tiers.ts"
import {
  acceptPaymentOffer,
  declinePaymentOffer,
  listPaymentOffers,
  openPortal,
  startCheckout,
} from "../../src/services/accounts/payments.ts"
import { receiveBillingEvent } from "../../src/services/accounts/receive-billing-event.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"
import { failAtRoundTrip } from "../support/stack/failing-store.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const checkouts = new Map<string, object>() // by payment id
const contextOf = (database: Database) =>
  testContext({
    clock: systemClock,
    config: { baseUrl: "https://mv.test", limits: { table: LIMIT_TABLES.tiers, tiers: LIMIT_TIERS.tiers } },
    keyLimiters: {
      ofKey: () => ({ invalidate: async () => undefined }),
      ofAction: () => ({ count: async () => ({ accepted: true, remaining: 1, resetMs: 0 }) }),
    },
    payments: {
      prices: { pro: "price_pro", credits_500: "price_credits" },
      createCheckout: async ({ customer }) => ({ sessionId: "cs", url: `checkout of ${customer.id}` }),
      openPortal: async ({ customerId }) => `portal of ${customerId}`,
      readEvent: async (body: string) => ({ kind: "event", event: JSON.parse(body) }),
      checkoutOf: async (paymentId: string) => checkouts.get(paymentId) ?? null,
    },
    randomBytes,
    randomToken: () => crypto.randomUUID(),
    store: {
      audit: createAuditStore(database, systemClock),
      billing: createBillingStore(database),
      keys: createKeyStore(database),
      operator: createOperatorStore(database),
      paymentOffers: createPaymentOfferStore(database),
    },
  })
const sendEvent = (event: object, database = server.open()) =>
  receiveBillingEvent(contextOf(database), { body: JSON.stringify(event), signature: "" })

let counter = 0
const nameOf = (thing: string) => `${thing}_${counter++}`

/** A checkout of POST /billing/signup in a mailbox's name. */
const signup = (email: string, { customer = nameOf("cus"), product = "pro", more = {} } = {}) => ({
  id: nameOf("evt"),
  type: "checkout.session.completed",
  data: {
    object: {
      ...{ id: `cs_of_${customer}`, customer, payment_status: "paid", amount_total: 4_900, currency: "eur" },
      ...{ metadata: { account_id: "new", product }, customer_details: { email }, ...more },
    },
  },
})
const subscription = (customer: string, status: string, created: number) => ({
  ...{ id: nameOf("evt"), type: "customer.subscription.updated", created },
  data: {
    object: {
      ...{ id: `sub_of_${customer}`, customer, status, metadata: { account_id: "new" } },
      items: { data: [{ price: { id: "price_pro" }, current_period_end: 2 }] },
    },
  },
})

/** A signed-in owner of a new mailbox. */
async function newOwner(email = `${nameOf("owner")}@inbox.test`): Promise<Member & { email: string }> {
  const { accountId } = await createSessionStore(server.open(), systemClock).accountOf(email, nameOf("acc"))
  const allowance = { perMonth: 100, perMinute: 10 }
  return { kind: "member", accountId, keyId: null, email, tier: "free", subject: accountId, allowance }
}

const offersOf = (owner: Member) => listPaymentOffers(contextOf(server.open()), owner)
const accept = (caller: Member, offerId: string, database = server.open()) =>
  acceptPaymentOffer(contextOf(database), { caller, offerId })
const decline = (caller: Member, offerId: string) => declinePaymentOffer(contextOf(server.open()), { caller, offerId })
const creditsOf = ({ accountId }: Member) => createChargeStore(server.open()).creditsOf(accountId)
const planOf = async ({ accountId }: Member) => (await createOperatorStore(server.open()).account(accountId))?.tier
const billing = () => createBillingStore(server.open())

/** The only open offer of a mailbox, after a sign-up in its name. */
async function newOffer(owner: Member & { email: string }, how: Parameters<typeof signup>[1] = {}) {
  const event = signup(owner.email, how)
  await sendEvent(event)
  const checkoutId = event.data.object.id
  const offer = (await offersOf(owner)).find((one) => one.checkoutId === checkoutId)!
  return { ...offer, event }
}

describe("a payment in the name of a mailbox", () => {
  test("makes the account of a mailbox without one and is linked to it, at whichever step the store fails", async () => {
    let isThrough = false
    for (let n = 1; !isThrough; n++) {
      const email = `${nameOf("new")}@inbox.test`
      const event = signup(email)
      const { customer } = event.data.object
      await sendEvent(subscription(customer, "active", 1))
      const database = server.open({ fetch: failAtRoundTrip(n, { lost: n % 2 ? "request" : "answer", isBack: false }) })
      isThrough = await sendEvent(event, database).catch(() => false)
      await sendEvent(event)
      const owner = await newOwner(email)
      expect({ n, plan: await planOf(owner), offers: await offersOf(owner) }).toEqual({ n, plan: "pro", offers: [] })
      expect(await billing().customerOf(owner.accountId)).toBe(customer)
    }
  })

  test("makes one account for many concurrent events, and a second payment is offered", async () => {
    const email = `${nameOf("new")}@inbox.test`
    const event = signup(email)
    const again = Array.from({ length: 8 }, () => sendEvent({ ...event, id: nameOf("evt") }))
    await Promise.all([...again, sendEvent(subscription(event.data.object.customer, "active", 1))])
    await sendEvent(signup(email, { product: "starter" }))
    const owner = await newOwner(email)
    expect(await planOf(owner)).toBe("pro")
    expect(await offersOf(owner)).toMatchObject([{ tier: "starter", amount: 4_900, currency: "eur", status: null }])
  })

  test.each([
    ["of a new customer", {}],
    ["with a forged client_reference_id", { metadata: {}, mode: "subscription" }],
    ["begun by an account that is gone", { metadata: { account_id: "acc_gone", product: "pro" } }],
  ])("%s changes no account that owns it, in any order of events", async (_, more) => {
    const owner = await newOwner()
    await createOperatorStore(server.open()).grant(owner.accountId, "enterprise")
    await createOperatorStore(server.open()).setTier(owner.accountId, "enterprise")
    for (const isFirst of [true, false]) {
      const event = signup(owner.email, { more: { client_reference_id: owner.accountId, ...more } })
      const { customer } = event.data.object
      if (isFirst) await sendEvent(event)
      await sendEvent(subscription(customer, "active", 1))
      if (!isFirst) await sendEvent(event)
      expect(await offersOf(owner)).toMatchObject([{ tier: "pro", status: "active", customerId: customer }])
      await sendEvent(subscription(customer, "past_due", 2))
      expect(await offersOf(owner)).toMatchObject([{ status: "past_due" }])
      await sendEvent(subscription(customer, "canceled", 3))
      expect(await offersOf(owner)).toEqual([])
      await sendEvent({ ...event, id: nameOf("evt") })
      expect(await planOf(owner)).toBe("enterprise")
      expect(await billing().customerOf(owner.accountId)).toBeNull()
      expect(await billing().subscriptionsOf(owner.accountId)).toEqual([])
    }
  })

  test("for something that this service does not sell is no offer, and neither are credits that are not paid yet", async () => {
    const owner = await newOwner()
    await sendEvent(signup(owner.email, { product: "credits_500", more: { payment_status: "unpaid" } }))
    for (const mode of ["payment", "subscription"])
      await sendEvent(signup(owner.email, { product: "a book", more: { mode } }))
    expect(await offersOf(owner)).toEqual([])
  })
})

describe("an offer", () => {
  test("of a plan applies once it is accepted, and its end falls back to the operator's plan", async () => {
    const owner = await newOwner()
    await createOperatorStore(server.open()).grant(owner.accountId, "starter")
    const { offerId, customerId } = await newOffer(owner)
    await sendEvent(subscription(customerId, "active", 1))
    await accept(owner, offerId)
    expect(await planOf(owner)).toBe("pro")
    expect(await billing().customerOf(owner.accountId)).toBe(customerId)
    expect(await billing().ownCustomerOf(owner.accountId)).toBeNull()
    await sendEvent(subscription(customerId, "canceled", 2))
    expect(await planOf(owner)).toBe("starter")
    expect(await billing().customerOf(owner.accountId)).toBeNull()
  })

  test("accepted before its subscription is reported applies with that report, and is the only plan", async () => {
    const owner = await newOwner()
    const [{ offerId, customerId }, second] = [await newOffer(owner), await newOffer(owner)]
    await accept(owner, offerId)
    await expect(accept(owner, second.offerId)).rejects.toMatchObject({ code: "conflict" })
    expect(await planOf(owner)).toBe("free")
    await sendEvent(subscription(customerId, "active", 1))
    expect(await planOf(owner)).toBe("pro")
  })

  test("of credits adds them once: accepted many times, concurrently, and with the event again", async () => {
    const owner = await newOwner()
    const { offerId, event } = await newOffer(owner, { product: "credits_500" })
    expect(await creditsOf(owner)).toBeNull()
    await Promise.all(Array.from({ length: 8 }, () => accept(owner, offerId)))
    await sendEvent({ ...event, id: nameOf("evt") })
    await accept(owner, offerId)
    expect(await creditsOf(owner)).toBe(500)
    expect(await offersOf(owner)).toEqual([])
  })

  test("accepted while the store fails at any step is completed by accepting again", async () => {
    let isThrough = false
    for (let n = 1; !isThrough; n++) {
      const owner = await newOwner()
      const { offerId } = await newOffer(owner, { product: "credits_500" })
      const database = server.open({ fetch: failAtRoundTrip(n, { lost: n % 2 ? "request" : "answer", isBack: false }) })
      isThrough = await accept(owner, offerId, database).then(
        () => true,
        () => false,
      )
      // The owner finds every offer whose credits are missing.
      expect((await offersOf(owner)).length).toBe((await creditsOf(owner)) === 500 ? 0 : 1)
      await accept(owner, offerId)
      expect(await creditsOf(owner)).toBe(500)
    }
  })

  test("accepted and declined at once has one decision", async () => {
    const owner = await newOwner()
    const { offerId } = await newOffer(owner, { product: "credits_500" })
    const [accepted, declined] = await Promise.allSettled([accept(owner, offerId), decline(owner, offerId)])
    expect([accepted.status, declined.status].toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await creditsOf(owner)).toBe(accepted.status === "fulfilled" ? 500 : null)
  })

  test("that is declined or refunded cannot be accepted, and one of another mailbox is unknown", async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    const { offerId } = await newOffer(owner)
    await expect(accept(other, offerId)).rejects.toMatchObject({ code: "not_found" })
    await expect(decline(other, offerId)).rejects.toMatchObject({ code: "not_found" })
    for (let again = 0; again < 2; again++) await decline(owner, offerId)
    await expect(accept(owner, offerId)).rejects.toMatchObject({ code: "conflict" })
    const refunded = await newOffer(owner, { product: "credits_500" })
    checkouts.set("pi_refunded", refunded.event.data.object)
    const charge = { id: nameOf("ch"), payment_intent: "pi_refunded", refunded: true }
    await sendEvent({ id: nameOf("evt"), type: "charge.refunded", data: { object: charge } })
    await expect(accept(owner, refunded.offerId)).rejects.toMatchObject({ code: "conflict" })
    expect([await creditsOf(owner), await offersOf(owner)]).toEqual([null, []])
  })

  test("of a second plan waits until the first one ends", async () => {
    const owner = await newOwner()
    const [first, second] = [await newOffer(owner), await newOffer(owner)]
    for (const { customerId } of [first, second]) await sendEvent(subscription(customerId, "active", 1))
    await accept(owner, first.offerId)
    await expect(accept(owner, second.offerId)).rejects.toMatchObject({ code: "conflict" })
    await sendEvent(subscription(first.customerId, "canceled", 2))
    await accept(owner, second.offerId)
    expect(await planOf(owner)).toBe("pro")
  })

  test("stays when a key made in the mailbox's name joins the account", async () => {
    const owner = await newOwner()
    const { offerId } = await newOffer(owner, { product: "credits_500" })
    const lineage = nameOf("acc")
    const [keyId, digest] = [nameOf("kid"), nameOf("digest")]
    const key = { keyId, digest, pepperId: "p", ownerEmail: owner.email, name: "", createdAt: 1, last4: "abcd" }
    await createKeyStore(server.open()).create({
      ...key,
      accountId: lineage,
      tier: "free",
      network: null,
      createdBy: null,
    })
    await createKeyStore(server.open()).adopt({ from: lineage, to: owner.accountId, now: 1 })
    await accept(owner, offerId)
    expect(await creditsOf(owner)).toBe(500)
  })
})

test("the portal has the customer of the running subscription, else the own last one; a checkout has an own one", async () => {
  const owner = await newOwner()
  const ctx = contextOf(server.open())
  const portal = () => openPortal(ctx, owner.accountId).catch(({ code }) => code)
  const checkout = async () => (await startCheckout(ctx, { caller: owner, payer: owner, product: "credits_500" })).url
  const names = ["z", "m", "a"].map((end) => `${nameOf("cus")}${end}`)
  const [first, , last] = names
  const [plan, pack] = [await newOffer(owner), await newOffer(owner, { product: "credits_500" })]
  await accept(owner, pack.offerId)
  expect([await portal(), await checkout()]).toEqual(["conflict", "checkout of null"])
  await accept(owner, plan.offerId)
  await sendEvent(subscription(plan.customerId, "active", 1))
  expect([await portal(), await checkout()]).toEqual([`portal of ${plan.customerId}`, "checkout of null"])
  await sendEvent(subscription(plan.customerId, "canceled", 2))
  for (const customer of names) await billing().link(customer, owner.accountId)
  expect([await portal(), await checkout()]).toEqual([`portal of ${last}`, `checkout of ${last}`])
  await sendEvent(subscription(first!, "active", 1))
  expect([await portal(), await checkout()]).toEqual([`portal of ${first}`, `checkout of ${first}`])
  await sendEvent(subscription(first!, "canceled", 2))
  expect([await portal(), await checkout()]).toEqual([`portal of ${last}`, `checkout of ${last}`])
})
