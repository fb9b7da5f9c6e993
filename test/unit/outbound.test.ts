import { afterEach, expect, test, vi } from "vitest"
import { outboundOf, publicOutboundOf } from "../../src/adapters/outbound.ts"

afterEach(() => vi.unstubAllGlobals())

const says = (text: string) => async () => new Response(text)

test("calls leave by the binding where there is one, else as the platform does", async () => {
  vi.stubGlobal("fetch", says("platform"))
  const bound = { OUTBOUND: { fetch: says("binding") }, OUTBOUND_PUBLIC: { fetch: says("public binding") } }
  const ways = [
    [outboundOf(bound), "binding"],
    [outboundOf({}), "platform"],
    [publicOutboundOf(bound), "public binding"],
    [publicOutboundOf({}), "platform"],
  ] as const
  for (const [leave, way] of ways) {
    const response = await leave("https://example.test/")
    expect(await response.text()).toBe(way)
  }
})

test("every call says what is calling: a Worker sends no User-Agent, and Cloudflare's default refuses calls without one", async () => {
  const sent: Headers[] = []
  const leave: typeof fetch = async (input, init) => {
    sent.push(new Request(input, init).headers)
    return new Response()
  }
  const bound = outboundOf({ OUTBOUND: { fetch: leave } })
  const json = { "content-type": "application/json" }
  await bound("https://example.test/")
  await bound("https://example.test/", { method: "POST", headers: json, body: "{}" })
  await bound(new Request("https://example.test/", { method: "POST", headers: json, body: "{}" }), { method: "POST" })
  await bound("https://example.test/", { headers: { "User-Agent": "own" } })
  expect(sent.map((headers) => headers.get("user-agent"))).toEqual([...Array(3).fill("Mailverdict"), "own"])
  expect(sent.map((headers) => headers.get("content-type"))).toEqual([
    null,
    ...Array(2).fill(json["content-type"]),
    null,
  ])
})
