import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Status } from "../../schema/vocabulary.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { startDirectories } from "../support/providers/directory-servers.ts"
import { type Counts, sum } from "../support/stack/customer.ts"
import { ENDPOINT_LIST, FURTHER_ENDPOINTS } from "../support/stack/endpoint-list.ts"
import { type LocalFleet, type LocalNode, startLocalFleet } from "../support/stack/local-fleet.ts"
import { addresses, countOf, Operator, positive, WAIT } from "../support/stack/operator.ts"
import { eventually } from "../support/time/until.ts"

const LOCAL_IPS = ["127.0.0.1", "127.0.0.2"]
const EMAIL = "heavy-user@inbox.test"
const SUSPENDED = { detail: "this account is suspended; contact the operator of this service" }
/** Results that the operator verified again: no caller asked for them, so the statistics of answers lack them. */
const REVERIFIED = 1
type Answers = { answers: { accepted: number; refused: number }[] }
const today = () => new Date().toISOString().slice(0, 10)

let directories: Awaited<ReturnType<typeof startDirectories>>
let fleet: LocalFleet
let operator: Operator
let node: LocalNode
const account = { id: "", keyId: "", credits: 0 }
let reverifyJob = ""

beforeAll(async () => {
  directories = await startDirectories()
  // An empty value starts the node of `npm start`, local-1.
  fleet = await startLocalFleet({ PROBE_NODES: "", ...directories.settings, DIRECTORY_SHARE: "existence" })
  operator = new Operator(fleet)
})
afterAll(() => Promise.all([fleet.stop(), directories.stop()]))

