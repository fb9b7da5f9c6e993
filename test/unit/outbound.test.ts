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
