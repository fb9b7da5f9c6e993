import { describe, expect, test } from "vitest"
import { createCredentialType } from "../../../src/adapters/credential-type/credential-type.ts"
import { createOutages } from "../../../src/adapters/outages.ts"

const URL = "https://login.test/common/GetCredentialType"

function asking(answer: () => Response) {
  const calls: unknown[] = []
  let now = 1_000_000
  const fetch = async (_: string, init: RequestInit) => {
    calls.push(JSON.parse(String(init.body)))
    return answer()
  }
  const clock = { now: () => now, sleep: async () => undefined }
  const type = createCredentialType(URL, { fetch, clock, outages: createOutages() })
  return { type, calls, pass: (ms: number) => (now += ms) }
}

describe("Microsoft's sign-in page is a weak sign", () => {
  test.each([
    ["exists", { IfExistsResult: 0, ThrottleStatus: 0 }],
    ["exists", { IfExistsResult: 5, ThrottleStatus: 0 }],
    ["not_found", { IfExistsResult: 1, ThrottleStatus: 0 }],
    ["throttled", { IfExistsResult: 0, ThrottleStatus: 1 }],
    ["failure", { IfExistsResult: "0" }],
    ["failure", null],
  ])("%s: %j", async (kind, body) => {
    const { type, calls } = asking(() => Response.json(body))
    expect(await type.ask("alice@company.test")).toEqual({ kind })
    expect(calls).toEqual([{ username: "alice@company.test", isOtherIdpSupported: true }])
  })

  test("one question a second, and a pause as long as it asks for", async () => {
    let status = 200
    const answer = () =>
      new Response(JSON.stringify({ IfExistsResult: 0 }), { status, headers: { "retry-after": "30" } })
    const { type, calls, pass } = asking(answer)
    await type.ask("a@x.test")
    expect(await type.ask("b@x.test")).toEqual({ kind: "throttled" })
    pass(1_001)
    status = 429
    expect(await type.ask("c@x.test")).toEqual({ kind: "throttled" })
    pass(29_000)
    expect(await type.ask("d@x.test")).toEqual({ kind: "throttled" })
    pass(1_001)
    status = 200
    expect(await type.ask("e@x.test")).toEqual({ kind: "exists" })
    expect(calls).toHaveLength(3)
  })

  test("a page that is no JSON", async () => {
    const { type } = asking(() => new Response("<html>"))
    expect(await type.ask("a@x.test")).toEqual({ kind: "failure" })
  })
})
