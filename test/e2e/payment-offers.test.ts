import Stripe from "stripe"
import { describe, expect, test } from "vitest"
import { STRIPE } from "../support/providers/stripe-server.ts"
import { asAdmin, newKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

const stripe = new Stripe(STRIPE.secretKey)
let created = 0

async function sendEvent(type: string, object: object) {
  const event = { id: `evt_${crypto.randomUUID()}`, object: "event", type, created: created++, data: { object } }
  const payload = JSON.stringify(event)
  const header = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: STRIPE.webhookSecret })
  const headers = { "content-type": "application/json", "stripe-signature": header }
  expect((await call("POST", "/billing/stripe-webhook", { headers, body: payload })).status).toBe(200)
}

/** Signs up in a mailbox's name without a session, and pays. @returns the payer, who can change the subscription */
async function payInTheNameOf(email: string, plan = "starter", init: CallInit = {}) {
  const json = postJson({ email, plan })
  const headers = { ...json.headers, ...init.headers }
  const opened = await call<{ session_id: string }>("POST", "/billing/signup", { ...json, headers })
  expect(opened.status).toBe(200)
  const { session_id: id } = opened.body
  // The stand-in has what the service sent with the checkout. A refund reads it from there.
  const customer = `cus_of_${id}`
  const paid = { id, customer, payment_status: "paid", amount_total: 900, currency: "eur" }
  const metadata = { account_id: "new", product: plan }
  await sendEvent("checkout.session.completed", { ...paid, metadata, customer_details: { email } })
  const items = { data: [{ price: { id: STRIPE.prices.starter }, current_period_end: 1_900_000_000 }] }
  const subscription = { id: `sub_${customer}`, object: "subscription", customer, metadata, items }
  const report = (status: string) => sendEvent("customer.subscription.updated", { ...subscription, status })
  if (plan === "starter") await report("active")
  return { id, customer, report }
}

interface Offer {
  readonly offer_id: string
}

/** The owner of a mailbox, signed in. */
async function newOwner(email = `paid-for-${crypto.randomUUID().slice(0, 8)}@inbox.test`) {
  const session = { authorization: `Bearer ${await sessionOf(email)}` }
  const get = <T = Record<string, unknown>>(path: string, at = path) =>
    call<T>("GET", path, { headers: session, at }).then(({ body }) => body)
  const post = (path: string, at = path) => call("POST", path, { method: "POST", headers: session, at })
  const { account_id: accountId } = await get<{ account_id: string }>("/auth/me")
  return {
    ...{ email, session, accountId, get, post },
    plan: async () => (await get<{ tier: string }>("/usage")).tier,
    offers: async () => (await get<{ offers: Offer[] }>("/me/payment-offers")).offers,
    decide: (offer: Offer, verb: "accept" | "decline") =>
      post(`/me/payment-offers/{offer_id}/${verb}`, `/me/payment-offers/${offer.offer_id}/${verb}`),
    grant: (tier: string) =>
      call("POST", "/admin/users/{email}/upgrade", {
        ...asAdmin(postJson({ tier })),
        at: `/admin/users/${encodeURIComponent(email)}/upgrade`,
      }),
    remove: () =>
      call("DELETE", "/me", { method: "DELETE", headers: session, at: `/me?confirm=${encodeURIComponent(email)}` }),
  }
}

