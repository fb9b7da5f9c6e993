import { describe, expect, test, vi } from "vitest"
import { asAdmin } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

const WAIT = { timeout: 10_000, interval: 200 }

describe("public information", () => {
  test("/health counts nodes by state", async () => {
    const { status, body } = await call<{ fleet: Record<string, number> }>("GET", "/health")
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: "ok", probe_nodes: 1, fleet: { healthy: 1, gone: 0 } })
  })

  test("/regions", async () => {
    expect((await call("GET", "/regions")).body).toEqual({
      regions: [{ region: "local", status: "healthy", nodes: 1, usable: 1, capacity: 1_000 }],
    })
  })
})

test.each(["/regions/health", "/regions/route", "/ips", "/ip-pool/status", "/infra/blacklist-status", "/senders"])(
  "%s needs a key",
  async (path) => {
    expect((await call("GET", path, { at: `${path}?domain=mailbox.test` })).status).toBe(401)
  },
)

describe("what the operator sees", () => {
  test("/regions/health shows each node with its last health check", async () => {
    await vi.waitFor(async () => {
      const { body } = await call<{ regions: { probes: Record<string, unknown>[] }[] }>(
        "GET",
        "/regions/health",
        asAdmin(),
      )
      expect(body.regions[0]!.probes[0]).toMatchObject({
        ...{ id: "local-1", state: "healthy", reason: null },
        checked_at: expect.any(String),
      })
      expect(Math.abs(body.regions[0]!.probes[0]!.clock_skew_ms as number)).toBeLessThan(3_000)
    }, WAIT)
  })

  test("/regions/route explains its choice", async () => {
    const at = "/regions/route?domain=mailbox.test"
    const { body } = await call("GET", "/regions/route", { at, ...asAdmin() })
    expect(body).toMatchObject({
      domain: "mailbox.test",
      mx: ["mx.mailbox.test"],
      operator: "mx.mailbox.test",
      chosen: "local-1",
      candidates: [{ node_id: "local-1", state: "healthy", source_ips: ["127.0.0.1", "127.0.0.2"] }],
    })
    expect(body.explanation).toMatch(/^local-1 has the lowest cost: /)
  })

  test.each([
    ["null-mx.test", "no mail server to probe: null mx"],
    ["no-such-domain.test", "no mail server to probe: no such domain"],
  ])("a route to %s has no node", async (domain, explanation) => {
    const { body } = await call("GET", "/regions/route", { at: `/regions/route?domain=${domain}`, ...asAdmin() })
    expect(body).toMatchObject({ operator: null, chosen: null, explanation })
  })

  test("a malformed domain is 400", async () => {
    expect((await call("GET", "/regions/route", { at: "/regions/route?domain=a..b", ...asAdmin() })).status).toBe(400)
  })

  test("source addresses and their pools", async () => {
    const register = (query: string) =>
      call("POST", "/ip-pool/register", { at: `/ip-pool/register?${query}`, ...asAdmin() })
    for (const wrong of ["nothing", "198.51.7", "010.0.0.1", "fe80::1%25eth0"])
      expect((await register(`ip=${wrong}`)).status).toBe(400)
    expect((await register("ip=198.51.100.7")).body).toMatchObject({ ip: "198.51.100.7", pool: "general" })
    const first = (await register("ip=127.0.0.2")).body
    expect((await register("ip=127.0.0.2&pool=warm")).body).toEqual({ ...first, pool: "warm" })
    const { ips } = (await call<{ ips: Record<string, unknown>[] }>("GET", "/ips", asAdmin())).body
    expect(ips).toMatchObject([
      { ip: "127.0.0.1", node_id: "local-1", pool: "general", blacklists: [] },
      { ip: "127.0.0.2", node_id: "local-1", pool: "warm" },
    ])
    expect((await call("GET", "/ip-pool/status", asAdmin())).body).toMatchObject({
      total: 2,
      pools: [
        { pool: "general", ips: 1, registered_without_node: 1 },
        { pool: "warm", ips: 1, registered_without_node: 0 },
      ],
    })
    expect((await call("GET", "/infra/blacklist-status", asAdmin())).body).toMatchObject({ listed: 0 })
    expect((await call("GET", "/senders", asAdmin())).body).toMatchObject({ senders: [{ node_id: "local-1" }] })
  })

  test("a sender domain is checked, and problems are explained", async () => {
    const register = (domain: string) =>
      call<{ status: string; registered_at: string; findings: { check: string; result: string; detail: string }[] }>(
        "POST",
        "/sender-domains/register",
        { at: `/sender-domains/register?domain=${domain}`, ...asAdmin() },
      )
    const good = (await register("mailverdict.test")).body
    expect(good.findings.filter(({ check }) => check !== "dkim").map(({ result }) => result)).toEqual([
      "ok",
      "ok",
      "ok",
      "ok",
    ])
    const bad = (await register("mailbox.test")).body
    expect(bad.status).toBe("fail")
    expect(bad.findings[0]!.detail).toBe("SPF of mailbox.test forbids it: add ip4:127.0.0.1 before -all")
    const again = (await register("mailbox.test")).body
    expect(again.registered_at).toBe(bad.registered_at)
    const { domains } = (await call<{ domains: { domain: string }[] }>("GET", "/sender-domains", asAdmin())).body
    expect(domains.map(({ domain }) => domain)).toEqual(["mailbox.test", "mailverdict.test"])
    expect(domains[0]).toEqual(again)
  })

  test("/greylist counts waiting addresses", async () => {
    await call("GET", "/validate", { at: "/validate?email=fleet-grey%40tempfail.test" })
    // The retry is written after the answer.
    await expect
      .poll(async () => (await call<{ waiting: number }>("GET", "/greylist", asAdmin())).body.waiting)
      .toBeGreaterThan(0)
  })
})

