import { expect, test } from "vitest"
import type { FleetNode } from "../../../src/adapters/probes/fleet-node.ts"
import type { HealthRow } from "../../../src/adapters/store/fleet.ts"
import type { Looked } from "../../../src/adapters/store/fleet-records.ts"
import { lookAtNodes } from "../../../src/services/fleet/look-at-nodes.ts"

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const nodeOf = (id: string, accountId: string | null, health: Partial<HealthRow> | null = null): FleetNode => ({
  ...{ id, region: "eu", url: `https://${id}.test`, publicKeys: [], sourceIps: [], capacity: 10 },
  ...{ state: "healthy", load: 0, resting: [], isStatic: false, version: null, accountId },
  health: health as HealthRow | null,
})

/** @param looks what happens when a node is looked at */
function needsOf(nodes: readonly FleetNode[], looks: (id: string) => Promise<void> = async () => undefined) {
  const seen: string[] = []
  const saved: string[] = []
  const needs = {
    ...{ clock: { now: () => NOW }, log: () => undefined },
    fleet: { all: async () => nodes, refresh: async () => undefined },
    fleetStore: { hold: async () => undefined },
    fleetRecords: {
      saveHealth: async (looked: readonly Looked[]) => void saved.push(...looked.map(({ nodeId }) => nodeId)),
      tidy: async () => undefined,
    },
    nodeDoor: {
      async health({ id }: { id: string }) {
        seen.push(id)
        await looks(id)
        return { kind: "silent", error: "no answer" }
      },
    },
    dns: { resolve: async () => ({ kind: "records", records: ["8.8.8.8"] }) },
    fleetRules: { allowHttp: false, allowHosts: new Set(), ownHosts: [] },
  }
  return { seen, saved, needs: needs as never as Parameters<typeof lookAtNodes>[0] }
}

test("what the operator's nodes showed is kept before the last node of an account has been waited for", async () => {
  const { promise: never, resolve: giveUp } = Promise.withResolvers<void>()
  const holes = Array.from({ length: 60 }, (_, n) => nodeOf(`hole-${n}`, `acc-${n % 3}`))
  const shared = ["shared-1", "shared-2"].map((id) => nodeOf(id, null))
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { saved, needs } = needsOf([...holes, ...shared], async (id) => {
    if (!id.startsWith("hole")) return
    reach()
    await never
  })
  const done = lookAtNodes(needs)
  await reached
  const before = [...saved]
  giveUp()
  await done
  expect(before).toEqual(["shared-1", "shared-2"])
  expect(saved).toHaveLength(62)
})

test("what some nodes of accounts showed is kept before the others have been waited for", async () => {
  const holes = Array.from({ length: 60 }, (_, n) => nodeOf(`hole-${n}`, `acc-${n % 3}`))
  const before: number[] = []
  const { saved, needs } = needsOf(holes, async (id) => void (id === "hole-59" && before.push(saved.length)))
  await lookAtNodes(needs)
  expect(before[0]).toBeGreaterThan(30)
})

test("a node of an account that has been gone for an hour is looked at every ten minutes, until it answers", async () => {
  const gone = (hours: number, checked: number, more: Partial<HealthRow> = {}) => ({
    ...{ state: "gone" as const, since: NOW - hours * 60 * MINUTE, checkedAt: NOW - checked * MINUTE, good: 0, bad: 0 },
    ...more,
  })
  const { seen, needs } = needsOf([
    nodeOf("new", "acc"),
    nodeOf("dead-waits", "acc", gone(2, 9)),
    nodeOf("dead-due", "acc", gone(2, 10)),
    nodeOf("gone-lately", "acc", gone(0.9, 1)),
    nodeOf("comes-back", "acc", gone(2, 1, { good: 1 })),
    nodeOf("unfit", "acc", gone(2, 1, { state: "unfit" })),
    nodeOf("shared-dead", null, gone(2, 1)),
  ])
  await lookAtNodes(needs)
  expect(seen).toEqual(["shared-dead", "new", "dead-due", "gone-lately", "comes-back", "unfit"])
})
