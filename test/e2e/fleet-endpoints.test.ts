import { describe, expect, test } from "vitest"
import { asAdmin } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { eventually } from "../support/time/until.ts"

const WAIT = { interval: 200 }

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

describe("answers by mail operator and day", () => {
  const DAY_MS = 86_400_000

  test.each([
    ["", 7],
    ["?days=7", 7],
    ["?days=30", 30],
  ])("/fleet/answers%s", async (query, days) => {
    const { status, body } = await call<{ from: string; to: string }>("GET", "/fleet/answers", {
      at: `/fleet/answers${query}`,
      ...asAdmin(),
    })
    expect(status).toBe(200)
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe((days - 1) * DAY_MS)
  })

  test.each(["0", "31", "week"])("days=%s is refused", async (days) => {
    const at = `/fleet/answers?days=${days}`
    expect((await call("GET", "/fleet/answers", { at, ...asAdmin() })).status).toBe(422)
  })
})

describe("what the operator sees", () => {
  test("/regions/health shows each node with its last health check", async () => {
    await eventually(async () => {
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

  const registerIp = (ip: string, pool = "general") =>
    call("POST", "/ip-pool/register", {
      at: `/ip-pool/register?ip=${encodeURIComponent(ip)}&pool=${pool}`,
      ...asAdmin(),
    })
  const unregisterIp = (ip: string) =>
    call("DELETE", "/ip-pool/{ip}", { at: `/ip-pool/${encodeURIComponent(ip)}`, ...asAdmin() })

  test.each([
    ...["127.0.0.1", "127.0.0.2", "10.0.0.1", "172.16.9.9", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
    ...["198.51.100.7", "192.0.2.1", "203.0.113.9", "224.0.0.1", "255.255.255.255"],
    ...["::1", "::", "fc00::1", "fe80::1", "2001:db8::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"],
  ])("/ip-pool/register refuses %s, which no mail server can see", async (ip) => {
    const { status, body } = await registerIp(ip)
    expect(status).toBe(400)
    expect(body.detail).toMatch(/^ip: \S+ is not public: register the address that mail servers see$/)
  })

  test.each(["nothing", "1.2.3", "010.0.0.1", "fe80::1%eth0", "1.2.3.4/24"])(
    "/ip-pool/register refuses %s, which is no IP address",
    async (ip) => {
      expect(await registerIp(ip)).toMatchObject({ status: 400, body: { detail: "ip: must be an IP address" } })
    },
  )

  test("a source address is labeled with a pool, and removed from it", async () => {
    const note = expect.stringMatching(/^The pool is a label .* Routing does not read it/)
    type Pools = { pools: { pool: string; registered_without_node: number }[] }
    const pools = async () => (await call<Pools>("GET", "/ip-pool/status", asAdmin())).body
    const before = (await pools()).pools.find(({ pool }) => pool === "general")?.registered_without_node ?? 0
    expect((await registerIp("9.9.9.10")).body).toMatchObject({ ip: "9.9.9.10", pool: "general", note })
    const first = (await registerIp("2620:FE::0:9")).body
    expect((await registerIp("2620:fe::9", "warm")).body).toEqual({ ...first, ip: "2620:fe::9", pool: "warm" })
    const { ips } = (await call<{ ips: Record<string, unknown>[] }>("GET", "/ips", asAdmin())).body
    expect(ips).toMatchObject([
      { ip: "127.0.0.1", node_id: "local-1", pool: "general", blacklists: [] },
      { ip: "127.0.0.2", node_id: "local-1", pool: "general" },
    ])
    expect(await pools()).toMatchObject({
      total: 2,
      pools: [
        { pool: "general", ips: 2, registered_without_node: before + 1 },
        { pool: "warm", ips: 0, registered_without_node: 1 },
      ],
    })
    expect(await unregisterIp("2620:fe:0::9")).toEqual(
      expect.objectContaining({ status: 200, body: { ip: "2620:fe::9", status: "removed" } }),
    )
    expect((await unregisterIp("2620:fe::9")).status).toBe(404)
    expect((await unregisterIp("nothing")).status).toBe(400)
    expect((await unregisterIp("9.9.9.10")).status).toBe(200)
    expect(await pools()).toMatchObject({ pools: [{ pool: "general", ips: 2, registered_without_node: before }] })
    expect((await call("GET", "/infra/blacklist-status", asAdmin())).body).toMatchObject({ listed: 0 })
    expect((await call("GET", "/senders", asAdmin())).body).toMatchObject({ senders: [{ node_id: "local-1" }] })
  })

  const registerDomain = (domain: string) =>
    call<{ status: string; registered_at: string; findings: { check: string; result: string; detail: string }[] }>(
      "POST",
      "/sender-domains/register",
      { at: `/sender-domains/register?domain=${domain}`, ...asAdmin() },
    )

  test.each([
    ["no-such-domain.test", 400, /^domain: no-such-domain\.test does not exist: check its spelling/],
    ["gone.no-such-domain.test", 400, /does not exist/],
    ["a..b", 400, /^domain: /],
    ["servfail.test", 503, /^DNS gave no answer for servfail\.test, so it is not registered; try again$/],
  ])("the sender domain %s is %i and not registered", async (domain, status, detail) => {
    expect(await registerDomain(domain)).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } })
    const { domains } = (await call<{ domains: { domain: string }[] }>("GET", "/sender-domains", asAdmin())).body
    expect(domains.map((one) => one.domain)).not.toContain(domain)
  })

  test("a sender domain is checked, and problems are explained", async () => {
    const good = (await registerDomain("mailverdict.test")).body
    const resultOf = (of: typeof good, check: string) => of.findings.find((one) => one.check === check)
    const results = good.findings.filter(({ check }) => check !== "dkim").map(({ result }) => result)
    expect(results).toEqual(["ok", "ok", "ok", "ok", "ok"])
    const bad = (await registerDomain("mailbox.test")).body
    expect(bad.status).toBe("fail")
    expect(bad.findings[0]!.detail).toBe("SPF of mailbox.test forbids it: add ip4:127.0.0.1 before -all")
    expect(resultOf(bad, "mx")).toMatchObject({ result: "ok", detail: "mail goes to mx.mailbox.test" })
    const again = (await registerDomain("mailbox.test")).body
    expect(again.registered_at).toBe(bad.registered_at)
    const unreachable = (await registerDomain("null-mx.test")).body
    expect(resultOf(unreachable, "mx")).toMatchObject({
      ...{ result: "fail", subject: "null-mx.test" },
      detail: "null-mx.test declares that it accepts no mail: publish an MX record, or many servers refuse it",
    })
    const { domains } = (await call<{ domains: { domain: string }[] }>("GET", "/sender-domains", asAdmin())).body
    expect(domains.map(({ domain }) => domain)).toEqual(["mailbox.test", "mailverdict.test", "null-mx.test"])
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

  test("with a source address that is none is refused and says so", async () => {
    const enrolled = await call("POST", "/fleet/nodes/enrol", node("mvn_guess", { source_ips: ["192.0.2.1", "eth0"] }))
    expect(enrolled).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ["body", "source_ips", 1], msg: "must be an IPv4 or IPv6 address, such as 192.0.2.10" }],
      },
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

describe("canary addresses", () => {
  const canary = { operator: "mx.listed.test", existing: "alice@listed.test", missing: "nobody@listed.test" }
  const set = (body: object) =>
    call("POST", "/fleet/canaries", {
      ...postJson(body),
      headers: { "content-type": "application/json", ...asAdmin().headers },
    })
  const list = async () => (await call<{ canaries: { operator: string }[] }>("GET", "/fleet/canaries", asAdmin())).body

  test.each([
    [{ missing: "nobody@mailbox.test" }, 400, /^existing and missing must be addresses of one domain$/],
    [{ existing: "no address" }, 400, /^existing and missing must be addresses of one domain$/],
    [
      { operator: "google" },
      400,
      /^operator: the mail hosts of listed\.test are those of mx\.listed\.test, not of google;/,
    ],
    [{ operator: "mx.mailbox.test" }, 400, /are those of mx\.listed\.test, not of mx\.mailbox\.test/],
    [{ existing: "a@gmail.com.test", missing: "b@gmail.com.test" }, 400, /has no mail host \(no such domain\)$/],
    [{ existing: "a@null-mx.test", missing: "b@null-mx.test" }, 400, /has no mail host \(null mx\)$/],
    [{ existing: "a@servfail.test", missing: "b@servfail.test" }, 503, /^DNS gave no answer for servfail\.test/],
  ])("with %j are refused", async (change, status, detail) => {
    expect(await set({ ...canary, ...change })).toMatchObject({
      status,
      body: { detail: expect.stringMatching(detail) },
    })
    expect((await list()).canaries).toEqual([])
  })

  test("at the operator's hosts are set, listed and removed", async () => {
    expect(await set(canary)).toMatchObject({ status: 200, body: canary })
    expect((await list()).canaries).toMatchObject([canary])
    const remove = () =>
      call("DELETE", "/fleet/canaries/{operator}", { at: "/fleet/canaries/mx.listed.test", ...asAdmin() })
    expect((await remove()).status).toBe(200)
    expect((await remove()).status).toBe(404)
  })
})
