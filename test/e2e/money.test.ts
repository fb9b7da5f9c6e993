import Stripe from "stripe"
import { describe, expect, inject, test } from "vitest"
import { STRIPE } from "../support/providers/stripe-server.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

const stripe = new Stripe(STRIPE.secretKey)

async function deliver(payload: string) {
  const header = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: STRIPE.webhookSecret })
  const headers = { "content-type": "application/json", "stripe-signature": header }
  return callUnchecked("/billing/stripe-webhook", { method: "POST", headers, body: payload })
}

async function buy(accountId: string, product: string, customer = `cus_${crypto.randomUUID().slice(0, 12)}`) {
  const session = {
    ...{ id: `cs_${customer}`, object: "checkout.session", customer, payment_status: "paid" },
    ...{ client_reference_id: accountId, metadata: { account_id: accountId, product } },
  }
  const event = { id: `evt_${customer}`, object: "event", type: "checkout.session.completed", created: 1 }
  expect((await deliver(JSON.stringify({ ...event, data: { object: session } }))).status).toBe(200)
  return customer
}

async function subscribe(customer: string, status: "active" | "canceled" = "active") {
  const items = { data: [{ price: { id: STRIPE.prices.pro }, current_period_end: 1_900_000_000 }] }
  const object = { id: `sub_${customer}`, object: "subscription", customer, status, metadata: {}, items }
  const event = {
    id: `evt_sub_${customer}_${status}`,
    object: "event",
    type: "customer.subscription.updated",
    created: status === "active" ? 2 : 3,
  }
  expect((await deliver(JSON.stringify({ ...event, data: { object } }))).status).toBe(200)
}

const accountOf = async (key: TestKey) =>
  (await call<{ account_id: string }>("GET", "/auth/me", withKey(key))).body.account_id

/** Uses up the month of a free key: 100 credits. */
async function useMonth(key: TestKey, domain: string) {
  const emails = Array.from({ length: 100 }, (_, at) => `user${at}@${domain}`)
  return call("POST", "/validate/bulk", withKey(key, postJson({ emails })))
}

describe("plans", () => {
  test("have a price in the smallest unit of its currency, and say what they add", async () => {
    const { body } = await call("GET", "/billing/plans")
    expect(body.plans).toMatchObject([
      { name: "free", price: null, can_be_bought: false, adds: ["100 credits a month", "10 requests a minute"] },
      { name: "starter", price: { unit_amount: 900, currency: "eur", interval: "month" }, can_be_bought: true },
      {
        ...{ name: "pro", price: { unit_amount: 4_900, currency: "eur", interval: "month" }, can_be_bought: true },
        adds: ["10,000 credits a month", "100 requests a minute", "priority in the queue of lists"],
      },
      { name: "enterprise", price: null, can_be_bought: false, monthly_limit: null },
    ])
    expect(body.credit_packs).toEqual([
      { name: "credits_500", credits: 500, price: { unit_amount: 500, currency: "eur", interval: null } },
    ])
    const limits = (await call("GET", "/plans")).body.plans as { name: string }[]
    expect(limits.map(({ name }) => name)).toEqual(["free", "starter", "pro", "enterprise"])
  })

  test("are changed at Stripe's portal, by a session of an account that has paid; a second checkout is 409", async () => {
    const email = `portal-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    const token = await sessionOf(email)
    const asSession = { headers: { authorization: `Bearer ${token}` } }
    const portal = () => call("POST", "/billing/portal", { ...asSession, method: "POST" })
    expect(await portal()).toMatchObject({ status: 409, body: { detail: expect.stringContaining("not bought") } })
    const { account_id } = (await call<{ account_id: string }>("GET", "/auth/me", asSession)).body
    const customer = await buy(account_id, "pro")
    await subscribe(customer)
    expect(await portal()).toMatchObject({ body: { portal_url: `https://billing.stripe.test/${customer}` } })
    const checkout = { ...asSession, method: "POST", at: "/billing/checkout/starter" }
    expect(await call("POST", "/billing/checkout/{plan}", checkout)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("/billing/portal") },
    })
    const key = await newKey("free")
    expect((await call("POST", "/billing/portal", withKey(key, { method: "POST" }))).status).toBe(403)
  })

  test("ended after a rotation leave the used credits used: no fresh month", async () => {
    const first = await newKey("free")
    const customer = await buy(await accountOf(first), "pro")
    await subscribe(customer)
    await useMonth(first, "d0413.test")
    await call("GET", "/validate", withKey(first, { at: "/validate?email=user1@d0414.test" }))
    const at = `/keys/${first.keyId}/rotate`
    const rotated = await call<{ api_key: string }>(
      "POST",
      "/keys/{key_id}/rotate",
      withKey(first, { at, method: "POST" }),
    )
    await subscribe(customer, "canceled")
    const second = { keyId: "", secret: rotated.body.api_key }
    const usage = { tier: "free", credits_used: 101, credits_remaining: 0 }
    expect((await call("GET", "/usage", withKey(second))).body).toMatchObject(usage)
  })

  test("can be bought by a caller whose minute is used up", async () => {
    const key = await newKey("free")
    const validate = (at: number) => call("GET", "/validate", withKey(key, { at: `/validate?email=u${at}@d0412.test` }))
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, at) => validate(at)))
    expect(statuses.map(({ status }) => status)).toContain(429)
    const checkout = withKey(key, { at: "/billing/checkout/pro", method: "POST" })
    expect((await call("POST", "/billing/checkout/{plan}", checkout)).status).toBe(200)
  })
})

