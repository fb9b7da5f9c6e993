import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Status } from "../../schema/vocabulary.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { type Counts, sum } from "../support/stack/customer.ts"
import { ENDPOINT_LIST, FURTHER_ENDPOINTS } from "../support/stack/endpoint-list.ts"
import { type LocalFleet, type LocalNode, startLocalFleet } from "../support/stack/local-fleet.ts"
import { countOf, Operator, positive } from "../support/stack/operator.ts"

const WAIT = { timeout: 20_000, interval: 500 }
const LOCAL_IPS = ["127.0.0.1", "127.0.0.2"]
const EMAIL = "heavy-user@inbox.test"
const SUSPENDED = { detail: "this account is suspended; contact the operator of this service" }
const today = () => new Date().toISOString().slice(0, 10)

let fleet: LocalFleet
let operator: Operator
let node: LocalNode
const account = { id: "", keyId: "", credits: 0 }
let reverifyJob = ""

beforeAll(async () => {
  // An empty value starts the node of `npm start`, local-1.
  fleet = await startLocalFleet({ PROBE_NODES: "" })
  operator = new Operator(fleet)
})
afterAll(() => fleet.stop())

const addresses = (count: number, domain: string, name: string) =>
  Array.from({ length: count }, (_, n) => `${name}${n}@${domain}`)

