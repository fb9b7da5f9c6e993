import { describe, expect, test } from "vitest"
import { HEALTH_STATES, type HealthState } from "../../../schema/vocabulary.ts"
import { createFleet } from "../../../src/adapters/fleet/fleet.ts"
import { FleetMemory } from "../../../src/adapters/fleet/fleet-memory.ts"
import type { FleetRows, HealthRow } from "../../../src/adapters/store/fleet/fleet.ts"
import { reasonOf } from "../../../src/services/fleet/visible-nodes.ts"

const NOW = 1_800_000_000_000
const healthOf = (nodeId: string, state: HealthState): HealthRow => ({
  ...{ nodeId, state, reason: state === "healthy" ? null : `is ${state}`, since: NOW, good: 0, bad: 0, checkedAt: NOW },
  ...{ rttMs: 1, skewMs: 0, report: null, listings: null, listingsAt: null },
})
const EMPTY: FleetRows = { nodes: [], drains: [], health: [], routes: [], counts: [] }

/** A fleet of the static nodes n1 and n2. @param read the rows of each read */
function fleetOf(read: () => Promise<FleetRows>, clock = { ms: NOW }) {
  const probeNodes = ["n1", "n2"].map((id) => ({ id, region: "eu", url: `https://${id}.test`, publicKeys: [] }))
  return createFleet({
    ...{ config: { probeNodes }, memory: new FleetMemory(Math.random), log: () => undefined },
    clock: { now: () => clock.ms, sleep: async () => undefined },
    store: () => ({ read, addCounts: async () => undefined, pauseRoutes: async () => undefined }),
    background: () => undefined,
  })
}

describe("a drained node", () => {
  const drains = [{ nodeId: "n1", drainedAt: NOW }]

  test.each(HEALTH_STATES)("that is %s gets no probe, beside a healthy node and alone", async (state) => {
    const beside = fleetOf(async () => ({
      ...EMPTY,
      drains,
      health: [healthOf("n1", state), healthOf("n2", "healthy")],
    }))
    expect((await beside.usableNodes(null)).map(({ id }) => id)).toEqual(["n2"])
    const both = [...drains, { nodeId: "n2", drainedAt: NOW }]
    const alone = fleetOf(async () => ({ ...EMPTY, drains: both, health: [healthOf("n1", state)] }))
    expect(await alone.usableNodes(null)).toEqual([])
  })

  test.each([
    [null, "gets no new probes until it is resumed; not checked yet"],
    ["healthy", "gets no new probes until it is resumed"],
    ["unfit", "gets no new probes until it is resumed; is unfit"],
  ] as const)("that is %s says why", async (state, reason) => {
    const health = state === null ? [] : [healthOf("n1", state)]
    const [node] = await fleetOf(async () => ({ ...EMPTY, drains, health })).all()
    expect(node).toMatchObject({ state: "draining", drainedAt: NOW })
    expect(reasonOf(node!)).toBe(reason)
  })
})

test("a read of the registry that began before a drain, and ends after it, does not undo it", async () => {
  const clock = { ms: NOW }
  const reads = [Promise.withResolvers<FleetRows>(), Promise.withResolvers<FleetRows>()]
  let begun = 0
  const fleet = fleetOf(() => reads[begun++]!.promise, clock)
  const early = fleet.refresh()
  clock.ms++
  const late = fleet.refresh()
  const health = [healthOf("n2", "healthy")]
  reads[1]!.resolve({ ...EMPTY, health, drains: [{ nodeId: "n1", drainedAt: NOW }] })
  await late
  reads[0]!.resolve(EMPTY)
  await early
  expect((await fleet.all()).map(({ state }) => state)).toEqual(["draining", "healthy"])
})

test("a node without a health check is neither used nor healthy, whether it is configured or enrolled", async () => {
  const fleet = fleetOf(async () => EMPTY)
  expect((await fleet.all()).map((node) => [node.state, reasonOf(node)])).toEqual([
    ["unfit", "not checked yet"],
    ["unfit", "not checked yet"],
  ])
  expect(await fleet.usableNodes(null)).toEqual([])
})

test("a node is checked for a caller at most once in a time, and not soon after another check", async () => {
  const clock = { ms: NOW + 5_000 }
  const fleet = fleetOf(async () => ({ ...EMPTY, health: [healthOf("n1", "healthy")] }), clock)
  const claim = async () => fleet.claimChecks(await fleet.all(), 10_000).map(({ id }) => id)
  expect([await claim(), await claim()]).toEqual([["n2"], []])
  clock.ms += 6_000
  expect([await claim(), await claim()]).toEqual([["n1"], []])
})

test("a fleet that could not be read is read again by the next call, and one that is known is used meanwhile", async () => {
  const clock = { ms: NOW }
  let isAway = true
  const health = [healthOf("n1", "healthy")]
  const fleet = fleetOf(async () => {
    if (isAway) throw new Error("the database does not answer")
    return { ...EMPTY, health }
  }, clock)
  const usable = async () => (await fleet.usableNodes(null)).map(({ id }) => id)
  expect(await usable()).toEqual([])
  isAway = false
  expect(await usable()).toEqual(["n1"])
  isAway = true
  clock.ms += 200_000
  expect(await usable()).toEqual(["n1"])
})