/** Each step continues where the one before it ended. */
describe("an operator", () => {
  it("adds a node: once it is healthy it gets signed probes, and every view of the fleet has it", async () => {
    await operator.expectFleet({ "local-1": "healthy" })
    type Token = { token: string; command: string; expires_at: string; shared: boolean }
    const askedAt = Date.now()
    const { token, command, expires_at, shared } = await operator.call<Token>("POST", "/fleet/tokens")
    expect(command).toContain(`enrol --edge ${fleet.stack.url} --token-file - `)
    const from = Date.parse(expires_at) - 3_600_000
    expect([command.includes(token), shared, askedAt <= from, from <= Date.now()]).toEqual([false, true, true, true])
    node = await fleet.startNode({ id: "north-1", sourceIp: "127.0.0.3", region: "north" })
    await operator.expectFleet({ "local-1": "healthy", "north-1": "healthy" })

    expect((await fetch(`${node.url}/v1/probe`, { method: "POST", body: "{}" })).status).toBe(401)
    expect(await node.requests()).toBe(0)
    for (let round = 0; round < 20 && (await node.requests()) === 0; round++)
      expect(await operator.verify(addresses(5, `d17${10 + round}.test`, "user"))).toEqual({ valid: 5 })
    expect(await node.requests()).toBeGreaterThan(0)
  })

  it("drains the node: the others take its probes until it is resumed", async () => {
    type Drained = { draining_since: string; nodes_left: number; note: string }
    const drained = await operator.call<Drained>("POST", "/fleet/nodes/{node_id}/drain", "/fleet/nodes/north-1/drain")
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
  })

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
  })

  it("finds a customer by any part of its names, with the numbers that the customer sees", async () => {
    const body = { name: "imports", owner_email: EMAIL }
    const made = await operator.as<{ key_id: string; api_key: string }>("nobody", "POST", "/keys", { body })
    operator.customer = { "x-api-key": made.body.api_key }
    account.keyId = made.body.key_id
    const sent = await operator.verify([...addresses(8, "d1750.test", "no-"), "user1@d1750.test"], "customer")
    expect(sent).toEqual({ invalid: 8, valid: 1 })
    expect(await operator.verify(["alice@tempfail.test"], "customer")).toEqual({ unknown: 1 })
    account.credits = 9
    account.id = await operator.confirmMailbox(EMAIL)
    const bounce = { email: "user1@d1750.test", bounce_type: "hard_bounce" }
    await operator.as("customer", "POST", "/bounce", { body: bounce })

    const [credits_used, email] = [account.credits, EMAIL]
    const expected = { account_id: account.id, email, status: "active", active_keys: 1, credits_used, plan: "free" }
    for (const text of ["HEAVY-user", account.keyId, account.id, "inbox.test"])
      expect(await operator.search(`search=${text}`)).toMatchObject([expected])
    const keys = [{ key_id: account.keyId, name: "imports", credits_this_month: credits_used, tier: "free" }]
    for (const name of [account.id, encodeURIComponent(EMAIL)])
      expect(await operator.read("/admin/users/{account}", `/admin/users/${name}`)).toMatchObject({ ...expected, keys })
    const usage = await operator.as("customer", "GET", "/usage")
    expect(usage.body).toMatchObject({ credits_used, credits_limit: 100, credits_remaining: 100 - credits_used })
    const billed = await operator.read("/billing/usage/{customer_id}", `/billing/usage/${account.id}`)
    expect(billed).toMatchObject({ customer_id: account.id, credits_used, bought_credits_left: 0 })
    expect(await operator.read("/admin/payment-offers")).toMatchObject({ payments: [] })
  })

  it("suspends the account: its key is refused at once, and works again after the resume", async () => {
    const change = (verb: "suspend" | "resume") =>
      operator.call("POST", `/admin/users/{account}/${verb}`, `/admin/users/${account.id}/${verb}`)
    const suspended = await change("suspend")
    expect(suspended).toMatchObject({ account_id: account.id, status: "suspended", credits_used: account.credits })
    for (const path of ["/usage", "/validate"])
      expect(await operator.as("customer", "GET", path, { at: `${path}?email=user1@d1750.test` })).toEqual({
        ...{ status: 403, body: { ...SUSPENDED, code: "account_suspended" } },
      })
    expect(await operator.search("suspended=true")).toMatchObject([{ account_id: account.id, status: "suspended" }])
    expect(await change("resume")).toMatchObject({ status: "active", suspended_at: null })
    expect(await operator.search("suspended=true")).toEqual([])
    expect((await operator.as("customer", "GET", "/usage")).status).toBe(200)
  })

  it("verifies expired results again, and reads the job", async () => {
    type Started = { status: string; job_id: string; queued: number }
    const start = (query = "") => operator.call<Started>("POST", "/admin/reverify", `/admin/reverify${query}`)
    expect(await start()).toEqual({ status: "nothing_to_do", job_id: null, queued: 0 })
    const database = openDatabase({ url: fleet.stack.databaseUrl, authToken: fleet.stack.secrets.libsqlToken })
    await database.run(sql`UPDATE results SET expires_at = 1 WHERE domain = 'mailbox.test'`)
    const { job_id, ...started } = await start("?status=valid")
    expect(started).toEqual({ status: "queued", queued: REVERIFIED })
    reverifyJob = job_id
    type Job = { status: string; results: { checks: { email: string; status: Status } }[] }
    expect(await operator.read("/admin/jobs")).toMatchObject({ jobs: [{ job_id, account_id: null, kind: "reverify" }] })
    const job = () => operator.read<Job>("/admin/jobs/{job_id}", `/admin/jobs/${job_id}`)
    await eventually(async () => expect((await job()).status).toBe("complete"), WAIT)
    expect(await job()).toMatchObject({ total: 1, progress: 1, summary: { valid: 1 }, cached: 0, pending: 0 })
    expect((await job()).results).toMatchObject([{ checks: { email: "alice@mailbox.test", status: "valid" } }])
  })

  it("sees the same numbers in every statistic of results", async () => {
    const counts = countOf(operator.statuses)
    const verifications = operator.statuses.length
    await eventually(async () => expect(await operator.read("/stats")).toMatchObject({ verifications }), WAIT)
    const stats = await operator.read<{ by_status: Counts }>("/stats")
    expect(stats).toMatchObject({ scope: "service", daily: [{ date: today(), verifications }] })
    interface Stored {
      readonly by_status: Counts
      readonly top_domains: { domain: string; count: number }[]
      readonly rows: Record<string, number>
    }
    const database = await operator.read<Stored>("/db/stats")
    expect(database).toMatchObject({ total: verifications, verified_last_30_days: verifications })
    const store = await operator.read<{ results: Stored; rows: object }>("/stats/store")
    expect(store).toMatchObject({ results: { total: verifications }, rows: database.rows })
    for (const { by_status } of [stats, database, store.results]) expect(positive(by_status)).toEqual(counts)
    for (const [status, count] of Object.entries(counts))
      expect(await operator.metric(`mailverdict_results_total{status="${status}"}`)).toBe(count)
    const stored = { results: verifications, ...database.rows }
    expect(await operator.read("/compliance/summary")).toMatchObject({ stored })

    const domains = database.top_domains
    expect(await operator.read("/stats/domains")).toEqual({ scope: "service", domains })
    expect(sum(domains.map(({ count }) => count))).toBe(verifications)
    const { domain, count: total } = domains[0]!
    expect(await operator.read("/db/domain/{domain}", `/db/domain/${domain}`)).toMatchObject({ domain, total })
    expect(await operator.read("/db/search", `/db/search?domain=${domain}&limit=1`)).toMatchObject({ total })
    const found = await operator.read("/db/lookup", "/db/lookup?email=alice@mailbox.test")
    expect(found).toMatchObject({ email: "alice@mailbox.test", status: "valid", is_fresh: true })
    const known = { domains: database.rows.domains, looked_at_today: database.rows.domains }
    expect(await operator.read("/admin/domain-intel/stats")).toMatchObject(known)

    // Every address was new, and the result that was verified again had expired. The bounce found its result.
    const lookups = { hits: 1, misses: verifications + REVERIFIED }
    const cache = () => operator.read("/cache/stats")
    await eventually(async () => expect(await cache()).toMatchObject({ today: { store: lookups } }), WAIT)
    for (const [result, count] of [
      ["hit", lookups.hits],
      ["miss", lookups.misses],
    ] as const)
      expect(await operator.metric(`mailverdict_cache_lookups_total{place="store",result="${result}"}`)).toBe(count)
  })

  it("sees the same numbers in every statistic of source IPs", async () => {
    type Ip = { ip: string; node_id: string; answered_24h: number; blocked_24h: number; block_rate: number }
    const ips = async () => (await operator.read<{ ips: Ip[] }>("/ips")).ips
    const blocked = async () => (await ips()).find(({ ip }) => ip === "127.0.0.1")!
    // An instance writes its counts with a probe, at most every ten seconds.
    await eventually(async () => {
      await operator.verify([`later${operator.statuses.length}@mailbox.test`])
      expect((await blocked()).blocked_24h).toBeGreaterThan(0)
    }, WAIT)
    const { answered_24h, blocked_24h, block_rate } = await blocked()
    expect(block_rate).toBeCloseTo(blocked_24h / (answered_24h + blocked_24h), 3)
    const all = await ips()
    expect(all.map(({ ip, node_id }) => [ip, node_id])).toEqual([
      ...LOCAL_IPS.map((ip) => [ip, "local-1"]),
      ["127.0.0.3", "north-1"],
    ])
    expect(all.filter((one) => one.blocked_24h > 0).map(({ ip }) => ip)).toEqual(["127.0.0.1"])
    const { answers } = await operator.read<Answers>("/fleet/answers", "/fleet/answers?days=30")
    expect(sum(answers.map(({ accepted, refused }) => accepted + refused))).toBe(sum(all.map((ip) => ip.answered_24h)))
    const total = all.length
    expect(await operator.read("/ip-pool/status")).toMatchObject({ total, pools: [{ ips: total, usable: total }] })
    type Lists = Record<"listed" | "clean" | "unknown", number> & { ips: Ip[] }
    const { listed, clean, unknown, ips: checked } = await operator.read<Lists>("/infra/blacklist-status")
    expect([sum([listed, clean, unknown]), checked.map(({ ip }) => ip)]).toEqual([total, all.map(({ ip }) => ip)])
    expect(await operator.read("/sender-domains")).toEqual({ domains: [] })
    expect(await operator.read("/fleet/canaries")).toEqual({ canaries: [] })
  })

  it("sees the feedback, the models and the retention, with the same words everywhere", async () => {
    const bounces = { total: 1, by_type: { hard_bounce: 1, soft_bounce: 0, spam_complaint: 0 } }
    expect(await operator.read("/admin/accuracy")).toMatchObject({ accuracy: { samples: 1, incorrect: 1 }, bounces })
    const learning = await operator.read<{ feedback: Record<string, number> }>("/admin/domain-learning/stats")
    expect(learning).toMatchObject({ feedback_total: 1, feedback: { hard_bounce: 1 } })
    expect(sum(Object.values(learning.feedback))).toBe(1)
    // The bounce suppresses for the customer, not for all accounts.
    const one = "?email=user1@d1750.test"
    expect(await operator.read("/suppression/stats")).toMatchObject({ list: "operator", total: 0, permanent: 0 })
    expect(await operator.read("/suppression/check", `/suppression/check${one}`)).toMatchObject({
      is_suppressed: false,
    })
    expect(await operator.read("/suppression")).toMatchObject({ suppressions: [], total: 0 })
    expect((await operator.readText("/suppression/export")).trim().split("\r\n")).toHaveLength(1)
    expect(await operator.read("/gdpr/export", `/gdpr/export${one}`)).toMatchObject({ data: { suppressions: [{}] } })
    const { model } = await operator.read<{ model: object }>("/ml/stats")
    expect(model).toMatchObject({ kind: "deliverability", version: 0, is_prior: true })
    expect(await operator.read("/ml/stats/v2")).toMatchObject({ model })
    const catchAll = { model: { kind: "catch_all", version: 0 } }
    expect(await operator.read("/catchall-classifier/stats")).toMatchObject(catchAll)
    type Retention = { retention_days: number; policy: { table: string; days: number }[] }
    const { retention_days, policy } = await operator.read<Retention>("/gdpr/status")
    expect(new Set(policy.map(({ table }) => table)).size).toBe(policy.length)
    expect(policy).toContainEqual({ table: "results", days: retention_days })
    expect(await operator.read("/compliance/summary")).toMatchObject({ retention_days })
    expect(await operator.read("/greylist")).toMatchObject({ waiting: 0, due: 0, next_at: null })
    expect(await operator.read("/webhooks/stats")).toMatchObject({ attempts_24h: {}, endpoints: [] })
    expect(await operator.read("/admin/disposable-stats")).toMatchObject({ refreshes: [], last_refresh: null })
    expect(await operator.read("/admin/lists/overrides")).toMatchObject({ overrides: [] })
    expect(await operator.read("/admin/settings")).toMatchObject({ settings: expect.any(Array) })
    await operator.expectDirectories()
  })

  it("erases the customer by its mailbox: the customer is gone, and the service's results stay", async () => {
    const { total } = await operator.read("/db/stats")
    const [path, at] = ["/compliance/customer-data/{customer_id}", `/compliance/customer-data/${EMAIL}`]
    const erased = await operator.call<{ tables: { table: string; removed: number }[] }>("DELETE", path, at)
    expect(erased).toMatchObject({ status: "erased", customer_id: account.id, complete: true })
    const removed = Object.fromEntries(erased.tables.map((one) => [one.table, one.removed]))
    expect(removed).toMatchObject({ accounts: 1, api_keys: 1, suppressions: 1, verifications: 10 })
    expect((await operator.as("customer", "GET", "/usage")).status).toBe(401)
    expect(await operator.search(`search=${EMAIL}`)).toEqual([])
    expect((await operator.as("operator", "DELETE", path, { at })).status).toBe(404)
    expect(await operator.read("/db/stats")).toMatchObject({ total, rows: { suppressions: 0, verifications: 0 } })
  })

  it("finds all of it in the audit trail, in its order, without addresses", async () => {
    type Entry = { seq: number; at: string; actor: string; action: string; subject: string; details: { call: string } }
    type Trail = { verified: boolean; entries: Entry[]; head: { seq: number } }
    const trail = await operator.read<Trail>("/compliance/audit-trail", "/compliance/audit-trail?limit=1000")
    const entries = trail.entries.toReversed()
    expect(trail.verified).toBe(true)
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: trail.head.seq }, (_, n) => n + 1))
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
    const { id } = account
    const named = entries.filter(({ action }) => action !== "admin.call")
    expect(named.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ["north-1", "node.enrolled", "north-1"],
      ["admin", "node.drained", "north-1"],
      ["admin", "node.resumed", "north-1"],
      [expect.stringMatching(/^ip:/), "key.created", account.keyId],
      [id, "account.signed_in", id],
      ["admin", "account.suspended", id],
      ["admin", "account.resumed", id],
      ["admin", "data.exported", expect.stringMatching(/^[0-9a-f]{64}$/)],
      ["admin", "customer.erased", id],
    ])
    const reverified = entries.find(({ subject }) => subject === reverifyJob)
    expect(reverified).toMatchObject({ actor: "admin", details: { call: "POST /admin/reverify", queued: 1 } })
    expect(JSON.stringify(entries)).not.toMatch(/[\w.]@\w/)
    const { last_30_days } = await operator.read<{ last_30_days: object }>("/compliance/summary")
    expect(last_30_days).toMatchObject(Object.fromEntries(named.map(({ action }) => [action, 1])))
  })

  it("has read every endpoint that gives an operator anything to read", () => {
    const readable = [...ENDPOINT_LIST, ...FURTHER_ENDPOINTS].filter(([access]) => /admin/.test(access))
    const all = readable.flatMap(([, call]) => (call.startsWith("GET ") ? [call] : []))
    expect(all.filter((call) => !operator.seen.has(call))).toEqual([])
  })
})
