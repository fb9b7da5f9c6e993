import { afterAll, beforeAll, expect, test } from "vitest"
import { ChaosStack } from "../support/chaos-stack.ts"
import { LyingResolver } from "../support/lying-resolver.ts"

let resolver: LyingResolver
let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  resolver = await LyingResolver.start()
  // First in the list, as an operator's own resolver would stand; the sandbox knows .test better than anybody.
  chaos = await ChaosStack.start({ upstreamUrl: resolver.url })
  key = await chaos.newKey()
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(async () => {
  await chaos.stop()
  await resolver.stop()
})

const verify = (domain: string) => chaos.call(`/validate?email=alice@${domain}&timeout_ms=15000`, { key })
/** What mail servers were told. */
const connections = async () => {
  const log = (await (await fetch(new URL("/sandbox/log", chaos.sandbox.dohUrl))).json()) as { connections: unknown }
  return JSON.stringify(log.connections)
}

test.each([
  ["servfail.example", ["unknown"]],
  ["no-host.example", ["invalid", "unknown"]],
  ["crowd.example", ["unknown"]],
  ["circle.example", ["unknown"]],
  ["null-mx.example", ["invalid"]],
  ["loopback.example", ["invalid", "unknown"]],
  ["private.example", ["invalid", "unknown"]],
  ["metadata.example", ["invalid", "unknown"]],
  ["other-name.example", ["invalid", "unknown"]],
  ["absent.example", ["invalid"]],
])("%s is %j, and nobody was asked", { timeout: 40_000 }, async (domain, statuses) => {
  const { status, body } = await verify(domain)
  expect(status).toBe(200)
  expect(statuses).toContain(body.status)
  expect(await connections()).not.toContain(domain)
})

test.each(["garbage", "too much", "never"] as const)(
  "a resolver that answers %s: unknown, never invalid",
  {
    timeout: 60_000,
  },
  async (mood) => {
    resolver.mood = mood
    try {
      const { status, body } = await verify(`${mood.replace(" ", "-")}.example`)
      expect(status).toBe(200)
      expect(body.status).toBe("unknown")
    } finally {
      resolver.mood = "absent"
    }
  },
)

test("nothing of this was billed, and what is true is still told", async () => {
  const { body } = await chaos.call<{ credits_used: number }>("/usage", { key })
  expect(await verify("mailbox.test")).toMatchObject({ status: 200, body: { status: "valid" } })
  const after = await chaos.call<{ credits_used: number }>("/usage", { key })
  expect(after.body.credits_used - body.credits_used).toBe(1)
  expect(chaos.bugs).toEqual([])
})
