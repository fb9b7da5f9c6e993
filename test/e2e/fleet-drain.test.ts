import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type LocalFleet, type LocalNode, startLocalFleet } from "../support/stack/local-fleet.ts"
import { runCli } from "../support/stack/run-cli.ts"
import { eventually } from "../support/time/until.ts"

interface NodeView {
  readonly id: string
  readonly state: string
  readonly reason: string | null
  readonly draining_since: string | null
  readonly checked_at: string | null
}
type Headers = Record<string, string>

const WAIT = { interval: 200 }
const DRAINED = "gets no new probes until it is resumed"
/** Source IPs of local-1, the node of `npm start`. */
const LOCAL_IPS = ["127.0.0.1", "127.0.0.2"]

let fleet: LocalFleet
let second: LocalNode
const HEADERS: Record<string, Headers> = {}

beforeAll(async () => {
  // An empty value starts the stack's own node, listed in PROBE_NODES.
  fleet = await startLocalFleet({ PROBE_NODES: "" })
  const [owner, stranger] = await Promise.all(["owner", "stranger"].map(makeKey))
  Object.assign(HEADERS, {
    anonymous: {},
    owner,
    stranger,
    admin: { "x-admin-secret": fleet.stack.secrets.adminSecret },
  })
  second = await fleet.startNode({ id: "node-2", sourceIp: "127.0.0.3" })
  await fleet.startNode({ id: "node-own", sourceIp: "127.0.0.5", by: owner! })
  await eventually(async () => expect(await states()).toEqual(["healthy", "healthy", "healthy"]), WAIT)
})
afterAll(() => fleet.stop())

async function makeKey(name: string): Promise<Headers> {
  const body = { name, owner_email: `${name}@example.org` }
  const call = { body, headers: { "x-real-ip": "192.0.2.1" } }
  return { "x-api-key": (await fleet.call<{ api_key: string }>("POST", "/keys", call)).body.api_key }
}

async function list(headers = HEADERS.admin!): Promise<readonly NodeView[]> {
  return (await fleet.call<{ nodes: NodeView[] }>("GET", "/fleet/nodes", { headers })).body.nodes
}
const states = async () => (await list()).map(({ state }) => state)
const find = async (id: string) => (await list()).find((node) => node.id === id)!

const change = (verb: "drain" | "resume", id: string, by = "admin") =>
  fleet.call("POST", `/fleet/nodes/{node_id}/${verb}`, { at: `/fleet/nodes/${id}/${verb}`, headers: HEADERS[by]! })

