import { expect, test } from "vitest"
import { createFleet } from "../../../src/adapters/fleet/fleet.ts"
import { FleetMemory } from "../../../src/adapters/fleet/fleet-memory.ts"
import type { HealthCheck } from "../../../src/adapters/fleet/node-client.ts"
import type { FleetRows, HealthRow } from "../../../src/adapters/store/fleet/fleet.ts"
import type { CheckedHealth } from "../../../src/adapters/store/fleet/fleet-records.ts"
import { checkNodes, checkStaleNodes, checkUnsettledNodes } from "../../../src/services/fleet/check-nodes.ts"
import { reasonOf } from "../../../src/services/fleet/visible-nodes.ts"
import { testContext } from "../../support/deps/context.ts"

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const FINE = {
  ...{ kind: "answered", rttMs: 1, skewMs: 0 },
  health: {
    ...{
      id: "n1",
      region: "eu",
      version: "1",
      serverTime: NOW,
      startedAt: 1,
      draining: false,
      sourceIps: [],
      blocks: [],
    },
    ...{ load: { active: 0, waiting: 0, concurrency: 10 }, doctor: { ranAt: NOW, fit: true, findings: [] } },
  },
} as Extract<HealthCheck, { kind: "answered" }>
const HEALTHY: HealthRow = {
  ...{ nodeId: "n1", state: "healthy", reason: null, since: NOW - MINUTE, good: 0, bad: 0, checkedAt: NOW - MINUTE },
  ...{ rttMs: 1, skewMs: 0, report: FINE.health, listings: null, listingsAt: null },
}
const SILENT: HealthCheck = { kind: "silent", error: "Network connection lost." }

/** One isolate with the shared node n1. Its checks end when `answer` is called, in their order. */
function isolate(stored: Partial<HealthRow> = {}) {
  const world = { now: NOW, row: { ...HEALTHY, ...stored } as HealthRow, slept: [] as number[], events: [] as string[] }
  const waiting: ((response: HealthCheck) => void)[] = []
  const clock = {
    now: () => world.now,
    async sleep(ms: number) {
      world.slept.push(ms)
    },
  }
  const memory = new FleetMemory(Math.random)
  const rows = (): FleetRows => ({ nodes: [], drains: [], health: [world.row], routes: [], counts: [] })
  const fleet = createFleet({
    config: { probeNodes: [{ id: "n1", region: "eu", url: "https://n1.test", publicKeys: [] }] },
    ...{ memory, clock, log: () => undefined, background: () => undefined },
    store: () => ({ read: async () => rows(), addCounts: async () => undefined, pauseRoutes: async () => undefined }),
  })
  let checks = 0
  const ctx = testContext({
    ...{ clock, fleet, background: () => undefined, log: (event: string) => void world.events.push(event) },
    nodeClient: {
      health() {
        checks++
        return new Promise<HealthCheck>((resolve) => waiting.push(resolve))
      },
    },
    store: {
      fleetStore: { pauseRoutes: async () => undefined },
      fleetRecords: {
        saveHealth: async ([seen]: readonly CheckedHealth[]) => {
          if (seen) world.row = { ...world.row, ...seen }
        },
        deleteObsolete: async () => undefined,
      },
    },
  })
  return {
    ...{ world, memory, ctx },
    checks: () => checks,
    node: async () => (await fleet.all())[0]!,
    stale: async () => checkStaleNodes(ctx, await fleet.all()),
    answer: (response: HealthCheck) => waiting.shift()?.(response),
    /** Runs the work, and lets each check that it begins end with the response. */
    async during(work: Promise<void>, response: HealthCheck) {
      const done = { is: false }
      void work.finally(() => {
        done.is = true
      })
      while (!done.is) {
        waiting.shift()?.(response)
        await new Promise(setImmediate)
      }
      await work
    },
  }
}

test("calls that could not reach a node change its state here, and no good check stores that for all edges", async () => {
  const { world, memory, ctx, node, during } = isolate()
  await ctx.fleet.refresh()
  for (const state of ["degraded", "gone"]) {
    memory.addFailure("n1", "Network connection lost.", NOW)
    const seen = await node()
    expect([seen.state, reasonOf(seen), seen.health?.state]).toEqual([
      ...[state, "the node cannot be reached: connection refused or broken", "healthy"],
    ])
  }
  world.now += 1
  await during(checkUnsettledNodes(ctx), FINE)
  expect(world.row).toMatchObject({ state: "healthy", reason: null, good: 0, bad: 0, since: HEALTHY.since })
  expect([(await node()).state, reasonOf(await node()), world.events]).toEqual(["healthy", null, []])
})

test("a node that neither calls nor a check could reach stays gone until a good check", async () => {
  const { world, memory, ctx, node, during } = isolate()
  await ctx.fleet.refresh()
  for (const _ of ["one", "two"]) memory.addFailure("n1", "Network connection lost.", NOW)
  const states: string[] = []
  for (const response of [SILENT, FINE]) {
    world.now += 5_000
    await during(checkUnsettledNodes(ctx), response)
    states.push(`${(await node()).state}, stored ${world.row.state}`)
  }
  world.now += 5_000
  await during(checkNodes(ctx), FINE)
  states.push((await node()).state)
  expect(states).toEqual(["gone, stored degraded", "degraded, stored degraded", "degraded"])
})

test("a node is checked by one cron or caller at a time, and its check has the time of its start", async () => {
  const { world, ctx, checks, stale, answer, during } = isolate({ state: "gone", since: NOW - 1 })
  await ctx.fleet.refresh()
  const first = checkUnsettledNodes(ctx)
  await expect.poll(checks).toBe(1)
  const startedAt = world.now
  world.now += 4_900
  await Promise.all([checkNodes(ctx), checkUnsettledNodes(ctx), stale()])
  expect(checks()).toBe(1)
  answer(FINE)
  await first
  expect(world.row).toMatchObject({ checkedAt: startedAt, good: 1 })
  world.now += 1_000
  await during(checkNodes(ctx), FINE)
  expect([checks(), world.row.good]).toEqual([2, 2])
})

test("a second missed check counts from 5 s after the first", async () => {
  const { world, ctx, stale, during } = isolate()
  const states: string[] = []
  for (const ms of [0, 1_000, 3_999, 1]) {
    world.now += ms
    await during(checkNodes(ctx), SILENT)
    await during(checkUnsettledNodes(ctx), SILENT)
    await during(stale(), SILENT)
    states.push(`${world.row.state}, bad ${world.row.bad}`)
  }
  expect(states).toEqual(["degraded, bad 1", "degraded, bad 1", "degraded, bad 1", "gone, bad 0"])
})

test.each([
  ["gone since an hour, which a cron checks every ten minutes, is not checked", 61 * MINUTE, 0, []],
  ["gone for a minute is checked without the caller", MINUTE, 1, []],
  ["not gone is checked, and the caller waits for 2 s at most", null, 1, [2_000]],
])("for a caller, a silent node %s", async (_, goneMs, expected, slept) => {
  const gone = goneMs === null ? {} : { state: "gone" as const, since: NOW - goneMs }
  const { world, ctx, stale, checks } = isolate(gone)
  await ctx.fleet.refresh()
  await stale()
  expect([checks(), world.slept]).toEqual([expected, slept])
})
