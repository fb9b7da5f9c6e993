import { describe, expect, inject, it } from "vitest"
import type { Status } from "../../schema/vocabulary.ts"
import { STRIPE } from "../support/providers/stripe-server.ts"
import { asAdmin } from "../support/stack/account.ts"
import { call, callUnchecked } from "../support/stack/api.ts"
import { type Counts, Customer, leftOfMonth, type Plan, sum } from "../support/stack/customer.ts"
import { type JobAnswer, waitForJobEnd } from "../support/stack/jobs.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"
import { eventually } from "../support/time/until.ts"

const LIST = [
  ...["user1@d1502.test", "no-1@d1502.test", "journey@catch-all.test", "alice@refused.test", "broken"],
  ...["user1@d1500.test", "User1@d1502.test"],
]
const PERIOD_END = 1_900_000_000

const WAIT = { interval: 200 }

interface Unconfirmed {
  readonly keys: readonly object[]
  readonly total: number
}

const customer = new Customer()
const { email } = customer
let subscription: object

const users = (count: number) => Array.from({ length: count }, (_, n) => `user${n + 10}@d1500.test`)
const bulk = (emails: readonly string[]) =>
  customer.post<{ total: number; summary: Counts; detail: string }>("/validate/bulk", { emails })
const byKeyAndSession = async (path: string) =>
  [(await customer.as("key", "GET", path)).body, (await customer.as("session", "GET", path)).body] as const