async function verify(emails: readonly string[], by = "admin"): Promise<string[]> {
  const call = { body: { emails, use_cache: false }, headers: HEADERS[by]! }
  const { body } = await fleet.call<{ results: { status: string }[] }>("POST", "/validate/bulk", call)
  return body.results.map(({ status }) => status)
}
const addresses = (count: number, domain: string, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@${domain}`)

/** The source IPs that connected to a sandbox host from here on. */
async function clientsDuring(host: string, work: () => Promise<unknown>): Promise<string[]> {
  const before = (await fleet.connections(host)).length
  await work()
  return [...new Set((await fleet.connections(host)).slice(before).map(({ client }) => client))].toSorted()
}

describe("who may drain and resume a node", () => {
  test.each([
    ["anonymous", "local-1", 401],
    ["stranger", "local-1", 404],
    ["stranger", "node-2", 404],
    ["stranger", "node-own", 404],
    ["owner", "local-1", 404],
    ["owner", "no-such-node", 404],
    ["admin", "no-such-node", 404],
    ["owner", "node-own", 200],
    ["admin", "node-own", 200],
    ["admin", "node-2", 200],
    ["admin", "local-1", 200],
  ])("%s, %s: %i", async (by, id, status) => {
    const drained = await change("drain", id, by)
    expect(drained.status).toBe(status)
    if (status === 200) expect(drained.body).toMatchObject({ id, status: "draining" })
    const resumed = await change("resume", id, by)
    expect(resumed.status).toBe(status)
    if (status === 200) expect(resumed.body).toEqual({ id, status: "resumed", state: "healthy" })
    expect(await states()).toEqual(["healthy", "healthy", "healthy"])
  })
})

test("the node of `npm start` is drained: no new probe, and each view says so; drained twice, the first time counts", async () => {
  const first = (await change("drain", "local-1")).body
  expect(first).toEqual({
    ...{ id: "local-1", status: "draining", nodes_left: 1, note: "1 node is left." },
    draining_since: expect.any(String),
  })
  expect((await change("drain", "local-1")).body).toEqual(first)
  const view = { id: "local-1", state: "draining", reason: DRAINED, draining_since: first.draining_since }
  expect(await find("local-1")).toMatchObject(view)
  const get = async (path: string) => (await fleet.call("GET", path, { headers: HEADERS.admin! })).body
  const health = await get("/regions/health")
  expect(health.regions).toMatchObject([
    { usable: 2, probes: expect.arrayContaining([expect.objectContaining({ ...view, since: view.draining_since })]) },
  ])
  expect((await get("/regions")).regions).toMatchObject([{ status: "healthy", nodes: 2, usable: 1 }])
  expect(await get("/health")).toMatchObject({ status: "ok", probe_nodes: 1, fleet: { healthy: 1, draining: 1 } })
  const at = "/regions/route?domain=mailbox.test"
  const { body: route } = await fleet.call("GET", "/regions/route", { at, headers: HEADERS.admin! })
  expect(route).toMatchObject({ chosen: "node-2" })
  expect(route.passed_over).toContainEqual({ node_id: "local-1", why: `draining: ${DRAINED}` })

  const clients = await clientsDuring("mx.mailbox.test", async () => {
    for (let round = 0; round < 10; round++)
      for (const status of await verify(addresses(5, "mailbox.test", `drained${round}-`)))
        expect(status).toBe("invalid")
  })
  expect(clients).toEqual(["127.0.0.3"])
  // A healthy check does not end the drain.
  const { checked_at: lastCheck } = await find("local-1")
  await eventually(async () => expect((await find("local-1")).checked_at).not.toBe(lastCheck), WAIT)
  expect(await find("local-1")).toMatchObject(view)
  await change("resume", "local-1")
  expect(await find("local-1")).toMatchObject({ state: "healthy", reason: null, draining_since: null })
})

test("sessions that run when a node is drained end on that node", async () => {
  await change("drain", "local-1")
  // The host does not greet before the release.
  const clients = await clientsDuring("mx.hang.test", async () => {
    const answering = verify(["alice@hang.test", "nobody@hang.test"])
    await expect.poll(async () => (await fleet.connections("mx.hang.test")).length).toBeGreaterThan(0)
    await change("resume", "local-1")
    expect((await change("drain", "node-2")).body).toMatchObject({ nodes_left: 1 })
    await fetch(new URL("/sandbox/release", fleet.stack.sandbox!.dohUrl), { method: "POST" })
    expect(await answering).toEqual(["invalid", "invalid"])
  })
  expect(clients).toEqual(["127.0.0.3"])
  const next = await clientsDuring("mx.hang.test", () => verify(["dave@hang.test"]))
  expect(LOCAL_IPS).toEqual(expect.arrayContaining(next))
  await change("resume", "node-2")
})

test("a node that restarts stays drained", async () => {
  await change("drain", "node-2")
  await second.child.stop()
  second = await fleet.startNode({ id: "node-2", sourceIp: "127.0.0.3" })
  // Without the drain, the first health check of the new process would put it to use.
  await eventually(async () => expect(await find("node-2")).toMatchObject({ state: "draining", reason: DRAINED }), WAIT)
  await verify(addresses(20, "mailbox.test", "restarted"))
  expect(await second.requests()).toBe(0)
  expect((await change("resume", "node-2")).body).toEqual({ id: "node-2", status: "resumed", state: "healthy" })
})

test("without a node in use, the service says so and no mailbox is judged", async () => {
  await change("drain", "node-2")
  const note = expect.stringMatching(/^No node is left: until one is resumed, mailboxes stay unknown and cost nothing/)
  expect((await change("drain", "local-1")).body).toMatchObject({ nodes_left: 0, note })
  const health = await fleet.call("GET", "/health")
  expect(health).toMatchObject({ status: 503, body: { probe_nodes: 0, detail: "no probe node is available" } })
  expect(await verify(["alice@mailbox.test"])).toEqual(["unknown"])
  for (const id of ["node-2", "local-1"]) await change("resume", id)
  expect(await verify(["alice@mailbox.test"])).toEqual(["valid"])
})

test("an account that drains its own node uses the shared nodes", async () => {
  const clients = () => clientsDuring("mx.mailbox.test", () => verify(addresses(3, "mailbox.test", "own"), "owner"))
  expect(await clients()).toEqual(["127.0.0.5"])
  expect((await change("drain", "node-own", "owner")).body).toMatchObject({ nodes_left: 2 })
  expect(await clients()).not.toContain("127.0.0.5")
  await change("resume", "node-own", "owner")
  expect(await clients()).toEqual(["127.0.0.5"])
})

describe("the command line", () => {
  const nodes = (args: string[], env: Headers) =>
    runCli(["nodes", ...args], { env: { MAILVERDICT_URL: fleet.stack.url, ...env }, columns: 100 })

  test("drains and resumes a node with the admin secret, and the doctor shows it", async () => {
    const env = { MAILVERDICT_ADMIN_SECRET: fleet.stack.secrets.adminSecret }
    expect((await nodes(["drain", "local-1"], env)).stdout).toMatch(
      /^node +local-1\nstate +draining\n[\s\S]+1 node is left\.\nto use it again +mailverdict nodes resume local-1\n$/,
    )
    const doctor = await nodes(["doctor", "local-1"], env)
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^local-1 {2}local {2}draining /) })
    expect(doctor.stdout).toMatch(/^ {2}\d+ SMTP sessions at its last report, /m)
    expect((await nodes(["resume", "local-1"], env)).stdout).toMatch(/^node +local-1\nstate +healthy\n$/)
  })

  test("refuses a shared node with an API key", async () => {
    const env = { MAILVERDICT_API_KEY: HEADERS.owner!["x-api-key"]! }
    const stderr = "mailverdict: there is no such node, or it is not yours\n"
    expect(await nodes(["drain", "local-1"], env)).toEqual({ code: 2, stdout: "", stderr })
    expect((await nodes(["drain", "node-own"], env)).stdout).toMatch(/2 nodes are left\./)
    expect((await nodes(["resume", "node-own"], env)).stdout).toMatch(/^node +node-own\n/)
  })
})

test("a removed node takes its drain with it", async () => {
  await change("drain", "node-2")
  await fleet.call("DELETE", "/fleet/nodes/{node_id}", { at: "/fleet/nodes/node-2", headers: HEADERS.admin! })
  await second.child.stop()
  await fleet.startNode({ id: "node-2", sourceIp: "127.0.0.3" })
  await eventually(
    async () => expect(await find("node-2")).toMatchObject({ state: "healthy", draining_since: null }),
    WAIT,
  )
})
