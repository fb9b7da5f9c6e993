import { afterEach, expect, test, vi } from "vitest"
import { outboundOf, publicOutboundOf, unreachableLog } from "../../../src/adapters/outbound.ts"
import { ownNumber } from "../../support/deps/own-number.ts"

afterEach(() => vi.unstubAllGlobals())

const ignore = () => undefined
const says = (text: string) => async () => new Response(text)

test("calls use the binding when there is one, else the platform's fetch", async () => {
  vi.stubGlobal("fetch", says("platform"))
  const bound = { OUTBOUND: { fetch: says("binding") }, OUTBOUND_PUBLIC: { fetch: says("public binding") } }
  const ways = [
    [outboundOf(bound, ignore), "binding"],
    [outboundOf({}, ignore), "platform"],
    [publicOutboundOf(bound), "public binding"],
    [publicOutboundOf({}), "platform"],
  ] as const
  for (const [leave, way] of ways) {
    const response = await leave("https://example.test/")
    expect(await response.text()).toBe(way)
  }
})

test("every call has a User-Agent: a Worker sends none, and Cloudflare refuses such calls by default", async () => {
  const sent: Headers[] = []
  const leave: typeof fetch = async (input, init) => {
    sent.push(new Request(input, init).headers)
    return new Response()
  }
  const bound = outboundOf({ OUTBOUND: { fetch: leave } }, ignore)
  const json = { "content-type": "application/json" }
  await bound("https://example.test/")
  await bound("https://example.test/", { method: "POST", headers: json, body: "{}" })
  await bound(new Request("https://example.test/", { method: "POST", headers: json, body: "{}" }), { method: "POST" })
  await bound("https://example.test/", { headers: { "User-Agent": "own" } })
  await bound("https://example.test/", { headers: new Headers({ "User-Agent": "own" }) })
  await bound("https://example.test/", { headers: new Headers(json) })
  expect(sent.map((headers) => headers.get("user-agent"))).toEqual([
    ...Array(3).fill("Mailverdict"),
    ...["own", "own", "Mailverdict"],
  ])
  expect(sent.map((headers) => headers.get("content-type"))).toEqual([
    null,
    ...Array(2).fill(json["content-type"]),
    ...[null, null, json["content-type"]],
  ])
})

test("an unreachable server is logged by its host, once in ten minutes", async () => {
  const lines: unknown[] = []
  let now = 0
  const report = unreachableLog((event, fields) => void lines.push({ event, ...fields }), { now: () => now })
  const lost = outboundOf(
    { OUTBOUND: { fetch: async () => Promise.reject(new Error("Network connection lost.")) } },
    report,
  )
  const call = (url: string, init?: RequestInit) => lost(url, init).catch((error: Error) => error.message)
  const [resolver, registry] = ["resolver", "registry"].map((name) => `${name}-${ownNumber()}.example`)
  expect(await call(`https://${resolver}/dns-query?dns=AAAB`)).toBe("Network connection lost.")
  await call(`https://${resolver}/other`)
  await call(`https://${registry}/domain/example.com`)
  await call("https://given-up.example/", { signal: AbortSignal.abort() })
  expect(lines).toEqual([
    { event: "service_unreachable", host: resolver },
    { event: "service_unreachable", host: registry },
  ])
  now = 600_001
  await call(`https://${resolver}/dns-query`)
  expect(lines).toHaveLength(3)
})
