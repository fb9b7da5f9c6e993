import Stripe from "stripe"
import { describe, expect, inject, test } from "vitest"
import { STRIPE } from "../support/providers/stripe-server.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"

const stripe = new Stripe(STRIPE.secretKey)
let counter = 0

/** Sends an event as Stripe does, signed by Stripe's own library. */
async function sendEvent(type: string, object: object, { created = counter, id = `evt_${crypto.randomUUID()}` } = {}) {
  const payload = JSON.stringify({ id, object: "event", type, created, api_version: "2025-01-01", data: { object } })
  const header = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: STRIPE.webhookSecret })
  return call("POST", "/billing/stripe-webhook", {
    headers: { "content-type": "application/json", "stripe-signature": header },
    body: payload,
  })
}

const accountOf = async (key: TestKey) =>
  (await call<{ account_id: string; tier: string }>("GET", "/auth/me", withKey(key))).body
const planOf = async (key: TestKey) => (await call<{ tier: string }>("GET", "/usage", withKey(key))).body.tier

const subscription = (customer: string, more: object) => ({
  id: `sub_${customer}`,
  object: "subscription",
  customer,
  status: "active",
  metadata: {},
  items: { data: [{ price: { id: STRIPE.prices.pro }, current_period_end: 1_800_000_000 }] },
  ...more,
})
const session = (customer: string, accountId: string, product: string) => ({
  id: `cs_${customer}`,
  object: "checkout.session",
  customer,
  payment_status: "paid",
  client_reference_id: accountId,
  metadata: { account_id: accountId, product },
})