describe("a stranger's payment in the name of an owned mailbox", () => {
  test("changes neither the plan, nor the portal, nor the deletion of its account", async () => {
    const owner = await newOwner()
    await owner.grant("enterprise")
    const stranger = await payInTheNameOf(owner.email)
    expect(await owner.plan()).toBe("enterprise")
    await stranger.report("canceled")
    expect(await owner.plan()).toBe("enterprise")
    const second = await payInTheNameOf(owner.email)
    expect(await owner.post("/billing/portal")).toMatchObject({ status: 409 })
    const at = `/billing/usage/${owner.accountId}`
    expect(await owner.get("/billing/usage/{customer_id}", at)).toMatchObject({ subscriptions: [] })
    expect((await owner.remove()).status).toBe(200)
    // The money is the operator's decision. The erased mailbox is not named any more.
    const left = await offeredPayments("state=open&limit=500")
    expect(left.find(({ customer_id }) => customer_id === second.customer)).toMatchObject({
      email: null,
      plan: "starter",
    })
    const again = await newOwner(owner.email)
    expect([again.accountId === owner.accountId, await again.plan(), await again.offers()]).toEqual([false, "free", []])
  })

  test("is offered to the owner, and not to a key; accepted, it applies, and the portal is the payer's", async () => {
    const owner = await newOwner()
    const stranger = await payInTheNameOf(owner.email)
    const [offer] = await owner.offers()
    expect(offer).toEqual({
      ...{ offer_id: expect.stringMatching(/^offer_[0-9a-f]{24}$/), plan: "starter", credits: null },
      ...{ amount: 900, currency: "eur", subscription_status: "active", payment: stranger.id.slice(-8) },
      paid_at: expect.any(String),
    })
    const key = await newKey("free")
    for (const verb of ["accept", "decline"]) {
      const at = `/me/payment-offers/${offer!.offer_id}/${verb}`
      const byKey = withKey(key, { method: "POST", at })
      expect((await call("POST", `/me/payment-offers/{offer_id}/${verb}`, byKey)).status).toBe(403)
    }
    expect((await call("GET", "/me/payment-offers", withKey(key))).status).toBe(403)
    const other = await newOwner()
    expect((await other.decide(offer!, "accept")).status).toBe(404)

    for (let again = 0; again < 2; again++)
      expect(await owner.decide(offer!, "accept")).toMatchObject({
        status: 200,
        body: { offer_id: offer!.offer_id, account_id: owner.accountId, status: "accepted" },
      })
    expect([await owner.plan(), await owner.offers()]).toEqual(["starter", []])
    const portal = await owner.post("/billing/portal")
    expect(portal.body).toEqual({ portal_url: `https://billing.stripe.test/${stranger.customer}` })
    expect((await owner.decide(offer!, "decline")).status).toBe(409)
    expect((await owner.remove()).status).toBe(409)
    await stranger.report("canceled")
    expect(await owner.plan()).toBe("free")
    expect((await owner.post("/billing/portal")).status).toBe(409)
    const trail = await owner.get<{ events: { action: string }[] }>("/me/audit-trail")
    expect(trail.events.map(({ action }) => action)).toContain("payment.accepted")
    expect((await owner.remove()).status).toBe(200)
  })

  test("is declined for good; the operator sees it with the processor's ids", async () => {
    const owner = await newOwner()
    const stranger = await payInTheNameOf(owner.email, "credits_500")
    const [offer] = await owner.offers()
    expect(offer).toMatchObject({ plan: null, credits: 500, subscription_status: null })
    expect((await owner.decide(offer!, "decline")).status).toBe(200)
    expect((await owner.decide(offer!, "accept")).status).toBe(409)
    expect(await owner.get("/usage")).toMatchObject({ bought_credits_left: 0 })
    const declined = await offeredPayments("state=declined&limit=500")
    expect(declined.find(({ email }) => email === owner.email)).toMatchObject({
      ...{ state: "declined", credits: 500, checkout_id: stranger.id, customer_id: stranger.customer },
    })
    const about = asAdmin({ at: `/gdpr/export?email=${encodeURIComponent(owner.email)}` })
    const exported = await call<{ data: Record<string, object[]> }>("GET", "/gdpr/export", about)
    expect(exported.body.data.payment_offers).toMatchObject([{ email: owner.email, credits: 500 }])
  })
})

test("a sign-up in a session of its mailbox is the account's own checkout: a second plan is 409", async () => {
  const owner = await newOwner()
  const signUp = () => {
    const json = postJson({ email: owner.email, plan: "starter" })
    return call("POST", "/billing/signup", { ...json, headers: { ...json.headers, ...owner.session } })
  }
  expect((await signUp()).status).toBe(200)
  await payInTheNameOf(owner.email)
  await owner.decide((await owner.offers())[0]!, "accept")
  expect((await signUp()).status).toBe(409)
})

test("a new customer's payment makes the account, which its owner gets by signing in", async () => {
  const email = `new-customer-${crypto.randomUUID().slice(0, 8)}@inbox.test`
  const payer = await payInTheNameOf(email)
  const owner = await newOwner(email)
  expect([await owner.plan(), await owner.offers()]).toEqual(["starter", []])
  const portal = await owner.post("/billing/portal")
  expect(portal.body).toEqual({ portal_url: `https://billing.stripe.test/${payer.customer}` })
})

interface Payment {
  readonly email: string | null
  readonly customer_id: string
}

async function offeredPayments(query: string) {
  const at = `/admin/payment-offers?${query}`
  return (await call<{ payments: Payment[] }>("GET", "/admin/payment-offers", asAdmin({ at }))).body.payments
}
