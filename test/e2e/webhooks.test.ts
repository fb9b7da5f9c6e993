import { createHmac } from "node:crypto"
import { Webhook } from "svix"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { type Received, WebhookReceiver } from "../support/providers/webhook-receiver.ts"
import { call, postJson } from "../support/stack/api.ts"
import { type Account, type JobAnswer, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"
import { until } from "../support/time/until.ts"

interface Deliveries {
  readonly deliveries: readonly {
    readonly event_id: string
    readonly url: string
    readonly state: string
    readonly attempts: readonly {
      readonly attempt: number
      readonly outcome: string
      readonly http_status: number | null
    }[]
    readonly next_attempt_at: string | null
  }[]
  readonly next_cursor: string | null
}

const DAY_MS = 86_400_000

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await WebhookReceiver.start(inject("webhookHost"), {
    "/once-down": [{ status: 500 }, { status: 200 }],
    "/moved": [{ status: 307, headers: { location: `http://${inject("webhookHost")}/elsewhere` } }],
    "/gone": [{ status: 410 }, { status: 200 }],
  })
})
afterAll(() => receiver.stop())

const secretOf = async ({ headers }: Account, path = "/webhooks/secret") =>
  (await call<{ secret: string }>("POST", path, { headers })).body.secret
const submit = async ({ headers }: Account, path: string, emails = ["alice@mailbox.test", "nobody@mailbox.test"]) => {
  const init = postJson({ emails, webhook_url: receiver.url + path })
  const all = { ...headers, "content-type": "application/json" }
  const { status, body } = await call<JobAnswer>("POST", "/validate/bulk/async", { ...init, headers: all })
  expect(status).toBe(200)
  return body.job_id
}
const deliveries = async ({ headers }: Account, more = "") =>
  (await call<Deliveries>("GET", "/webhooks/deliveries", { at: `/webhooks/deliveries${more}`, headers })).body
/** Throws unless the event has a valid signature, by the receivers' library and by a manual HMAC. */
const openEvent = (secret: string, { body, headers }: Received) => {
  new Webhook(secret).verify(body, headers as Record<string, string>)
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures } = headers
  const hmac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
  expect(String(signatures).split(" ")).toContain(`v1,${hmac.update(`${id}.${at}.${body}`).digest("base64")}`)
  return JSON.parse(body) as { type: string; data: Record<string, unknown> }
}
/** A delivery in the given state with at least this many attempts. */
const settled = async (account: Account, path: string, state: string, tried = 0) => {
  const find = async () => (await deliveries(account)).deliveries.find(({ url }) => url === receiver.url + path)
  return (await until(find, (found) => found?.state === state && found.attempts.length >= tried))!
}

describe("the end of a job", () => {
  test("is sent once, signed with the account's secret", async () => {
    const account = await newAccount()
    const secret = await secretOf(account)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const jobId = await submit(account, "/done")
    const event = openEvent(secret, await receiver.request("/done"))
    expect(event).toMatchObject({ type: "job.completed", data: { job_id: jobId, status: "complete", total: 2 } })
    expect(receiver.at("/done")[0]!.headers).toMatchObject({ "content-type": "application/json" })
    expect(() => openEvent(`whsec_${Buffer.alloc(32, 1).toString("base64")}`, receiver.at("/done")[0]!)).toThrow()
    await waitForJobEnd(jobId, account.headers)
    expect((await settled(account, "/done", "delivered")).attempts).toMatchObject([
      { attempt: 1, outcome: "delivered", http_status: 200 },
    ])
    // The only event of the account has ended, so no attempt follows.
    expect((await deliveries(account)).deliveries).toHaveLength(1)
    expect(receiver.at("/done")).toHaveLength(1)
  })

  test("after a rotation both secrets verify, and the secret is never shown again", async () => {
    const account = await newAccount()
    const first = await secretOf(account)
    const again = await call("POST", "/webhooks/secret", { headers: account.headers })
    expect(again.status).toBe(409)
    const askedAt = Date.now()
    const second = await secretOf(account, "/webhooks/secret/rotate")
    expect(second).not.toBe(first)
    await submit(account, "/rotated")
    const got = await receiver.request("/rotated")
    for (const secret of [first, second]) expect(openEvent(secret, got).type).toBe("job.completed")
    const { body, text } = await call<{ secrets: { expires_at: string | null }[] }>("GET", "/webhooks/secret", {
      headers: account.headers,
    })
    expect(text).not.toContain(first.slice(6, 20))
    expect(body.secrets.map(({ expires_at }) => expires_at === null)).toEqual([true, false])
    const expiresAt = Date.parse(body.secrets[1]!.expires_at!)
    expect(expiresAt).toBeGreaterThanOrEqual(askedAt + DAY_MS)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + DAY_MS)
  })

  test("an account that never requested a secret gets signed events, and can read its secret once", async () => {
    const account = await newAccount()
    await submit(account, "/lazy")
    const got = await receiver.request("/lazy")
    expect(openEvent(await secretOf(account), got).type).toBe("job.completed")
    expect((await call("POST", "/webhooks/secret", { headers: account.headers })).status).toBe(409)
  })
})

