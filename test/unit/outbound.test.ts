import { afterEach, expect, test, vi } from "vitest"
import { outboundOf } from "../../src/adapters/outbound.ts"

afterEach(() => vi.unstubAllGlobals())

const says = (text: string) => async () => new Response(text)

test("calls leave by the binding where there is one, else as the platform does", async () => {
  vi.stubGlobal("fetch", says("platform"))
  const ways = [
    [{ OUTBOUND: { fetch: says("binding") } }, "binding"],
    [{}, "platform"],
  ] as const
  for (const [bindings, way] of ways) {
    const response = await outboundOf(bindings)("https://example.test/")
    expect(await response.text()).toBe(way)
  }
})
