import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import type { Dns } from "../../../src/adapters/dns/resolver.ts"
import { createWebhookSender } from "../../../src/adapters/webhooks/webhook-sender.ts"
import type { TargetRules } from "../../../src/domain/webhooks/target-url.ts"

/** The test vector of the Standard Webhooks libraries. */
const VECTOR = {
  eventId: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  at: 1_614_265_330_000,
  body: '{"test": 2432232314}',
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
const RULES: TargetRules = { allowHttp: false, allowHosts: new Set(), ownHosts: [] }
const MESSAGE = {
  eventId: VECTOR.eventId,
  url: "https://hooks.example/in",
  body: VECTOR.body,
  secrets: [VECTOR.secret],
}

type Addresses = Partial<Record<"A" | "AAAA", readonly string[] | "failure">>
interface Call {
  readonly way: "public" | "any"
  readonly url: string
  readonly init: RequestInit
}

function sender(addresses: Addresses, answer: (call: Call) => Promise<Response>, rules: Partial<TargetRules> = {}) {
  const calls: Call[] = []
  const dns = {
    resolve: async (_: string, type: "A" | "AAAA") => {
      const records = addresses[type] ?? []
      if (records === "failure") return { kind: "failure", reason: "timeout", detail: "" }
      return records.length > 0 ? { kind: "records", records } : { kind: "no_data" }
    },
  } as unknown as Dns
  const fetching = (way: Call["way"]) => async (url: string, init: RequestInit) => {
    calls.push({ way, url, init })
    return answer({ way, url, init })
  }
  const created = createWebhookSender({
    dns,
    fetch: fetching("any"),
    fetchPublic: fetching("public"),
    clock: { now: () => VECTOR.at },
    rules: { ...RULES, ...rules },
    userAgent: "test",
  })
  return {
    calls,
    isBlocked: created.isBlocked,
    send: (more: Partial<typeof MESSAGE> = {}) => created.send({ ...MESSAGE, ...more }),
  }
}
const PUBLIC: Addresses = { A: ["93.184.216.34"], AAAA: ["2606:2800:220:1::1"] }
const answered =
  (status: number, headers = {}) =>
  async () =>
    new Response(null, { status, headers })

describe("a message", () => {
  test("has the signature of the published vector, and another for each further secret", async () => {
    const { send, calls } = sender(PUBLIC, answered(200))
    await send({ secrets: [VECTOR.secret, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"] })
    const headers = new Headers(calls[0]!.init.headers)
    expect(headers.get("webhook-id")).toBe(VECTOR.eventId)
    expect(headers.get("webhook-timestamp")).toBe("1614265330")
    const [first, second, ...rest] = headers.get("webhook-signature")!.split(" ")
    expect(first).toBe(VECTOR.signature)
    expect(second).toMatch(/^v1,.{44}$/)
    expect(rest).toEqual([])
    expect(calls[0]!.way).toBe("public")
    expect(calls[0]!.init).toMatchObject({ method: "POST", redirect: "manual", body: VECTOR.body })
  })

  test.each([
    [204, {}, { outcome: "delivered", httpStatus: 204, retryAfterMs: null }],
    [302, { location: "https://x.example/" }, { outcome: "redirected", httpStatus: 302 }],
    [410, {}, { outcome: "gone" }],
    [503, { "retry-after": "30" }, { outcome: "refused", retryAfterMs: 30_000 }],
    [429, { "retry-after": "7" }, { outcome: "refused", retryAfterMs: 7_000 }],
    [500, { "retry-after": "30" }, { outcome: "refused", retryAfterMs: null }],
  ])("answered %i", async (status, headers, result) => {
    expect(await sender(PUBLIC, answered(status, headers)).send()).toMatchObject(result)
  })

  test("any thrown error is an outcome", async () => {
    const fails = (error: Error) => sender(PUBLIC, () => Promise.reject(error)).send()
    expect(await fails(new DOMException("", "TimeoutError"))).toMatchObject({ outcome: "timeout", httpStatus: null })
    expect(await fails(new TypeError("no route"))).toMatchObject({ outcome: "unreachable" })
  })
})

test("a polled endpoint gets no request, and its event counts as delivered", async () => {
  const { send, calls } = sender(PUBLIC, answered(500))
  expect(await send({ url: "poll:laptop" })).toEqual({
    ...{ outcome: "delivered", httpStatus: null, retryAfterMs: null, durationMs: 0 },
  })
  expect(calls).toEqual([])
})

describe("nothing is sent to a name that resolves to a non-public address at the attempt itself", () => {
  test.each([
    ["loopback", { A: ["127.0.0.1"] }],
    ["one of several", { A: ["93.184.216.34", "10.0.0.7"] }],
    ["the other family", { A: ["93.184.216.34"], AAAA: ["::1"] }],
    ["mapped", { AAAA: ["::ffff:127.0.0.1"] }],
    ["link-local", { A: ["169.254.169.254"] }],
    ["carrier-grade NAT", { A: ["100.64.0.1"] }],
    ["unique local", { AAAA: ["fd00::1"] }],
    ["NAT64 of loopback", { AAAA: ["64:ff9b::7f00:1"] }],
    ["local NAT64 with the address further ahead", { AAAA: ["64:ff9b:1:a00:0:100:808:808"] }],
    ["IPv4-compatible loopback", { AAAA: ["::7f00:1"] }],
  ] satisfies [string, Addresses][])("%s", async (_, addresses) => {
    const { send, isBlocked, calls } = sender(addresses, answered(200))
    expect(await send()).toMatchObject({ outcome: "blocked", httpStatus: null })
    expect(await isBlocked(MESSAGE.url)).toBe(true)
    expect(calls).toEqual([])
  })

  test.each([
    ["no address", {}],
    ["a partial DNS answer", { A: ["93.184.216.34"], AAAA: "failure" }],
  ] satisfies [string, Addresses][])("%s is unreachable", async (_, addresses) => {
    const { send, isBlocked, calls } = sender(addresses, answered(200))
    expect(await send()).toMatchObject({ outcome: "unreachable" })
    expect(await isBlocked(MESSAGE.url)).toBe(false)
    expect(calls).toEqual([])
  })

  test("a URL accepted under other rules is blocked; an exempt host needs no DNS", async () => {
    const strict = sender(PUBLIC, answered(200))
    expect(await strict.send({ url: "http://127.0.0.1:99/" })).toMatchObject({ outcome: "blocked" })
    expect(strict.calls).toEqual([])
    const exempt = sender({}, answered(200), { allowHosts: new Set(["127.0.0.1:99"]) })
    expect(await exempt.send({ url: "http://127.0.0.1:99/" })).toMatchObject({ outcome: "delivered" })
    expect(exempt.calls.map(({ way }) => way)).toEqual(["any"])
  })
})

describe("a hostile receiver", () => {
  const servers: ReturnType<typeof createServer>[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  test("with an endless response costs nothing: the response is not read", async () => {
    let sent = 0
    const server = createServer((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const real = createWebhookSender({
      dns: {} as Dns,
      fetch: (url, init) => fetch(url, init),
      fetchPublic: () => Promise.reject(new TypeError("not public")),
      clock: { now: () => Date.now() },
      rules: { ...RULES, allowHosts: new Set([host]) },
      userAgent: "test",
    })
    const result = await real.send({ ...MESSAGE, url: `http://${host}/` })
    expect(result).toMatchObject({ outcome: "delivered", httpStatus: 200 })
    expect(sent).toBeLessThan(20_000_000)
  })
})