/** Signs the customer in by the mailed link, and joins its key. */
async function confirmMailbox(): Promise<string> {
  await operator.as("nobody", "POST", "/auth/request", { body: { email: EMAIL } })
  const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(EMAIL)}`, fleet.stack.sandbox!.dohUrl)
  const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
  const token = /#\/sign-in\/([\w-]+)/.exec(messages.at(-1)?.raw ?? "")?.[1]
  const { body } = await operator.as<{ account_id: string }>("customer", "POST", "/auth/verify", { body: { token } })
  return body.account_id
}

interface User {
  readonly account_id: string
  readonly status: string
  readonly credits_used: number
}
const search = async (query: string) =>
  (await operator.read<{ users: User[] }>("/admin/users", `/admin/users?${query}`)).users

/** Each step continues where the one before it ended. */
describe("an operator", () => {
  it("adds a node: once it is healthy it gets signed probes, and every view of the fleet has it", async () => {
    await operator.expectFleet({ "local-1": "healthy" })
    type Token = { token: string; command: string; expires_at: string; shared: boolean }
    const { token, command, expires_at, shared } = await operator.call<Token>("POST", "/fleet/tokens")
    expect(shared).toBe(true)
    expect(command).toContain(`enrol --edge ${fleet.stack.url} --token ${token}`)
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000)).toBeLessThan(10_000)
    node = await fleet.startNode({ id: "north-1", sourceIp: "127.0.0.3", region: "north" })
    await operator.expectFleet({ "local-1": "healthy", "north-1": "healthy" })

    expect((await fetch(`${node.url}/v1/probe`, { method: "POST", body: "{}" })).status).toBe(401)
    expect(await node.requests()).toBe(0)
    for (let round = 0; round < 20 && (await node.requests()) === 0; round++)
      expect(await operator.verify(addresses(5, `d17${10 + round}.test`, "user"))).toEqual({ valid: 5 })
    expect(await node.requests()).toBeGreaterThan(0)
  }, 60_000)

  it("drains the node: the others take its probes until it is resumed", async () => {
    type Drained = { draining_since: string; nodes_left: number; note: string }
    const path = "/fleet/nodes/{node_id}/drain"
    const drained = await operator.call<Drained>("POST", path, "/fleet/nodes/north-1/drain")
    expect(drained).toMatchObject({ id: "north-1", nodes_left: 1, note: "1 node is left." })
    await operator.expectFleet({ "local-1": "healthy", "north-1": "draining" })
    const route = await operator.read("/regions/route", "/regions/route?domain=mailbox.test")
    const why = "draining: gets no new probes until it is resumed"
    expect(route).toMatchObject({ chosen: "local-1", passed_over: [{ node_id: "north-1", why }] })
    const before = await node.requests()
    const clients = await operator.clientsDuring("mx.mailbox.test", async () => {
      expect(await operator.verify(["alice@mailbox.test", "nobody@mailbox.test"])).toEqual({ valid: 1, invalid: 1 })
    })
    expect(LOCAL_IPS).toEqual(expect.arrayContaining(clients))
    expect(await node.requests()).toBe(before)
    const resumed = await operator.call("POST", "/fleet/nodes/{node_id}/resume", "/fleet/nodes/north-1/resume")
    expect(resumed).toEqual({ id: "north-1", status: "resumed", state: "healthy" })
    await operator.expectFleet({ "local-1": "healthy", "north-1": "healthy" })
  }, 60_000)

  it("sees the source IP that a mail host blocks, and no probe of it is lost", async () => {
    interface Route {
      readonly candidates: { node_id: string; source_ips: string[]; held_source_ips: { ip: string; why: string }[] }[]
    }
    const route = () => operator.read<Route>("/regions/route", "/regions/route?domain=one-ip.test")
    const held = async () => (await route()).candidates.flatMap((one) => one.held_source_ips)
    for (let round = 0; round < 60 && (await held()).length === 0; round++)
      expect(await operator.verify(addresses(5, "one-ip.test", `before${round}-`))).toEqual({ invalid: 5 })
    expect(await held()).toEqual([{ ip: "127.0.0.1", why: "blocked by the operator" }])
    const clients = await operator.clientsDuring("mx.one-ip.test", async () => {
      for (let round = 0; round < 10; round++)
        expect(await operator.verify(addresses(5, "one-ip.test", `since${round}-`))).toEqual({ invalid: 5 })
    })
    expect(["127.0.0.2", "127.0.0.3"]).toEqual(expect.arrayContaining(clients))
    expect((await route()).candidates.flatMap((one) => one.source_ips).toSorted()).toEqual(["127.0.0.2", "127.0.0.3"])
  }, 60_000)

  it("finds a customer by any part of its names, with the numbers that the customer sees", async () => {
    const body = { name: "imports", owner_email: EMAIL }
    const made = await operator.as<{ key_id: string; api_key: string }>("nobody", "POST", "/keys", { body })
    operator.customer = { "x-api-key": made.body.api_key }
    account.keyId = made.body.key_id
    const sent = await operator.verify([...addresses(8, "d1750.test", "no-"), "user1@d1750.test"], "customer")
    expect(sent).toEqual({ invalid: 8, valid: 1 })
    expect(await operator.verify(["alice@tempfail.test"], "customer")).toEqual({ unknown: 1 })
    account.credits = 9
    account.id = await confirmMailbox()
    const bounce = { email: "user1@d1750.test", bounce_type: "hard_bounce" }
    await operator.as("customer", "POST", "/bounce", { body: bounce })

    const [credits_used, email] = [account.credits, EMAIL]
    const expected = { account_id: account.id, email, status: "active", active_keys: 1, credits_used, plan: "free" }
    for (const text of ["HEAVY-user", account.keyId, account.id, "inbox.test"])
      expect(await search(`search=${text}`)).toMatchObject([expected])
    const keys = [{ key_id: account.keyId, name: "imports", credits_this_month: credits_used, tier: "free" }]
    for (const name of [account.id, encodeURIComponent(EMAIL)])
      expect(await operator.read("/admin/users/{account}", `/admin/users/${name}`)).toMatchObject({ ...expected, keys })
    const usage = await operator.as("customer", "GET", "/usage")
    expect(usage.body).toMatchObject({ credits_used, credits_limit: 100, credits_remaining: 100 - credits_used })
    const billed = await operator.read("/billing/usage/{customer_id}", `/billing/usage/${account.id}`)
    expect(billed).toMatchObject({ customer_id: account.id, credits_used, bought_credits_left: 0 })
  })

  it("suspends the account: its key is refused at once, and works again after the resume", async () => {
    const change = (verb: "suspend" | "resume") =>
      operator.call<User & { suspended_at: string | null }>(
        "POST",
        `/admin/users/{account}/${verb}`,
        `/admin/users/${account.id}/${verb}`,
      )
    const suspended = await change("suspend")
    expect(suspended).toMatchObject({ account_id: account.id, status: "suspended", credits_used: account.credits })
    for (const path of ["/usage", "/validate"])
      expect(await operator.as("customer", "GET", path, { at: `${path}?email=user1@d1750.test` })).toEqual({
        ...{ status: 403, body: SUSPENDED },
      })
    expect(await search("suspended=true")).toMatchObject([{ account_id: account.id, status: "suspended" }])
    expect(await change("resume")).toMatchObject({ status: "active", suspended_at: null })
    expect(await search("suspended=true")).toEqual([])
    expect((await operator.as("customer", "GET", "/usage")).status).toBe(200)
  })

  it("verifies expired results again, and reads the job", async () => {
    const start = (query = "") =>
      operator.call<{ status: string; job_id: string; queued: number }>(
        "POST",
        "/admin/reverify",
        `/admin/reverify${query}`,
      )
    expect(await start()).toEqual({ status: "nothing_to_do", job_id: null, queued: 0 })
    const database = openDatabase({ url: fleet.stack.databaseUrl, authToken: fleet.stack.secrets.libsqlToken })
    await database.run(sql`UPDATE results SET expires_at = 1 WHERE domain = 'mailbox.test'`)
    const { job_id, ...started } = await start("?status=valid")
    expect(started).toEqual({ status: "queued", queued: 1 })
    reverifyJob = job_id
    type Job = { status: string; results: { checks: { email: string; status: Status } }[] }
    const job = () => operator.read<Job>("/admin/jobs/{job_id}", `/admin/jobs/${job_id}`)
    await vi.waitFor(async () => expect((await job()).status).toBe("complete"), WAIT)
    expect(await job()).toMatchObject({ total: 1, progress: 1, summary: { valid: 1 }, cached: 0, pending: 0 })
    expect((await job()).results).toMatchObject([{ checks: { email: "alice@mailbox.test", status: "valid" } }])
    operator.statuses.push("valid")
  }, 40_000)

  it("sees the same numbers in every statistic", async () => {
    const counts = countOf(operator.statuses)
    const verifications = operator.statuses.length
    await vi.waitFor(async () => expect(await operator.read("/stats")).toMatchObject({ verifications }), WAIT)
    const stats = await operator.read<{ by_status: Counts }>("/stats")
    expect(stats).toMatchObject({ scope: "service", daily: [{ date: today(), verifications }] })
    expect(positive(stats.by_status)).toEqual(counts)
    for (const [status, count] of Object.entries(counts))
      expect(await operator.metric(`mailverdict_results_total{status="${status}"}`)).toBe(count)
  })
})
