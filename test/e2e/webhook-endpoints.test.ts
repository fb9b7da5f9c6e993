import { Webhook } from "svix"
import { describe, expect, inject, test } from "vitest"
import type { Received } from "../support/providers/hook-receiver.ts"
import { call, postJson } from "../support/stack/api.ts"
import { type Account, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

interface Endpoint {
  readonly endpoint_id: string
  readonly url: string
  readonly state: string
}

interface Delivery {
  readonly event_id: string
  readonly endpoint_id: string | null
  readonly type: string
  readonly state: string
  readonly payload: unknown
  readonly attempts: readonly { readonly outcome: string; readonly http_status: number | null }[]
}

const ALL = "/webhooks/endpoints"
const ONE = "/webhooks/endpoints/{endpoint_id}"
const hook = (end = "") => `${inject("providerUrls").hooks}/${crypto.randomUUID()}${end}`
const sent = async (url: string) => (await (await fetch(url)).json()) as Received[]
const typesAt = async (url: string) => (await sent(url)).map(({ body }) => JSON.parse(body).type as string)
const send = ({ headers }: Account, method: string, body: unknown) => ({
  ...postJson(body),
  method,
  headers: { ...headers, "content-type": "application/json" },
})
const add = (account: Account, body: unknown) => call<Endpoint>("POST", ALL, send(account, "POST", body))
const added = async (account: Account, url: string, events: readonly string[]) => {
  const { status, body } = await add(account, { url, events })
  expect(status).toBe(200)
  return body
}
const change = (account: Account, id: string, body: unknown) =>
  call<Endpoint>("PATCH", ONE, { at: `${ALL}/${id}`, ...send(account, "PATCH", body) })
const list = async ({ headers }: Account) =>
  (await call<{ endpoints: Endpoint[]; max_endpoints: number }>("GET", ALL, { headers })).body
const testOf = ({ headers }: Account, id: string) =>
  call<{ event_id: string }>("POST", `${ONE}/test`, { at: `${ALL}/${id}/test`, headers })
const deliveries = async ({ headers }: Account, query: string) => {
  const at = `/webhooks/deliveries?${query}`
  return (await call<{ deliveries: Delivery[] }>("GET", "/webhooks/deliveries", { at, headers })).body.deliveries
}
const verifyList = async (account: Account, more: object = {}) => {
  const body = { emails: ["alice@mailbox.test"], ...more }
  const job = await call<{ job_id: string }>("POST", "/validate/bulk/async", send(account, "POST", body))
  await waitForJobEnd(job.body.job_id, account.headers)
  return job.body.job_id
}

describe("an endpoint", () => {
  test("is added, listed, changed and removed", async () => {
    const account = await newAccount()
    const url = hook()
    const made = await add(account, { url, events: ["job.completed", "job.completed"], description: " CRM " })
    expect(made).toMatchObject({
      status: 200,
      body: {
        ...{ endpoint_id: expect.stringMatching(/^whe_[0-9a-f]{24}$/), url, events: ["job.completed"] },
        ...{ description: "CRM", state: "active", paused_at: null, failing_since: null, disabled_at: null },
        ...{ last_attempt_at: null, last_outcome: null, last_http_status: null },
      },
    })
    const id = made.body.endpoint_id
    expect(await list(account)).toEqual({ endpoints: [made.body], max_endpoints: 10 })
    const paused = await change(account, id, { paused: true, events: ["usage.threshold"], description: "" })
    expect(paused.body).toMatchObject({ state: "paused", events: ["usage.threshold"], description: "" })
    const resumed = await change(account, id, { paused: false })
    expect(resumed.body).toMatchObject({ state: "active", paused_at: null, events: ["usage.threshold"] })
    const gone = { at: `${ALL}/${id}`, headers: account.headers }
    expect((await call("DELETE", ONE, gone)).body).toEqual({ endpoint_id: id, deleted: true })
    expect((await call("DELETE", ONE, gone)).status).toBe(404)
    expect((await change(account, id, { paused: true })).status).toBe(404)
    expect((await testOf(account, id)).status).toBe(404)
    expect((await list(account)).endpoints).toEqual([])
  })

  test.each([
    [{ url: "http://127.0.0.1:1/", events: ["job.failed"] }, ["body", "url"]],
    [{ url: "https://facts.test/leads-to-a-private-address", events: ["job.failed"] }, ["body", "url"]],
    [{ url: "", events: ["job.failed"] }, ["body", "url"]],
    [{ url: "https://hooks.example.org/", events: [] }, ["body", "events"]],
    [{ url: "https://hooks.example.org/", events: ["webhook.test"] }, ["body", "events", 0]],
    [{ url: "https://hooks.example.org/", events: ["reverify.completed"] }, ["body", "events", 0]],
    [
      { url: "https://hooks.example.org/", events: ["job.failed"], description: "x".repeat(201) },
      ["body", "description"],
    ],
  ])("is refused: %j", async (body, loc) => {
    const account = await newAccount()
    expect(await add(account, body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
    expect((await list(account)).endpoints).toEqual([])
  })

  test("is the eleventh of an account, or the second with its URL: 409", async () => {
    const account = await newAccount("pro")
    const url = hook()
    const attempts = await Promise.all(
      Array.from({ length: 12 }, (_, n) => add(account, { url: `${url}/${n}`, events: ["job.failed"] })),
    )
    expect(attempts.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 409, 409])
    const [first] = (await list(account)).endpoints
    await call("DELETE", ONE, { at: `${ALL}/${first!.endpoint_id}`, headers: account.headers })
    const [second] = (await list(account)).endpoints
    const taken = await add(account, { url: second!.url, events: ["job.failed"] })
    expect(taken).toMatchObject({ status: 409, body: { code: "conflict" } })
    expect((await list(account)).endpoints).toHaveLength(9)
  })
})

describe("an event of the account", () => {
  test("goes to each endpoint that wants it and is not paused, and once to the list's URL", async () => {
    const account = await newAccount("pro")
    const [both, other, idle, paused, ofList] = [hook(), hook(), hook(), hook(), hook()]
    const ids = [
      await added(account, both, ["job.completed"]),
      await added(account, other, ["job.completed", "job.failed"]),
      await added(account, idle, ["verification.completed"]),
      await added(account, paused, ["job.completed"]),
    ].map(({ endpoint_id }) => endpoint_id)
    await change(account, ids[3]!, { paused: true })
    await verifyList(account, { webhook_url: both })
    await verifyList(account, { webhook_url: ofList })
    const job = await verifyList(account)
    await expect.poll(() => typesAt(other)).toEqual(Array(3).fill("job.completed"))
    await expect.poll(() => typesAt(both)).toEqual(Array(3).fill("job.completed"))
    expect(await typesAt(ofList)).toEqual(["job.completed"])
    const own = await deliveries(account, `endpoint_id=${ids[1]}`)
    expect(own).toHaveLength(3)
    expect(own[0]).toMatchObject({
      ...{ endpoint_id: ids[1], type: "job.completed", state: "delivered" },
      ...{ payload: { type: "job.completed", data: { job_id: job, total: 1 } } },
    })
    expect(await deliveries(account, "limit=100")).toHaveLength(7)
    // Events of the pause are not sent later: after it, only an event of a new list is.
    await change(account, ids[3]!, { paused: false })
    const next = await verifyList(account)
    await expect
      .poll(() => sent(paused).then((all) => all.map(({ body }) => JSON.parse(body).data)))
      .toMatchObject([{ job_id: next }])
    expect(await deliveries(account, `endpoint_id=${ids[3]}`)).toHaveLength(1)
    expect([await deliveries(account, `endpoint_id=${ids[2]}`), await sent(idle)]).toEqual([[], []])
  })

  test("is sent for a verification in the background, and not for one that was answered at once", async () => {
    const account = await newAccount()
    const url = hook()
    await added(account, url, ["verification.completed"])
    const [email, other] = ["a", "b"].map((name) => `user${name}${Date.now()}@d0421.test`)
    const quick = async (address = email) => {
      const at = `/verify/quick?email=${address}`
      return (await call("GET", "/verify/quick", { at, headers: account.headers })).body
    }
    await quick()
    const verified = async () => (await sent(url)).map(({ body }) => JSON.parse(body).data)
    await expect.poll(verified).toMatchObject([{ email, state: "complete" }])
    expect(await quick()).toMatchObject({ state: "complete", cached: true })
    await quick(other)
    await expect.poll(verified).toMatchObject([{ email }, { email: other }])
    expect(await deliveries(account, "limit=100")).toHaveLength(2)
  })

  test("is sent about used credits to an account without a mailbox", async () => {
    const account = await newAccount("free")
    const url = hook()
    await added(account, url, ["usage.threshold"])
    const emails = Array.from({ length: 80 }, (_, n) => `user${n}@d0422.test`)
    await call("POST", "/validate/bulk", send(account, "POST", { emails }))
    await expect.poll(() => typesAt(url)).toEqual(["usage.threshold"])
    expect(JSON.parse((await sent(url))[0]!.body).data).toMatchObject({ percent: 80, credits_limit: 100 })
  })
})

describe("a polled endpoint", () => {
  test("has its events in the log at once, also after a redelivery", async () => {
    const account = await newAccount()
    const { endpoint_id } = await added(account, "poll:laptop", ["job.completed"])
    const job = await verifyList(account)
    const log = () => deliveries(account, `endpoint_id=${endpoint_id}&state=delivered`)
    await expect.poll(log).toMatchObject([
      {
        payload: { type: "job.completed", data: { job_id: job } },
        attempts: [{ outcome: "delivered", http_status: null }],
      },
    ])
    const [{ event_id }] = (await log()) as [Delivery]
    const again = { at: `/webhooks/deliveries/${event_id}/redrive`, headers: account.headers }
    expect((await call("POST", "/webhooks/deliveries/{event_id}/redrive", again)).status).toBe(200)
    await expect.poll(async () => (await log())[0]?.attempts.length).toBe(2)
    expect((await list(account)).endpoints).toMatchObject([{ state: "active", last_outcome: "delivered" }])
    expect((await add(account, { url: "poll:two words", events: ["job.failed"] })).status).toBe(422)
  })
})

describe("a test event", () => {
  test("is signed, delivered like any event, and shown with its outcome", async () => {
    const account = await newAccount()
    const url = hook()
    const { endpoint_id } = await added(account, url, ["job.failed"])
    await change(account, endpoint_id, { paused: true })
    const { headers } = account
    const { secret } = (await call<{ secret: string }>("POST", "/webhooks/secret", { headers })).body
    const { event_id } = (await testOf(account, endpoint_id)).body
    await expect.poll(() => typesAt(url)).toEqual(["webhook.test"])
    const [got] = await sent(url)
    expect(got!.headers["webhook-id"]).toBe(event_id)
    new Webhook(secret).verify(got!.body, got!.headers)
    expect(JSON.parse(got!.body)).toMatchObject({ type: "webhook.test", data: { endpoint_id } })
    await expect
      .poll(() => deliveries(account, `event_id=${event_id}`))
      .toMatchObject([{ endpoint_id, state: "delivered", attempts: [{ outcome: "delivered", http_status: 204 }] }])
    expect((await list(account)).endpoints).toMatchObject([
      { state: "paused", last_outcome: "delivered", last_http_status: 204 },
    ])
  })

  test("that fails marks the endpoint; its removal ends the retries", async () => {
    const account = await newAccount()
    const { endpoint_id } = await added(account, hook("/500"), ["job.failed"])
    await testOf(account, endpoint_id)
    const state = async () => (await list(account)).endpoints[0]!
    await expect.poll(state).toMatchObject({ state: "failing", last_outcome: "refused", last_http_status: 500 })
    await call("DELETE", ONE, { at: `${ALL}/${endpoint_id}`, headers: account.headers })
    expect(await deliveries(account, "limit=5")).toMatchObject([{ endpoint_id, state: "disabled" }])
    expect(await deliveries(account, "state=pending")).toEqual([])
  })

  test("enables an endpoint that answered 410, as resuming does", async () => {
    const account = await newAccount()
    const url = hook("/410")
    const { endpoint_id } = await added(account, url, ["job.completed"])
    const state = async () => (await list(account)).endpoints[0]!.state
    await testOf(account, endpoint_id)
    await expect.poll(state).toBe("disabled")
    await verifyList(account)
    const states = async () => (await deliveries(account, "limit=100")).map((one) => [one.type, one.state])
    await expect.poll(states).toContainEqual(["job.completed", "disabled"])
    await testOf(account, endpoint_id)
    await expect.poll(() => typesAt(url)).toEqual(["webhook.test", "webhook.test"])
    await expect.poll(state).toBe("disabled")
    expect((await change(account, endpoint_id, { paused: false })).body.state).toBe("active")
  })
})
