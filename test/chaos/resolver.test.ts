import { afterAll, beforeAll, expect, test } from "vitest"
import { FaultyResolver } from "../support/mail/faulty-resolver.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"

let resolver: FaultyResolver
let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  resolver = await FaultyResolver.start()
  // First in the list, like an operator's own resolver. The sandbox itself answers for .test.
  chaos = await ChaosStack.start({ upstreamUrl: resolver.url })
  key = await chaos.newKey()
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(async () => {
  await chaos.stop()
  await resolver.stop()
})

const verify = (domain: string) => chaos.call(`/validate?email=alice@${domain}&timeout_ms=15000`, { key })
/** Journal of the sandbox's mail servers. */
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
])("%s is %j, and no mail server is contacted", async (domain, statuses) => {
  const { status, body } = await verify(domain)
  expect(status).toBe(200)
  expect(statuses).toContain(body.status)
  expect(await connections()).not.toContain(domain)
})

test.each(["garbage", "too much", "never"] as const)(
  "a resolver that answers %s: unknown, never invalid",
  async (fault) => {
    resolver.fault = fault
    try {
      const { status, body } = await verify(`${fault.replace(" ", "-")}.example`)
      expect(status).toBe(200)
      expect(body.status).toBe("unknown")
    } finally {
      resolver.fault = "absent"
    }
  },
)

test("none of this was billed, and correct domains still verify", async () => {
  const { body } = await chaos.call<{ credits_used: number }>("/usage", { key })
  expect(await verify("mailbox.test")).toMatchObject({ status: 200, body: { status: "valid" } })
  const after = await chaos.call<{ credits_used: number }>("/usage", { key })
  expect(after.body.credits_used - body.credits_used).toBe(1)
  expect(chaos.bugs).toEqual([])
})
