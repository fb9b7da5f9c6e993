import { afterAll, beforeAll, expect, test } from "vitest"
import { ChaosStack } from "../support/stack/chaos-stack.ts"

/** No cron runs within the test, as if a minute had just begun. */
const NO_CRON = String(3_600_000)
const WAIT = { interval: 200 }

interface Health {
  readonly status: string
  readonly probe_nodes: number
  readonly fleet: Readonly<Record<string, number>>
}
interface Probe {
  readonly id: string
  readonly state: string
  readonly reason: string | null
}

let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  chaos = await ChaosStack.start({ clocks: [0, 0, 600_000], settings: { CRON_MINUTE_MS: NO_CRON } })
  key = await chaos.newKey()
})
afterAll(() => chaos.stop())

const health = async () => (await chaos.call<Health>("/health")).body
async function nodes(): Promise<Record<string, string>> {
  const headers = { "x-admin-secret": chaos.adminSecret }
  const { body } = await chaos.call<{ regions: { probes: Probe[] }[] }>("/regions/health", { headers })
  const probes = body.regions.flatMap((region) => region.probes)
  return Object.fromEntries(probes.map(({ id, state, reason }) => [id, [state, reason].filter(Boolean).join(": ")]))
}

test("nodes are counted from their first doctor report on, and a wrong clock is named with its side", async () => {
  await expect.poll(async () => (await health()).probe_nodes, WAIT).toBe(2)
  await expect.poll(nodes, WAIT).toMatchObject({
    "node-0": "healthy",
    "node-1": "healthy",
    "node-2": "unfit: the node's clock is 600.0 s ahead of this edge's: turn on time synchronization on the node",
  })
})

test("a node that died is gone at once after calls that could not reach it, and nothing waits for a cron", async () => {
  await chaos.nodes[0]!.child.stop()
  await chaos.nodes[0]!.proxy.stop()
  const verify = async (n: number) => (await chaos.call(`/validate?email=user${n}@d0710.test`, { key })).body.status
  // Both nodes get their share of addresses, and the other one answers for the dead one.
  const verdicts = await Promise.all(Array.from({ length: 12 }, (_, n) => verify(n)))
  expect(new Set(verdicts)).toEqual(new Set(["valid"]))
  await expect
    .poll(nodes, WAIT)
    .toMatchObject({ "node-0": "gone: the node cannot be reached: connection refused or broken", "node-1": "healthy" })
  expect(await health()).toMatchObject({ status: "ok", probe_nodes: 1, fleet: { healthy: 1, gone: 1 } })
})
