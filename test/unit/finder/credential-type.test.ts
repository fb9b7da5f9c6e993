import { describe, expect, test } from "vitest"
import { createLookup, createOutages } from "../../../src/adapters/external-calls.ts"
import { createCredentialType } from "../../../src/adapters/signals/account-lookup.ts"

const URL = "https://login.test/common/GetCredentialType"

function createType(answer: () => Response) {
  const calls: unknown[] = []
  let now = 1_000_000
  const fetch = async (_: string, init: RequestInit) => {
    calls.push(JSON.parse(String(init.body)))
    return answer()
  }
  const clock = { now: () => now, sleep: async () => undefined }
  const type = createCredentialType(URL, { lookUp: createLookup(fetch), clock, outages: createOutages() })
  return { type, calls, pass: (ms: number) => (now += ms) }
}

describe("Microsoft's sign-in page", () => {
  test.each([
    ["exists", { IfExistsResult: 0, ThrottleStatus: 0 }],
    ["exists", { IfExistsResult: 5, ThrottleStatus: 0 }],
    ["not_found", { IfExistsResult: 1, ThrottleStatus: 0 }],
    ["throttled", { IfExistsResult: 0, ThrottleStatus: 1 }],
    ["failure", { IfExistsResult: "0" }],
    ["failure", null],
  ])("%s: %j", async (kind, body) => {
    const { type, calls } = createType(() => Response.json(body))
    expect(await type.query("alice@company.test")).toEqual({ kind })
    expect(calls).toEqual([{ username: "alice@company.test", isOtherIdpSupported: true }])
  })

  test("gets at most one request a second, and a pause as long as its Retry-After", async () => {
    let status = 200
    const answer = () =>
      new Response(JSON.stringify({ IfExistsResult: 0 }), { status, headers: { "retry-after": "30" } })
    const { type, calls, pass } = createType(answer)
    await type.query("a@x.test")
    expect(await type.query("b@x.test")).toEqual({ kind: "throttled" })
    pass(1_001)
    status = 429
    expect(await type.query("c@x.test")).toEqual({ kind: "throttled" })
    pass(29_000)
    expect(await type.query("d@x.test")).toEqual({ kind: "throttled" })
    pass(1_001)
    status = 200
    expect(await type.query("e@x.test")).toEqual({ kind: "exists" })
    expect(calls).toHaveLength(3)
  })

  test("a page that is not JSON is a failure", async () => {
    const { type } = createType(() => new Response("<html>"))
    expect(await type.query("a@x.test")).toEqual({ kind: "failure" })
  })
})
