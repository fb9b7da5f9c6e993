import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { startChild } from "../../scripts/dev/child.ts"
import { freePort } from "../../scripts/dev/parts.ts"
import { type LocalFleet, type LocalNode, skewedClockEnv, startLocalFleet } from "../support/stack/local-fleet.ts"
import { eventually, until } from "../support/time/until.ts"

interface Bulk {
  readonly results: readonly { readonly email: string; readonly status: string }[]
}
interface Nodes {
  readonly nodes: readonly { readonly id: string; readonly state: string; readonly reason: string | null }[]
}

let fleet: LocalFleet
let nodes: LocalNode[]
const admin = () => ({ "x-admin-secret": fleet.stack.secrets.adminSecret })

beforeAll(async () => {
  fleet = await startLocalFleet({ CANARY_SECONDS: "1" })
  nodes = await Promise.all(
    ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map((sourceIp, n) => fleet.startNode({ id: `node-${n + 1}`, sourceIp })),
  )
  await eventually(async () => expect(await states()).toEqual(["healthy", "healthy", "healthy"]), WAIT)
})
afterAll(() => fleet.stop())

const WAIT = { interval: 200 }

async function list(headers = admin()) {
  return (await fleet.call<Nodes>("GET", "/fleet/nodes", { headers })).body.nodes
}
const states = async () => (await list()).map(({ state }) => state)
const find = async (id: string) => (await list()).find((node) => node.id === id)

