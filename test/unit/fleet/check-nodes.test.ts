import { describe, expect, test } from "vitest"
import type { NodeHealth } from "../../../schema/wire/health.ts"
import type { FleetNode } from "../../../src/adapters/fleet/fleet-node.ts"
import type { HealthRow } from "../../../src/adapters/store/fleet/fleet.ts"
import type { CheckedHealth } from "../../../src/adapters/store/fleet/fleet-records.ts"
import { checkNodes } from "../../../src/services/fleet/check-nodes.ts"
import { testContext } from "../../support/deps/context.ts"

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const nodeOf = (id: string, accountId: string | null, health: Partial<HealthRow> | null = null): FleetNode => ({
  ...{ id, region: "eu", url: `https://${id}.test`, publicKeys: [], sourceIps: [], capacity: 10 },
  ...{ state: "healthy", load: 0, pausedIps: [], isStatic: false, version: null, accountId, drainedAt: null },
  health: health as HealthRow | null,
})

/** @param check what a health check of a node does */
function depsOf(nodes: readonly FleetNode[], check: (id: string) => Promise<void> = async () => undefined) {
  const seen: string[] = []
  const saved: string[] = []
  const ctx = testContext({
    ...{ clock: { now: () => NOW }, log: () => undefined },
    fleet: {
      ...{ all: async () => nodes, refresh: async () => undefined },
      ...{ claimChecks: (some: FleetNode[]) => some, endChecks: () => undefined },
    },
    nodeClient: {
      async health({ id }: { id: string }) {
        seen.push(id)
        await check(id)
        return { kind: "silent", error: "no answer" }
      },
    },
    dns: { resolve: async () => ({ kind: "records", records: ["8.8.8.8"] }) },
    store: {
      fleetStore: { pauseRoutes: async () => undefined },
      fleetRecords: {
        saveHealth: async (looked: readonly CheckedHealth[]) => void saved.push(...looked.map(({ nodeId }) => nodeId)),
        deleteObsolete: async () => undefined,
      },
    },
    config: { fleetRules: { allowHttp: false, allowHosts: new Set(), ownHosts: [] } },
  })
  return { seen, saved, ctx }
}

test("results of shared nodes are saved before the last node of an account responds", async () => {
  const { promise: never, resolve: giveUp } = Promise.withResolvers<void>()
  const holes = Array.from({ length: 60 }, (_, n) => nodeOf(`hole-${n}`, `acc-${n % 3}`))
  const shared = ["shared-1", "shared-2"].map((id) => nodeOf(id, null))
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { saved, ctx } = depsOf([...holes, ...shared], async (id) => {
    if (!id.startsWith("hole")) return
    reach()
    await never
  })
  const done = checkNodes(ctx)
  await reached
  const before = [...saved]
  giveUp()
  await done
  expect(before).toEqual(["shared-1", "shared-2"])
  expect(saved).toHaveLength(62)
})

test("results of a batch of account nodes are saved before the next batch", async () => {
  const holes = Array.from({ length: 60 }, (_, n) => nodeOf(`hole-${n}`, `acc-${n % 3}`))
  const before: number[] = []
  const { saved, ctx } = depsOf(holes, async (id) => void (id === "hole-59" && before.push(saved.length)))
  await checkNodes(ctx)
  expect(before[0]).toBeGreaterThan(30)
})

test("an account's node that is gone for an hour is checked every ten minutes, until it responds", async () => {
  const gone = (hours: number, checked: number, more: Partial<HealthRow> = {}) => ({
    ...{ state: "gone" as const, since: NOW - hours * 60 * MINUTE, checkedAt: NOW - checked * MINUTE, good: 0, bad: 0 },
    ...more,
  })
  const { seen, ctx } = depsOf([
    nodeOf("new", "acc"),
    nodeOf("dead-waits", "acc", gone(2, 9)),
    nodeOf("dead-due", "acc", gone(2, 10)),
    nodeOf("gone-lately", "acc", gone(0.9, 1)),
    nodeOf("comes-back", "acc", gone(2, 1, { good: 1 })),
    nodeOf("unfit", "acc", gone(2, 1, { state: "unfit" })),
    nodeOf("shared-dead", null, gone(2, 1)),
  ])
  await checkNodes(ctx)
  expect(seen).toEqual(["shared-dead", "new", "dead-due", "gone-lately", "comes-back", "unfit"])
})

describe("a node whose doctor found it unfit", () => {
  const doctor = (fit: boolean) => ({ ranAt: NOW, fit, findings: [] })
  const report = (startedAt: number, fit: boolean | null): NodeHealth => ({
    ...{ id: "local-1", region: "local", version: "1", serverTime: NOW, startedAt, draining: false },
    ...{ load: { active: 0, waiting: 0, concurrency: 10 }, sourceIps: [], blocks: [] },
    doctor: fit === null ? null : doctor(fit),
  })
  const UNFIT = { state: "unfit" as const, reason: "unfit", since: NOW, good: 0, bad: 0, checkedAt: NOW - MINUTE }
  const [OLD, NEW] = [NOW - 60 * MINUTE, NOW - MINUTE / 2]

  test.each<[what: string, before: NodeHealth, reports: NodeHealth[], state: string]>([
    ["and restarted fit is used after one check", report(OLD, false), [report(NEW, true)], "healthy"],
    [
      "is used after the first check with the doctor's report",
      report(OLD, false),
      [report(NEW, null), report(NEW, true)],
      "healthy",
    ],
    ["and restarted is not used before its doctor has reported", report(OLD, false), [report(NEW, null)], "unfit"],
    ["and restarted unfit stays unfit", report(OLD, false), [report(NEW, false), report(NEW, true)], "unfit"],
    ["needs three checks without a restart", report(OLD, false), [report(OLD, true), report(OLD, true)], "unfit"],
  ])("%s", async (_, before, reports, state) => {
    let health = { ...UNFIT, report: before } as unknown as HealthRow
    for (const seen of reports) {
      const { ctx } = depsOf([nodeOf("local-1", null, health)])
      await checkNodes({
        ...ctx,
        nodeClient: {
          ...ctx.nodeClient,
          health: async () => ({ kind: "answered", rttMs: 1, skewMs: 0, health: seen }),
        },
        store: {
          ...ctx.store,
          fleetRecords: {
            ...ctx.store.fleetRecords,
            saveHealth: async ([looked]: readonly CheckedHealth[]) => {
              if (looked) health = looked as unknown as HealthRow
            },
          },
        },
      })
    }
    expect(health.state).toBe(state)
  })
})