describe("enrollment", () => {
  const PUBLIC_KEY = "stranger.1:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
  const node = (token: string, more: object = {}) =>
    postJson({ token, id: "stranger", region: "x", url: "https://node.example.org", public_key: PUBLIC_KEY, ...more })
  const makeToken = async () => (await call<{ token: string }>("POST", "/fleet/tokens", { ...asAdmin() })).body.token

  test("requires a token", async () => {
    expect((await call("POST", "/fleet/nodes/enrol", node("mvn_guess"))).status).toBe(401)
    expect((await call("POST", "/fleet/tokens")).status).toBe(401)
  })

  test.each([
    ["http://node.example.org", "url must begin with https://"],
    ["https://127.0.0.1", "url must name a host, not an IP address"],
    ["https://internal.mx-private.test", "url names a host of a private network"],
    ["https://mailbox.test/v1", "url must be an origin, without a path"],
  ])("of %s is refused", async (url, detail) => {
    const token = await makeToken()
    expect(await call("POST", "/fleet/nodes/enrol", node(token, { url }))).toMatchObject({
      status: 400,
      body: { detail },
    })
  })

  test("with the id of a configured node, or with a malformed key, is refused", async () => {
    const token = await makeToken()
    const conflict = await call(
      "POST",
      "/fleet/nodes/enrol",
      node(token, { id: "local-1", url: "https://company.test" }),
    )
    expect([400, 409]).toContain(conflict.status)
    expect((await call("POST", "/fleet/nodes/enrol", node(token, { public_key: "x:y" }))).status).toBe(400)
  })
})

test("the operator sets canary addresses", async () => {
  const set = (body: object) =>
    call("POST", "/fleet/canaries", {
      ...postJson(body),
      headers: { "content-type": "application/json", ...asAdmin().headers },
    })
  const canary = { operator: "mx.listed.test", existing: "alice@listed.test", missing: "nobody@listed.test" }
  expect((await set({ ...canary, missing: "nobody@mailbox.test" })).status).toBe(400)
  expect((await set(canary)).status).toBe(200)
  const { canaries } = (await call<{ canaries: object[] }>("GET", "/fleet/canaries", asAdmin())).body
  expect(canaries).toContainEqual(expect.objectContaining(canary))
  const remove = () =>
    call("DELETE", "/fleet/canaries/{operator}", { at: "/fleet/canaries/mx.listed.test", ...asAdmin() })
  expect((await remove()).status).toBe(200)
  expect((await remove()).status).toBe(404)
})