async function bulk(emails: readonly string[], headers: Record<string, string> = {}): Promise<Bulk["results"]> {
  const body = { emails, use_cache: false }
  const answer = await fleet.call<Bulk>("POST", "/validate/bulk", { body, headers: { ...admin(), ...headers } })
  expect(answer.status).toBe(200)
  return answer.body.results
}
const addresses = (count: number, domain: string, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@${domain}`)

test("probes of many domains use all nodes", async () => {
  const emails = Array.from({ length: 90 }, (_, n) => `alice@d${String(n).padStart(4, "0")}.test`)
  for (let i = 0; i < emails.length; i += 10) await bulk(emails.slice(i, i + 10))
  const requests = await Promise.all(nodes.map((node) => node.requests()))
  expect(Math.min(...requests)).toBeGreaterThan(0)
})

test("when an operator blocks one source IP, its traffic moves to the others, and no answer is lost", async () => {
  const blocked = async () =>
    (await fleet.connections("mx.one-ip.test")).filter(({ client }) => client === "127.0.0.1").length
  const probe = async (prefix: string) => {
    for (const { status } of await bulk(addresses(10, "one-ip.test", prefix))) expect(status).toBe("invalid")
  }
  for (let round = 0; round < 60 && (await blocked()) === 0; round++) await probe(`before${round}-`)
  const before = await blocked()
  expect(before).toBeGreaterThan(0)
  for (let round = 0; round < 20; round++) await probe(`since${round}-`)
  expect(await blocked()).toBe(before)
  const { candidates } = (
    await fleet.call<{ candidates: { node_id: string; held_source_ips: { why: string }[] }[] }>(
      "GET",
      "/regions/route",
      {
        at: "/regions/route?domain=one-ip.test",
        headers: admin(),
      },
    )
  ).body
  const blockedNode = candidates.find(({ node_id }) => node_id === "node-1")
  expect(blockedNode?.held_source_ips[0]?.why).toBe("blocked by the operator")
})

test("a node that its own doctor reports as unfit gets no traffic", async () => {
  const unfit = await fleet.startNode({
    ...{ id: "node-unfit", sourceIp: "127.0.0.6" },
    env: { PROBE_HELO: "mx.mailbox.test" },
  })
  await eventually(async () => expect((await find("node-unfit"))?.reason).toBe("its doctor found it unfit"), WAIT)
  const before = await unfit.requests()
  for (const { status } of await bulk(addresses(20, "mailbox.test", "unfit"))) expect(status).toBe("invalid")
  expect(await unfit.requests()).toBe(before)
  await fleet.call("DELETE", "/fleet/nodes/{node_id}", { at: "/fleet/nodes/node-unfit", headers: admin() })
})

test("an operator that accepts both canary addresses is excluded on all nodes until its canaries pass or are removed", async () => {
  const canary = { operator: "mx.catch-all.test", existing: "anyone@catch-all.test", missing: "nobody@catch-all.test" }
  const exclusions = async () => {
    const { ips } = (
      await fleet.call<{ ips: { node_id: string; held: { operator: string; why: string }[] }[] }>("GET", "/ips", {
        headers: admin(),
      })
    ).body
    return ips.map((ip) => ip.held.filter(({ operator }) => operator === canary.operator).map(({ why }) => why))
  }
  expect((await fleet.call("POST", "/fleet/canaries", { body: canary, headers: admin() })).status).toBe(200)
  const why = "canary addresses: blanket_accept (existing: 250 2.1.5; missing: 250 2.1.5)"
  await eventually(async () => expect(await exclusions()).toEqual([[why], [why], [why]]), WAIT)
  const results = async () => {
    const { body } = await fleet.call<{ canaries: { results: object[] }[] }>("GET", "/fleet/canaries", {
      headers: admin(),
    })
    return body.canaries.flatMap((one) => one.results)
  }
  const result = { finding: "blanket_accept", detail: "existing: 250 2.1.5; missing: 250 2.1.5" }
  expect(await results()).toEqual(
    [1, 2, 3].map((n) => ({
      ...{ node_id: `node-${n}`, source_ip: `127.0.0.${n}`, ...result },
      checked_at: expect.any(String),
    })),
  )
  await fleet.call("DELETE", "/fleet/canaries/{operator}", {
    at: `/fleet/canaries/${canary.operator}`,
    headers: admin(),
  })
  expect(await exclusions()).toEqual([[], [], []])
})

describe("a node whose clock is ten minutes off", () => {
  test("is marked unfit and gets no request, and callers get answers", async () => {
    const off = await fleet.startNode({ id: "node-off", sourceIp: "127.0.0.4", env: skewedClockEnv(600_000) })
    await eventually(
      async () =>
        expect((await find("node-off"))?.reason).toMatch(/^the node's clock is \d+\.\d s ahead of this edge's/),
      WAIT,
    )
    expect((await find("node-off"))?.state).toBe("unfit")
    for (const { status } of await bulk(addresses(10, "mailbox.test", "skew"))) expect(status).toBe("invalid")
    expect(await off.requests()).toBe(0)
    const removed = await fleet.call("DELETE", "/fleet/nodes/{node_id}", {
      at: "/fleet/nodes/node-off",
      headers: admin(),
    })
    expect(removed).toEqual({ status: 200, body: { id: "node-off", status: "removed" } })
    expect(await find("node-off")).toBeUndefined()
  })
})

describe("a private node of an account", () => {
  test("serves only that account, and its results are not cached for others", async () => {
    const [owner, stranger] = await Promise.all(["owner", "stranger"].map(makeKey))
    const own = await fleet.startNode({ id: "node-own", sourceIp: "127.0.0.5", by: owner! })
    await eventually(async () => expect((await find("node-own"))?.state).toBe("healthy"), WAIT)
    expect((await list(owner as never)).map(({ id }) => id)).toContain("node-own")
    expect((await list(stranger as never)).map(({ id }) => id)).not.toContain("node-own")

    for (const [headers, nodes] of [
      [owner!, ["node-own"]],
      [stranger!, []],
    ] as const) {
      const seen = async (path: string) => (await fleet.call("GET", path, { headers })).body
      expect((await seen("/ips")).ips).toMatchObject(nodes.map((node_id) => ({ node_id, ip: "127.0.0.5" })))
      expect((await seen("/senders")).senders).toMatchObject(nodes.map((node_id) => ({ node_id })))
      expect((await seen("/regions/health")).regions).toMatchObject(
        nodes.map((id) => ({ nodes: 1, probes: [{ id, state: "healthy" }] })),
      )
    }

    const at = "/validate?email=alice%40mailbox.test"
    const mine = await fleet.call<{ status: string }>("GET", "/validate", { at, headers: owner! })
    expect(mine.body.status).toBe("valid")
    expect(await own.requests()).toBe(1)
    const theirs = await fleet.call<{ status: string; checks: { cached: boolean } }>("GET", "/validate", {
      at,
      headers: stranger!,
    })
    expect(theirs.body).toMatchObject({ status: "valid", checks: { cached: false } })
    expect(await own.requests()).toBe(1)

    const remove = (headers: Record<string, string>) =>
      fleet.call("DELETE", "/fleet/nodes/{node_id}", { at: "/fleet/nodes/node-own", headers })
    expect((await remove(stranger!)).status).toBe(404)
    expect((await remove(owner!)).status).toBe(200)
  })
})

async function makeKey(name: string): Promise<Record<string, string>> {
  const body = { name, owner_email: `${name}@example.org` }
  const { api_key } = (
    await fleet.call<{ api_key: string }>("POST", "/keys", { body, headers: { "x-real-ip": "192.0.2.1" } })
  ).body
  return { "x-api-key": api_key }
}

test("a self-hosted node enrolls by its own command, and changes its key without downtime", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-join-"))
  const settings = join(folder, "probe.env")
  const port = await freePort("127.0.0.1")
  const owner = await makeKey("joiner")
  const { token } = (await fleet.call<{ token: string }>("POST", "/fleet/tokens", { headers: owner })).body
  const enrol = ["enrol", "--settings", settings, "--edge", fleet.stack.url, "--id", "joined"]
  const identity = ["--region", "home", "--helo", "fleet.mailverdict.test", "--mail-from", "probe@mailverdict.test"]
  const place = ["--url", `http://127.0.0.1:${port}`, "--source-ips", "127.0.0.4"]
  await promisify(execFile)(process.execPath, ["probe-node/main.ts", ...enrol, ...identity, ...place], {
    env: { ...process.env, PROBE_TOKEN: token },
  })
  const own = Object.fromEntries(
    readFileSync(settings, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  ) as Record<string, string>
  expect(own.PROBE_TRUSTED_KEYS).toBe(fleet.stack.secrets.edge.publicKey)
  const sandbox = fleet.sandboxOf("127.0.0.4")
  let child = await startChild("joined", "probe-node/main.ts", {
    env: { ...sandbox, ...own, PROBE_PORT: String(port) },
    onLine: () => undefined,
  })
  await eventually(async () => expect((await find("joined"))?.state).toBe("healthy"), WAIT)
  const verify = async (n: number) =>
    (
      await fleet.call<{ status: string }>("GET", "/validate", {
        at: `/validate?email=k${n}%40mailbox.test`,
        headers: owner,
      })
    ).body.status
  expect(await verify(1)).toBe("invalid")

  const next = await generateKeyPair("joined.2")
  const changed = await fleet.call("POST", "/fleet/nodes/{node_id}/keys", {
    at: "/fleet/nodes/joined/keys",
    body: { public_key: next.publicKey },
    headers: owner,
  })
  expect(changed.status).toBe(200)
  expect(await verify(2)).toBe("invalid")
  await child.stop()
  child = await startChild("joined", "probe-node/main.ts", {
    env: { ...sandbox, ...own, PROBE_PORT: String(port), PROBE_SIGNING_KEY: next.signingKey },
    onLine: () => undefined,
  })
  await eventually(async () => expect((await find("joined"))?.state).toBe("healthy"), WAIT)
  expect(await verify(3)).toBe("invalid")
  await fleet.call("DELETE", "/fleet/nodes/{node_id}", { at: "/fleet/nodes/joined", headers: owner })
  await child.stop()
  rmSync(folder, { recursive: true })
})

