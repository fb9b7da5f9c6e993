import { EventEmitter, once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"
import { type StubServer, startStub } from "../support/providers/stub-server.ts"

/** A deployment without probe nodes, whose resolver answers nothing: only test mode can answer here. */
let stack: Stack
let resolver: StubServer
let receiver: StubServer
const arrivals = new EventEmitter()
const arrived = new Set<string>()
/** Waits for a webhook: the path and the type of its event. */
const received = async (what: string) => {
  if (!arrived.has(what)) await once(arrivals, what)
}
const folder = mkdtempSync(join(tmpdir(), "mailverdict-test-mode-"))

beforeAll(async () => {
  resolver = await startStub(() => ({ status: 503 }))
  receiver = await startStub(({ path, body }) => {
    const what = `${path} ${JSON.parse(body).type}`
    arrived.add(what)
    arrivals.emit(what)
    return { status: 204 }
  })
  const settings = {
    PROBE_NODES: "[]",
    DOH_URL: `${resolver.url}/dns-query`,
    WEBHOOK_ALLOW_HTTP: "1",
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    ANONYMOUS_PER_MONTH: "0",
    BULK_RETRY_SECONDS: "1,1",
    CRON_MINUTE_MS: "500",
  }
  stack = await startStack({
    ...{ port: 0, dataDir: folder, sandbox: false, build: false, settings },
    ...{ onLog: () => undefined, onStep: () => undefined },
  })
})
afterAll(async () => {
  await stack.stop()
  await resolver.stop()
  await receiver.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The fields of any answer that these tests read. */
interface Body {
  readonly api_key: string
  readonly credits_used: number
  readonly status: string
  readonly sub_status: string | null
  readonly checks: Readonly<Record<string, unknown>>
  readonly deliverability_score: { readonly can_send: boolean; readonly primary_risk: string | null }
  readonly results: readonly { readonly status: string }[]
  readonly job_id: string
  readonly summary: object
  readonly jobs: readonly object[]
  readonly endpoints: readonly object[]
}

interface Answer {
  readonly status: number
  readonly body: Body
}

async function call(secret: string | null, path: string, init: RequestInit = {}): Promise<Answer> {
  const own = { "content-type": "application/json", ...(secret ? { authorization: `Bearer ${secret}` } : {}) }
  const response = await fetch(`${stack.url}${path}`, { ...init, headers: { ...own, ...init.headers } })
  return { status: response.status, body: (await response.json()) as Body }
}
const post = (secret: string | null, path: string, body: object, headers: Record<string, string> = {}) =>
  call(secret, path, { method: "POST", body: JSON.stringify(body), headers })

let names = 0
/** A live key of a new account, and a test key of the same account. */
async function newKeys() {
  const owner_email = `owner${names++}@shop.test`
  const asAdmin = { "x-admin-secret": stack.secrets.adminSecret }
  const live = (await post(null, "/keys", { name: "live", owner_email }, asAdmin)).body.api_key as string
  const made = await post(live, "/keys", { name: "ci", owner_email, kind: "test" })
  expect(made.body.api_key).toMatch(/^mv_test_/)
  return { live, test: made.body.api_key as string }
}

const query = (email: string) => `email=${encodeURIComponent(email)}`
const used = async (secret: string) => (await call(secret, "/usage")).body.credits_used

test("every address of the sandbox has its verdict without a node, and no name leaves the Worker", async () => {
  const { live, test } = await newKeys()
  const found = new Map<string, unknown>()
  for (const { address } of SANDBOX_ADDRESSES) {
    const { body } = await call(test, `/validate?${query(address)}`)
    const { status, smtp_status, smtp_response_code, is_catch_all } = body.checks
    const { sub_status } = body
    found.set(address, { status, sub_status, smtp_status, smtp_response_code, is_catch_all })
  }
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(SANDBOX_ADDRESSES.map(({ address, expect: wanted }) => [address, wanted])),
  )
  expect(resolver.calls).toEqual([])
  expect([await used(test), await used(live)]).toEqual([0, 0])
})

test("is free for a live key and without a key, and in a mixed list only for its addresses", async () => {
  const { live } = await newKeys()
  expect((await call(null, `/validate?${query("bob@mailbox.test")}`)).body.status).toBe("valid")
  expect((await call(live, `/validate?${query("carol@mailbox.test")}`)).body.status).toBe("valid")
  const emails = ["dave@mailbox.test", "someone@real.example", "not an address"]
  const { body } = await post(live, "/validate/bulk", { emails })
  expect(body.results.map(({ status }) => status)).toEqual(["valid", "unknown", "invalid_syntax"])
  expect(await used(live)).toBe(0)
})

test("a list runs through its passes, free, and sends its webhooks", async () => {
  const { live, test } = await newKeys()
  const made = await post(test, "/webhooks/endpoints", { url: `${receiver.url}/events`, events: ["job.completed"] })
  expect(made.status).toBe(200)
  const emails = ["alice@mailbox.test", "nobody@mailbox.test", "anyone@catch-all.test", "alice@greylist.test"]
  const { body } = await post(test, "/validate/bulk/async", { emails, webhook_url: `${receiver.url}/job` })
  // The list is partial while the greylisted address waits.
  for (const event of ["/job job.partial", "/job job.completed", "/events job.completed"]) await received(event)

  const job = (await call(test, `/jobs/${body.job_id}`)).body
  expect(job).toMatchObject({ status: "complete", credits_used: 0, sendable: 2 })
  expect(job.summary).toEqual({ valid: 2, invalid: 1, accept_all: 1, unknown: 0, invalid_syntax: 0 })
  expect(await used(test)).toBe(0)
  // What a test key does is apart from the account's own data.
  expect((await call(live, `/jobs/${body.job_id}`)).status).toBe(404)
  expect((await call(live, "/bulk/jobs")).body.jobs).toEqual([])
  expect((await call(live, "/webhooks/endpoints")).body.endpoints).toEqual([])
})

test("the blocklists of the sandbox answer without a node", async () => {
  const { test } = await newKeys()
  const { body } = await call(test, `/validate?${query("alice@listed.test")}`)
  expect(body.deliverability_score.primary_risk).toBe("blocklisted:rbl.test")
})

test("lists of test addresses are bounded by the hour", async () => {
  const { test } = await newKeys()
  const emails = Array.from({ length: 5_000 }, (_, n) => `user${n}@d1911.test`)
  const statuses: number[] = []
  for (let list = 0; list < 3; list++)
    statuses.push((await post(test, "/validate/bulk/turbo", { emails: emails.map((one) => `${list}${one}`) })).status)
  expect(statuses).toEqual([200, 200, 429])
})

test("the finder finds a person's address, free", async () => {
  const { test } = await newKeys()
  const person = { first_name: "Alice", last_name: "Johnson", domain: "company.test" }
  const { body } = await post(test, "/find-email", person)
  expect(body).toMatchObject({ best_email: "alice.johnson@company.test", outcome: "verified" })
  expect(await used(test)).toBe(0)
})

describe("a test key is refused", () => {
  const person = { first_name: "Ann", last_name: "Lee", domain: "real.example" }
  const emails = ["alice@mailbox.test", "someone@real.example"]
  test.each([
    ["a verification", "GET", `/validate?${query("someone@real.example")}`, null],
    ["the fast answer", "GET", `/validate/fast?${query("someone@real.example")}`, null],
    ["the quick answer", "GET", `/validate/quick?${query("someone@real.example")}`, null],
    ["a verification in the background", "GET", `/verify/quick?${query("someone@real.example")}`, null],
    ["a short list", "POST", "/validate/bulk", { emails }],
    ["a fast list", "POST", "/validate/bulk/turbo", { emails }],
    ["a list", "POST", "/validate/bulk/async", { emails }],
    ["a search for a person", "POST", "/find-email", person],
  ])("%s outside .test", async (_, method, path, body) => {
    const { test } = await newKeys()
    const answer = await call(test, path, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
    expect(answer).toMatchObject({
      status: 403,
      body: { code: "outside_test_mode", detail: expect.stringMatching(/^a test key .* under \.test/) },
    })
    expect((await call(test, "/bulk/jobs")).body.jobs).toEqual([])
  })

  test.each([
    ["a key of its account", "POST", "/keys", { name: "more", owner_email: "owner@shop.test" }],
    ["the end of its account", "DELETE", "/me", { confirm: "owner@shop.test" }],
  ])("%s", async (_, method, path, body) => {
    const { test } = await newKeys()
    expect((await call(test, path, { method, body: JSON.stringify(body) })).status).toBe(403)
  })
})

test("the suppressions of the account and those of its test keys are apart", async () => {
  const { live, test } = await newKeys()
  const canSend = async (secret: string) =>
    (await call(secret, `/validate?${query("erin@mailbox.test")}`)).body.deliverability_score.can_send
  expect((await post(live, "/suppression/add", { email: "erin@mailbox.test", reason: "manual" })).status).toBe(200)
  expect([await canSend(live), await canSend(test)]).toEqual([false, true])
})