test.each([
  ["broken JSON", '{"id": "evt_1", '],
  ["no object", '"evt_1"'],
  ["null", "null"],
  ["no event", '{"hello": "world"}'],
  [
    "an event without an object",
    '{"id": "evt_1", "object": "event", "type": "charge.refunded", "created": 1, "data": {}}',
  ],
])("a signed body that is no event is 400: %s", async (_, payload) => {
  const { status, body } = await deliver(payload)
  expect({ status, body }).toEqual({
    status: 400,
    body: { code: "bad_request", detail: expect.stringContaining("is not an event of Stripe") },
  })
})

test("bought credits are visible in the usage, the billing usage and the RateLimit header", async () => {
  const key = await newKey("free")
  const accountId = await accountOf(key)
  await buy(accountId, "credits_500")
  const usage = async () => (await call("GET", "/usage", withKey(key))).body
  expect(await usage()).toMatchObject({ credits_remaining: 100, bought_credits_left: 500, credits_available: 600 })
  expect((await useMonth(key, "d0410.test")).headers.get("ratelimit")).toMatch(/"month";r=0;t=\d+$/)
  const single = await call("GET", "/validate", withKey(key, { at: "/validate?email=user1@d0411.test" }))
  expect(single.headers.get("ratelimit")).toMatch(/"month";r=0;t=\d+, "bought";r=499$/)
  const list = await call("POST", "/validate/bulk", withKey(key, postJson({ emails: ["user2@d0411.test"] })))
  expect(list.headers.get("ratelimit")).toMatch(/"bought";r=498$/)
  expect(await usage()).toMatchObject({ credits_remaining: 0, bought_credits_left: 498, credits_available: 498 })
  const billing = await call("GET", "/billing/usage/{customer_id}", withKey(key, { at: `/billing/usage/${accountId}` }))
  expect(billing.body).toMatchObject({ credits_limit: 100, bought_credits_left: 498, credits_available: 498 })
})

describe("alerts", () => {
  test("at 80 and 100 % of the month, each once, by mail and webhook", async () => {
    const email = `alerts-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    const asSession = { headers: { authorization: `Bearer ${await sessionOf(email)}` } }
    const hook = `${inject("providerUrls").hooks}/${crypto.randomUUID()}`
    const settings = { mail: true, webhook_url: hook }
    const set = await call("PUT", "/me/alerts", {
      ...asSession,
      ...postJson(settings),
      method: "PUT",
      headers: { ...postJson({}).headers, ...asSession.headers },
    })
    expect(set.body).toEqual({ ...settings, percents: [80, 100] })
    expect((await call("GET", "/me/alerts", asSession)).body).toEqual(set.body)
    const bulk = async (from: number, n: number) => {
      const emails = Array.from({ length: n }, (_, at) => `user${from + at}@d0420.test`)
      const init = postJson({ emails })
      return call("POST", "/validate/bulk", { ...init, headers: { ...init.headers, ...asSession.headers } })
    }
    const deliveries = async () => {
      const { body } = await call<{ deliveries: { type: string; url: string }[] }>(
        "GET",
        "/webhooks/deliveries",
        asSession,
      )
      return body.deliveries.filter(({ type }) => type === "usage.threshold").length
    }
    const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
    const mails = async () => {
      const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
      return messages.filter(({ raw }) => raw.includes("of your Mailverdict credits") || raw.includes("are used up"))
        .length
    }
    await bulk(0, 79)
    await bulk(79, 1)
    await expect.poll(mails).toBe(1)
    await expect.poll(deliveries).toBe(1)
    await Promise.all([bulk(80, 10), bulk(90, 10)])
    expect((await bulk(100, 1)).status).toBe(429)
    await expect.poll(mails).toBe(2)
    await expect.poll(deliveries).toBe(2)
  })

  test("a webhook to a private address is 422", async () => {
    const key = await newKey("free")
    const init = { ...postJson({ mail: true, webhook_url: "http://10.0.0.1/" }), method: "PUT" }
    expect((await call("PUT", "/me/alerts", withKey(key, init))).status).toBe(422)
  })
})