describe("a receiver that fails", () => {
  test("gets the same event again, with a new timestamp and signature", async () => {
    const account = await newAccount()
    const secret = await secretOf(account)
    await submit(account, "/once-down")
    const first = await receiver.request("/once-down")
    expect(await settled(account, "/once-down", "pending")).toMatchObject({ next_attempt_at: expect.any(String) })
    const second = await receiver.request("/once-down", 2)
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"])
    expect(second.body).toBe(first.body)
    expect(Number(second.headers["webhook-timestamp"])).toBeGreaterThan(Number(first.headers["webhook-timestamp"]))
    for (const one of [first, second]) expect(openEvent(secret, one).type).toBe("job.completed")
    const { attempts } = await settled(account, "/once-down", "delivered")
    expect(attempts.map(({ outcome, http_status }) => [outcome, http_status])).toEqual([
      ["refused", 500],
      ["delivered", 200],
    ])
    const { body, text } = await call("GET", "/webhooks/stats", { headers: account.headers })
    expect(body).toMatchObject({
      attempts_24h: { refused: 1, delivered: 1 },
      success_rate_24h: 0.5,
      endpoints: [{ url: `${receiver.url}/once-down`, state: "active", last_outcome: "delivered" }],
    })
    expect(text).not.toContain("a secret of the receiver")
  })

  test("with a redirect is not followed", async () => {
    const account = await newAccount()
    await submit(account, "/moved")
    const { attempts } = await settled(account, "/moved", "pending", 1)
    expect(attempts.at(-1)).toMatchObject({ outcome: "redirected", http_status: 307 })
    expect(receiver.at("/elsewhere")).toEqual([])
  })

  test("with 410 gets no further events until its owner sends one again", async () => {
    const account = await newAccount()
    await submit(account, "/gone")
    const { event_id, attempts } = await settled(account, "/gone", "disabled")
    expect(attempts).toMatchObject([{ outcome: "gone", http_status: 410 }])
    const job = await submit(account, "/gone")
    await waitForJobEnd(job, account.headers)
    const stats = async () => (await call("GET", "/webhooks/stats", { headers: account.headers })).body
    await expect.poll(stats).toMatchObject({ endpoints: [{ state: "disabled", events: { disabled: 2 } }] })
    expect(receiver.at("/gone")).toHaveLength(1)

    const at = `/webhooks/deliveries/${event_id}/redrive`
    const path = "/webhooks/deliveries/{event_id}/redrive"
    const stranger = await newAccount()
    expect((await call("POST", path, { at, headers: stranger.headers })).status).toBe(404)
    expect((await call("POST", path, { at, headers: account.headers })).status).toBe(200)
    await receiver.request("/gone", 2)
    const again = await settled(account, "/gone", "disabled")
    expect(again.event_id).not.toBe(event_id)
    const page = await deliveries(account, "?limit=1")
    expect(page.next_cursor).not.toBeNull()
    const rest = await deliveries(account, `?limit=1&cursor=${page.next_cursor}`)
    expect(rest).toMatchObject({ next_cursor: null, deliveries: [{ event_id, state: "delivered" }] })
    expect((await deliveries(account, "?state=delivered")).deliveries).toHaveLength(1)
  })
})

describe("a receiver that is not public is refused before anything else is done", () => {
  test.each([
    "http://2130706433/",
    "https://[::ffff:7f00:1]/",
    "https://localhost./",
    "https://user@example.com/",
    "https://example.com:22/",
    "https://127.0.0.1:1/",
    "ftp://example.com/",
    "https://facts.test/leads-to-a-private-address",
  ])("%s", async (url) => {
    const { headers } = await newAccount()
    const init = postJson({ emails: ["alice@mailbox.test"], webhook_url: url })
    const all = { ...headers, "content-type": "application/json" }
    const answer = await call("POST", "/validate/bulk/async", { ...init, headers: all })
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "webhook_url"] }] } })
    expect((await call("GET", "/bulk/jobs", { headers })).body).toEqual({ jobs: [], next_cursor: null })
  })
})

test("the operator sees the receivers of all accounts, an anonymous caller none", async () => {
  const headers = { "x-admin-secret": inject("adminSecret") }
  const { body } = await call<{ endpoints: unknown[] }>("GET", "/webhooks/stats", { headers })
  expect(body.endpoints.length).toBeGreaterThan(1)
  expect((await call("GET", "/webhooks/stats")).status).toBe(401)
})