describe("plans", () => {
  test("a checkout is a page of Stripe; an unknown plan is 404", async () => {
    const key = await newKey("free")
    const at = "/billing/checkout/pro"
    const opened = await call("POST", "/billing/checkout/{plan}", withKey(key, { at, method: "POST" }))
    expect(opened.body).toMatchObject({
      plan: "pro",
      checkout_url: expect.stringMatching(/^https:\/\/checkout\.stripe\.test\//),
    })
    for (const plan of ["platinum", "constructor", "__proto__"]) {
      const none = withKey(key, { at: `/billing/checkout/${plan}`, method: "POST" })
      expect((await call("POST", "/billing/checkout/{plan}", none)).status).toBe(404)
    }
    const signup = await call("POST", "/billing/signup", postJson({ email: "new@inbox.test", plan: "starter" }))
    expect(signup.body).toMatchObject({ plan: "starter" })
    expect((await call("POST", "/billing/signup", postJson({ email: "not-an-address", plan: "starter" }))).status).toBe(
      400,
    )
    expect((await call("GET", "/billing/plans")).body).toMatchObject({
      credit_packs: [{ name: "credits_500", credits: 500 }],
    })
  })

  test("the plan follows payment, overdue payment and cancellation, in any order of events", async () => {
    const key = await newKey("free")
    const { account_id } = await accountOf(key)
    const customer = `cus_${counter++}${crypto.randomUUID().slice(0, 8)}`
    await sendEvent("customer.subscription.created", subscription(customer, {}), { created: 100 })
    await sendEvent("checkout.session.completed", session(customer, account_id, "pro"), { created: 99 })
    expect(await planOf(key)).toBe("pro")
    await sendEvent("customer.subscription.updated", subscription(customer, { status: "past_due" }), { created: 200 })
    expect(await planOf(key)).toBe("pro")
    await sendEvent("customer.subscription.deleted", subscription(customer, { status: "canceled" }), { created: 300 })
    expect(await planOf(key)).toBe("free")
    await sendEvent("customer.subscription.updated", subscription(customer, { status: "active" }), { created: 150 })
    expect(await planOf(key)).toBe("free")
    const trail = await call<{ entries: { action: string; actor: string; details: object }[] }>(
      "GET",
      "/compliance/audit-trail",
      { at: `/compliance/audit-trail?subject=${account_id}`, headers: { "x-admin-secret": inject("adminSecret") } },
    )
    const changes = trail.body.entries.filter(({ action }) => action === "account.tier_changed")
    expect(changes).toMatchObject([
      { actor: "payments", details: { to: "free" } },
      { actor: "payments", details: { to: "pro" } },
    ])

    const at = `/billing/usage/${customer}`
    expect((await call("GET", "/billing/usage/{customer_id}", withKey(key, { at }))).body).toMatchObject({
      customer_id: customer,
      subscriptions: [{ plan: "pro", status: "canceled" }],
    })
    const stranger = await newKey("free")
    expect((await call("GET", "/billing/usage/{customer_id}", withKey(stranger, { at }))).status).toBe(404)
  })

  test("every key of an account may create keys up to its plan: a free key too, and none beyond the plan", async () => {
    const first = await newKey("free")
    const { account_id } = await accountOf(first)
    const customer = `cus_${counter++}${crypto.randomUUID().slice(0, 8)}`
    await sendEvent("checkout.session.completed", session(customer, account_id, "pro"))
    await sendEvent("customer.subscription.created", subscription(customer, {}))
    const make = (key: TestKey, tier: string) =>
      call<{ api_key: string }>(
        "POST",
        "/keys",
        withKey(key, postJson({ name: tier, owner_email: "owner@mailbox.test", tier })),
      )
    const free = { keyId: "", secret: (await make(first, "free")).body.api_key }
    await sendEvent("customer.subscription.updated", subscription(customer, {}), { created: 1_000 })
    expect(await planOf(free)).toBe("free") // The plan is unchanged, and so are keys of a lower tier.
    expect(await make(free, "pro")).toMatchObject({ status: 200, body: { tier: "pro" } })
    expect(await make(free, "enterprise")).toMatchObject({
      status: 402,
      body: { detail: expect.stringContaining("this account's plan is pro") },
    })
  })

  test("an account reads its usage by its account id, with or without payments, and no other account's", async () => {
    const [key, stranger] = await Promise.all([newKey("free"), newKey("free")])
    const { account_id } = await accountOf(key)
    const usageCall = { at: `/billing/usage/${account_id}` }
    expect((await call("GET", "/billing/usage/{customer_id}", withKey(key, usageCall))).body).toMatchObject({
      customer_id: account_id,
      credits_used: 0,
      subscriptions: [],
    })
    expect((await call("GET", "/billing/usage/{customer_id}", withKey(stranger, usageCall))).status).toBe(404)
    const admin = { ...usageCall, headers: { "x-admin-secret": inject("adminSecret") } }
    expect((await call("GET", "/billing/usage/{customer_id}", admin)).status).toBe(200)
    const unknown = { ...admin, at: "/billing/usage/acc_000000000000000000000000" }
    expect((await call("GET", "/billing/usage/{customer_id}", unknown)).status).toBe(404)
  })
})

describe("credits", () => {
  test("bought credits apply after the monthly limit, a repeated event counts once, and an empty balance is 402", async () => {
    const key = await newKey("free")
    const { account_id } = await accountOf(key)
    const emails = (from: number, n: number) => Array.from({ length: n }, (_, i) => `user${from + i}@d0400.test`)
    const bulk = (from: number, n: number) =>
      call("POST", "/validate/bulk", withKey(key, postJson({ emails: emails(from, n) })))
    expect((await bulk(0, 100)).status).toBe(200)
    expect((await bulk(100, 1)).status).toBe(429)

    const customer = `cus_${counter++}${crypto.randomUUID().slice(0, 8)}`
    const id = `evt_${crypto.randomUUID()}`
    const first = await sendEvent("checkout.session.completed", session(customer, account_id, "credits_500"), { id })
    const again = await sendEvent("checkout.session.completed", session(customer, account_id, "credits_500"), { id })
    expect([first.body.changed, again.body.changed]).toEqual([true, false])
    const balance = async () => (await call("GET", "/usage", withKey(key))).body
    expect(await balance()).toMatchObject({ credits_remaining: 0, bought_credits_left: 500 })
    const more = withKey(key, { at: "/billing/checkout/credits_500", method: "POST" })
    expect((await call("POST", "/billing/checkout/{plan}", more)).status).toBe(200)
    for (let at = 1; at <= 5; at++) expect((await bulk(at * 100, 100)).status).toBe(200)
    expect(await balance()).toMatchObject({ bought_credits_left: 0 })
    const refused = await bulk(600, 1)
    expect(refused).toMatchObject({
      status: 402,
      body: { detail: expect.stringContaining("credit balance"), code: "credits_exhausted" },
    })
  })

  test("are removed when their whole payment is refunded", async () => {
    const key = await newKey("free")
    const { account_id } = await accountOf(key)
    const checkout = withKey(key, { at: "/billing/checkout/credits_500", method: "POST" })
    const id = String((await call("POST", "/billing/checkout/{plan}", checkout)).body.session_id)
    const balance = async () => (await call("GET", "/usage", withKey(key))).body
    await sendEvent("checkout.session.completed", { ...session(`cus_of_${id}`, account_id, "credits_500"), id })
    expect(await balance()).toMatchObject({ bought_credits_left: 500 })
    const charge = { id: `ch_${id}`, object: "charge", payment_intent: `pi_${id}`, amount_refunded: 100 }
    expect((await sendEvent("charge.refunded", { ...charge, refunded: false })).body.changed).toBe(false)
    expect((await sendEvent("charge.refunded", { ...charge, refunded: true })).body.changed).toBe(true)
    expect(await balance()).toMatchObject({ bought_credits_left: 0 })
  })
})

describe("an event with an invalid signature", () => {
  const payload = JSON.stringify({
    id: "evt_forged",
    object: "event",
    type: "checkout.session.completed",
    data: { object: {} },
  })
  const send = (signature: string, body = payload) =>
    callUnchecked("/billing/stripe-webhook", {
      method: "POST",
      headers: { "content-type": "application/json", "stripe-signature": signature },
      body,
    })
  const sign = (options: { secret?: string; timestamp?: number }) =>
    stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: STRIPE.webhookSecret, ...options })

  test("is 401: another secret, an old timestamp, a changed body, no signature", async () => {
    expect((await send(await sign({ secret: "whsec_other" }))).status).toBe(401)
    expect((await send(await sign({ timestamp: Math.floor(Date.now() / 1000) - 360 }))).status).toBe(401)
    expect((await send(await sign({}), `${payload} `)).status).toBe(401)
    expect((await send("")).status).toBe(401)
  })
})