/** Each step continues where the one before it ended. */
describe("a customer", () => {
  it("makes a key without an account, with the limits of the free plan", async () => {
    type Made = Plan & { key_id: string; api_key: string; warning: string }
    const { body } = await customer.post<Made>("/keys", { name: "newsletter", owner_email: email }, "nobody")
    Object.assign(customer, { secret: body.api_key, keyId: body.key_id })
    const { monthly_limit: limit, rate_per_min } = await customer.planOf("free")
    expect(body).toMatchObject({ tier: "free", owner_email: email, monthly_limit: limit, rate_per_min })
    expect(body.warning).toContain("shown only once")
    const unused = { tier: "free", credits_used: 0, credits_limit: limit, credits_remaining: limit }
    expect(await customer.usage()).toMatchObject(unused)
    const keys = await customer.keys()
    expect(keys).toMatchObject([{ key_id: body.key_id, name: "newsletter", monthly_limit: limit, is_active: 1 }])
    expect(JSON.stringify(keys)).not.toContain(body.api_key)
  })

  it("verifies an address for one credit, and reads the stored result for none", async () => {
    const first = await customer.validate("user1@d1500.test")
    const again = await customer.validate("user1@d1500.test")
    expect(first.body).toMatchObject({ status: "valid", checks: { cached: false } })
    expect(again.body).toEqual({ ...first.body, checks: { ...first.body.checks, cached: true } })
    customer.count("valid")
    customer.count("valid", { isCached: true })
    expect(leftOfMonth(first)).toBe((await customer.usage()).credits_remaining)
    await customer.expectSameNumbers()
  })

  it("uses up the month; the refusal names the limit, its use and its end", async () => {
    const { credits_limit: limit } = await customer.usage()
    const tooMany = await bulk(users(limit))
    expect(tooMany.status).toBe(429)
    expect(tooMany.body.detail).toContain(`limit of ${limit} leaves too little: 1 used, ${limit} asked for`)
    const rest = await bulk(users(limit - 1))
    expect(rest.body).toMatchObject({ total: limit - 1, summary: { valid: limit - 1 } })
    expect(leftOfMonth(rest)).toBe(0)
    customer.count("valid", { times: limit - 1 })

    const before = Date.now()
    const refused = await customer.validate("user2@d1501.test")
    const after = Date.now()
    const seconds = Number(refused.headers.get("retry-after"))
    const day = /begins on (\d{4}-\d\d-01), /.exec(refused.body.detail)?.[1]
    expect(refused.status).toBe(429)
    const left = `in ${seconds.toLocaleString("en")} seconds`
    expect(refused.body.detail).toContain(`${limit} used, 1 asked for; the next month begins on ${day}, ${left}`)
    expect(Date.parse(day!)).toBeGreaterThanOrEqual(before + (seconds - 1) * 1_000)
    expect(Date.parse(day!)).toBeLessThanOrEqual(after + seconds * 1_000)
    const usage = await customer.usage()
    expect(usage).toMatchObject({ credits_used: limit, credits_remaining: 0 })
    expect(Date.parse(day!)).toBeGreaterThanOrEqual(before + (usage.resets_in_seconds - 1) * 1_000)
    expect(usage.resets_in_seconds).toBeLessThanOrEqual(seconds)
    expect((await customer.validate("user1@d1500.test")).status).toBe(200)
    customer.count("valid", { isCached: true })
  })

  it("uses up the minute; the refusal says when to try again", async () => {
    const { rate_per_min } = await customer.planOf("free")
    const quick = () => customer.as("key", "GET", "/validate/quick", { at: "/validate/quick?email=user3@d1501.test" })
    let answer = await quick()
    for (let n = 0; n < rate_per_min && answer.status === 200; n++) answer = await quick()
    const seconds = Number(answer.headers.get("retry-after"))
    expect(answer).toMatchObject({ status: 429, body: { detail: `rate limit exceeded; retry in ${seconds} seconds` } })
    expect(seconds).toBeLessThanOrEqual(60)
    expect(answer.headers.get("ratelimit-policy")).toContain(`"rpm";q=${rate_per_min};w=60`)
  })

  it("confirms the mailbox by the mailed link, joins the key made in its name, and its numbers come with it", async () => {
    await customer.expectSameNumbers()
    const before = await customer.read("/me/stats")
    const asked = await customer.post<{ message: string }>("/auth/request", { email })
    const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
    const [mail] = (await (await fetch(inbox)).json()) as { raw: string }[]
    for (const text of [asked.body.message, mail!.raw]) expect(text).toContain("works once, for 15 minutes")

    const link = { token: await mailedToken(email) }
    type Session = { session_token: string; account_id: string; expires_at: string }
    const { body } = await customer.post<Session>("/auth/verify", link, "nobody")
    expect(body).toMatchObject({ email, adopted_keys: 0, unconfirmed_keys: 1 })
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now())
    Object.assign(customer, { session: body.session_token, accountId: body.account_id })
    expect((await customer.post("/auth/verify", link, "nobody")).status).toBe(401)

    const { keys, total } = (await customer.as<Unconfirmed>("session", "GET", "/me/unconfirmed-keys")).body
    const last4 = customer.secret.slice(-4)
    expect({ keys, total }).toMatchObject({ keys: [{ last4, requested_sign_in: false, lineage_keys: 1 }], total: 1 })
    const at = `/me/unconfirmed-keys/${customer.keyId}/join`
    const joined = await customer.as("session", "POST", "/me/unconfirmed-keys/{key_id}/join", { at })
    expect(joined.body).toEqual({ key_id: customer.keyId, account_id: body.account_id, joined_keys: 1 })

    const me = { account_id: body.account_id, email, tier: "free" }
    expect(await byKeyAndSession("/auth/me")).toEqual([
      { ...me, signed_in_by: "key", key_id: customer.keyId },
      { ...me, signed_in_by: "session", key_id: null },
    ])
    expect(await customer.read("/me/stats")).toEqual(before)
    await customer.expectSameNumbers()
  })

  it("is told about the used credits, as soon as there is a confirmed mailbox", async () => {
    const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
    const mails = async () => ((await (await fetch(inbox)).json()) as { raw: string }[]).map(({ raw }) => raw)
    expect((await customer.validate("user4@d1501.test")).status).toBe(429)
    await eventually(async () => expect((await mails()).join()).toContain("credits of this month are used up"), WAIT)
    expect((await mails()).filter((raw) => raw.includes("are used up"))).toHaveLength(1)
  })

  it("upgrades: the plan applies after the payment, not before, and used credits stay used", async () => {
    const { plans } = await customer.read<{ plans: Plan[] }>("/billing/plans")
    for (const plan of plans) expect(plan).toMatchObject(await customer.planOf(plan.name))
    const { monthly_limit: limit, can_be_bought } = plans.find(({ name }) => name === "pro")!
    expect(can_be_bought).toBe(true)
    type Checkout = { checkout_url: string; session_id: string }
    const opened = await customer.as<Checkout>("key", "POST", "/billing/checkout/{plan}", {
      at: "/billing/checkout/pro",
    })
    const id = opened.body.session_id
    expect(opened.body).toMatchObject({ plan: "pro", checkout_url: expect.stringContaining(id) })
    expect((await customer.usage()).tier).toBe("free")

    const payer = { customer: `cus_of_${id}`, metadata: { account_id: customer.accountId, product: "pro" } }
    const checkout = { ...payer, id, object: "checkout.session", client_reference_id: customer.accountId }
    await customer.pay("checkout.session.completed", { ...checkout, payment_status: "paid" }, 1)
    const items = { data: [{ price: { id: STRIPE.prices.pro }, current_period_end: PERIOD_END }] }
    subscription = { ...payer, id: `sub_${id}`, object: "subscription", status: "active", items }
    await customer.pay("customer.subscription.created", subscription, 2)

    const { credits } = customer.used
    const usage = { tier: "pro", credits_used: credits, credits_limit: limit, credits_remaining: limit - credits }
    expect(await byKeyAndSession("/usage")).toMatchObject([usage, usage])
    expect(await customer.keys()).toMatchObject([{ tier: "pro", monthly_limit: limit, credits_this_month: credits }])
    const subscriptions = [{ plan: "pro", status: "active", period_end: new Date(PERIOD_END * 1_000).toISOString() }]
    for (const customer_id of [customer.accountId, payer.customer]) {
      const bill = await customer.read("/billing/usage/{customer_id}", `/billing/usage/${customer_id}`)
      expect(bill).toMatchObject({ customer_id, credits_used: credits, subscriptions })
    }
    const portal = (await customer.as<{ portal_url: string }>("session", "POST", "/billing/portal")).body
    expect(portal.portal_url).toContain(payer.customer)
    // The address that was refused before.
    expect(leftOfMonth(await customer.validate("user2@d1501.test"))).toBe(limit - credits - 1)
    customer.count("valid")
    await customer.expectSameNumbers()
  })

  it("verifies a list; progress, results, report, download and dead letters agree", async () => {
    const { body: job } = await customer.post<JobAnswer>("/validate/bulk/async", { emails: LIST })
    const read = <T>(path: string) => customer.read<T>(path, path.replace("{job_id}", job.job_id))
    const { results, ...done } = await waitForJobEnd(job.job_id, customer.headers("key"))
    const summary: Counts = { valid: 2, invalid: 1, accept_all: 1, unknown: 1, invalid_syntax: 1 }
    const total = LIST.length - 1
    expect(job.total).toBe(total)
    expect(done).toMatchObject({ status: "complete", total, progress: total, pending: 0, deduplicated: 1, summary })
    expect(done).toMatchObject({ cached: 1, failed: 1, submitted_at: job.submitted_at })
    expect(Date.parse(done.completed_at!)).toBeGreaterThan(Date.parse(done.submitted_at))
    expect(await read("/bulk/status/{job_id}")).toEqual(done)
    expect((await customer.read<{ jobs: object[] }>("/bulk/jobs")).jobs).toEqual([done])
    const counted: Counts = {}
    for (const { checks } of results!) counted[checks.status as Status] = (counted[checks.status as Status] ?? 0) + 1
    expect(counted).toEqual(summary)

    interface Report {
      readonly composition: { statuses: { status: Status; count: number; share: number }[]; sendable: number }
      readonly score_distribution: { count: number }[]
      readonly mail_operators: { total: number }[]
    }
    const report = await read<Report>("/bulk/{job_id}/report")
    const { statuses, sendable } = report.composition
    expect(report).toMatchObject({ total, analyzed: total, deduplicated: 1 })
    expect(Object.fromEntries(statuses.map(({ status, count }) => [status, count]))).toEqual(summary)
    expect(sum(statuses.map(({ share }) => share))).toBeCloseTo(1, 3)
    expect(sum(report.score_distribution.map(({ count }) => count))).toBe(total)
    expect(sum(report.mail_operators.map((one) => one.total))).toBe(total)

    const rows = async (query = "") => {
      const init = { headers: customer.headers("key") }
      const { text } = await callUnchecked(`/bulk/download/${job.job_id}${query}`, init)
      return text.trim().split("\r\n").slice(1)
    }
    const downloaded = (await rows()).map((line) => line.split(",").slice(0, 2))
    expect(downloaded).toEqual(results!.map(({ checks }) => [checks.email, checks.status]))
    expect(await rows("?filter=can_send")).toHaveLength(sendable)
    const dead = [{ email: "alice@refused.test", error: "unreachable" }]
    expect(await read("/jobs/{job_id}/dead-letter")).toMatchObject({ total: done.failed, dead_letters: dead })

    for (const status of ["valid", "invalid", "accept_all"] as const) customer.count(status, { isOfList: true })
    for (const status of ["unknown", "invalid_syntax"] as const)
      customer.count(status, { isFree: true, isOfList: true })
    customer.count("valid", { isCached: true, isOfList: true })
    await customer.expectSameNumbers()
  })

  it("rotates the key: the old one is refused at once, and both together have the usage", async () => {
    const old = customer.keyId
    type Rotated = { key_id: string; api_key: string }
    const { body } = await customer.as<Rotated>("key", "POST", "/keys/{key_id}/rotate", { at: `/keys/${old}/rotate` })
    expect(body).toMatchObject({ rotated_from: old, revoked: old })
    expect((await customer.as("key", "GET", "/usage")).status).toBe(401)
    Object.assign(customer, { secret: body.api_key, keyId: body.key_id })
    const [now, before] = await customer.keys()
    expect(now).toMatchObject({ key_id: body.key_id, name: "newsletter", tier: "pro", is_active: 1 })
    expect(before).toMatchObject({ key_id: old, name: "newsletter", is_active: 0 })
    expect(now!.created_at).toBeGreaterThanOrEqual(before!.last_used!)
    await customer.expectSameNumbers()
  })

  it("exports everything by session, and nothing by key", async () => {
    expect((await customer.as("key", "GET", "/me/export")).status).toBe(403)
    type Export = { data: Record<string, Record<string, string | number>[]> }
    const { body, text } = await customer.as<Export>("session", "GET", "/me/export")
    const { api_keys, verifications, job_items, daily_counts } = body.data
    expect(body).toMatchObject({ account_id: customer.accountId, email })
    expect(api_keys!.map(({ key_id }) => key_id)).toContain(customer.keyId)
    expect(api_keys).toHaveLength((await customer.keys()).length)
    expect(verifications).toHaveLength(customer.used.verifications - customer.used.ofLists)
    expect(job_items!.map((item) => item.email).toSorted()).toEqual(LIST.slice(0, -1).toSorted())
    expect(sum(daily_counts!.map(({ count }) => Number(count)))).toBe(customer.used.verifications)
    for (const secret of [customer.secret, customer.session]) expect(text).not.toContain(secret)
  })

  it("cancels and deletes the account; nothing works afterwards, and the audit trail has it", async () => {
    const remove = (confirm: string) =>
      customer.as<{ detail: string }>("session", "DELETE", "/me", { at: `/me?confirm=${confirm}` })
    const running = await remove(email)
    expect(running).toMatchObject({ status: 409, body: { detail: expect.stringContaining("cancel it first") } })
    await customer.pay("customer.subscription.deleted", { ...subscription, status: "canceled" }, 3)
    const { monthly_limit: credits_limit } = await customer.planOf("free")
    const ended = { tier: "free", credits_used: customer.used.credits, credits_limit, credits_remaining: 0 }
    expect((await customer.as("session", "GET", "/usage")).body).toMatchObject(ended)
    expect((await remove("someone@inbox.test")).status).toBe(400)
    expect((await remove(email)).body).toEqual({ status: "deleted", account_id: customer.accountId, complete: true })

    for (const who of ["key", "session"] as const)
      for (const path of ["/usage", "/keys", "/bulk/jobs", "/me/stats", "/auth/me"])
        expect((await customer.as(who, "GET", path)).status).toBe(401)
    expect((await customer.post("/validate", { email: "user1@d1500.test" })).status).toBe(401)
    const found = await call("GET", "/admin/users", asAdmin({ at: `/admin/users?search=${email}` }))
    expect(found.body.users).toEqual([])
    const at = `/compliance/audit-trail?subject=${customer.accountId}`
    type Trail = { entries: { action: string }[] }
    const trail = await call<Trail>("GET", "/compliance/audit-trail", asAdmin({ at }))
    expect(trail.body.entries.map(({ action }) => action)).toEqual([
      ...["customer.erased", "account.tier_changed", "data.exported", "account.tier_changed", "account.signed_in"],
    ])
    expect(trail.text).not.toContain(email)
    const again = await customer.post("/keys", { name: "newsletter", owner_email: email }, "nobody")
    expect(again.status).toBe(200)
  })
})
