import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createLookup, createOutages } from "../../../src/adapters/external-calls.ts"
import { createHibp } from "../../../src/adapters/signals/breach-source.ts"
import { HIBP_KEY, startHibp } from "../../support/providers/hibp-server.ts"
import type { StubServer } from "../../support/providers/stub-server.ts"

let server: StubServer
beforeAll(async () => {
  server = await startHibp()
})
afterAll(() => server.stop())

function client({ apiKey = HIBP_KEY, userAgent = "Mailverdict" } = {}) {
  const time = { now: 0 }
  const logged: [string, object][] = []
  const source = createHibp(
    { url: server.url, apiKey },
    {
      lookUp: createLookup((url, init) => fetch(url, init)),
      clock: { now: () => time.now, sleep: async () => undefined },
      outages: createOutages(),
      log: (event, fields) => void logged.push([event, fields]),
      userAgent,
    },
  )
  return { time, source, logged }
}

describe("Have I Been Pwned", () => {
  test("returns breaches with their date and the exposed data", async () => {
    expect(await client().source.breachesOf("Pwned@mailbox.test ")).toEqual([
      { name: "Adobe", breachedOn: "2013-10-04", exposed: ["Email addresses", "Passwords"] },
      { name: "Forum", breachedOn: "2020-01-31", exposed: ["Email addresses"] },
    ])
  })

  test("404 means no breaches; an address is encoded into the path", async () => {
    expect(await client().source.breachesOf("a/b?c#d@mailbox.test")).toEqual([])
    expect(server.calls).toContain("GET /breachedaccount/a/b?c#d@mailbox.test")
  })

  test.each([
    ["a wrong key", { apiKey: "wrong" }, "alice@mailbox.test"],
    ["a failure", {}, "broken@mailbox.test"],
  ])("%s is no answer", async (_, settings, email) => {
    expect(await client(settings).source.breachesOf(email)).toBeNull()
  })

  test("an expired key is logged for the operator, once per pause", async () => {
    const { source, logged } = client({ apiKey: "wrong" })
    for (const email of ["alice@mailbox.test", "bob@mailbox.test"]) expect(await source.breachesOf(email)).toBeNull()
    expect(logged).toEqual([["breach_service_failed", { answered: 401 }]])
    const fine = client()
    expect(await fine.source.breachesOf("nobody@mailbox.test")).toEqual([])
    expect(fine.logged).toEqual([])
  })

  test("429 is no answer, and no request is sent before Retry-After is over", async () => {
    const { time, source } = client()
    const calls = () => server.calls.filter((call) => call.includes("pause@")).length
    expect(await source.breachesOf("slow-down@mailbox.test")).toBeNull()
    time.now = 1_999
    expect(await source.breachesOf("pause@mailbox.test")).toBeNull()
    expect(calls()).toBe(0)
    time.now = 2_000
    expect(await source.breachesOf("pause@mailbox.test")).toEqual([])
    expect(calls()).toBe(1)
  })

  test("an address that the service rejects is no answer, and no outage for the next one", async () => {
    const { source } = client()
    expect(await source.breachesOf('"a b"@mailbox.test')).toBeNull()
    expect(await source.breachesOf("pwned@mailbox.test")).toHaveLength(2)
  })

  test("an unreachable server is no answer", async () => {
    const source = createHibp(
      { url: "http://127.0.0.1:1", apiKey: HIBP_KEY },
      {
        lookUp: createLookup((url, init) => fetch(url, init)),
        clock: { now: () => 0, sleep: async () => undefined },
        outages: createOutages(),
        log: () => undefined,
        userAgent: "x",
      },
    )
    expect(await source.breachesOf("alice@mailbox.test")).toBeNull()
  })
})