test("a used token only repeats its enrollment; another key or URL needs a new token of the owner", async () => {
  const [owner, stranger] = [await makeKey("moving"), await makeKey("moving-stranger")]
  const newToken = async (headers: Record<string, string>) =>
    (await fleet.call<{ token: string }>("POST", "/fleet/tokens", { headers })).body.token
  const [first, second] = await Promise.all(["moving.1", "moving.2"].map((id) => generateKeyPair(id)))
  const token = await newToken(owner)
  const given = { token, id: "moving", region: "home", url: "http://127.0.0.1:9", public_key: first!.publicKey }
  const enroll = (changes: object = {}) =>
    fleet.call<{ detail?: string }>("POST", "/fleet/nodes/enrol", { body: { ...given, ...changes } })
  type Listed = { nodes: readonly { id: string; url: string; key_ids: readonly string[] }[] }
  const listed = async () =>
    (await fleet.call<Listed>("GET", "/fleet/nodes", { headers: owner })).body.nodes.find(({ id }) => id === "moving")

  const enrolled = await enroll()
  expect(enrolled.status).toBe(200)
  expect(await enroll()).toEqual(enrolled)
  const moved = { url: "http://127.0.0.1:10", public_key: second!.publicKey }
  for (const change of [moved, { url: moved.url }, { public_key: moved.public_key }, { id: "moving-2" }]) {
    const { status, body } = await enroll(change)
    expect({ status, body }).toMatchObject({ status: 401, body: { detail: expect.stringContaining("or used") } })
  }
  for (const headers of [stranger, admin()])
    expect((await enroll({ ...moved, token: await newToken(headers) })).status).toBe(409)
  expect(await listed()).toMatchObject({ url: given.url, key_ids: ["moving.1"] })

  expect((await enroll({ ...moved, token: await newToken(owner) })).status).toBe(200)
  expect(await listed()).toMatchObject({ url: moved.url, key_ids: ["moving.2", "moving.1"] })
  expect((await enroll()).status).toBe(401)
  await fleet.call("DELETE", "/fleet/nodes/{node_id}", { at: "/fleet/nodes/moving", headers: owner })
  expect((await enroll()).status).toBe(401)
})

test("a node killed during a call costs no answer, and soon gets no requests", async () => {
  const emails = addresses(5, "hang.test", "late")
  const answering = bulk(emails)
  // The host does not greet before the release.
  const clients = async () => [...new Set((await fleet.connections("mx.hang.test")).map(({ client }) => client))]
  const [first] = await until(clients, (all) => all.length > 0)
  const victim = nodes[Number(first!.slice(-1)) - 1]!
  process.kill(victim.child.pid, "SIGKILL")
  await expect.poll(async () => (await clients()).length).toBeGreaterThan(1)
  await fetch(new URL("/sandbox/release", fleet.stack.sandbox!.dohUrl), { method: "POST" })
  const results = await answering
  expect(results.map(({ status }) => status)).toEqual(emails.map(() => "invalid"))
  await eventually(async () => expect((await find(victim.id))?.state).toBe("gone"), WAIT)
  for (const { status } of await bulk(addresses(10, "mailbox.test", "after"))) expect(status).toBe("invalid")
})
