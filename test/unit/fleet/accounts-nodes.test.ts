import { describe, expect, test } from "vitest"
import type { FleetNode } from "../../../src/adapters/fleet/fleet-node.ts"
import type { CheckedHealth } from "../../../src/adapters/store/fleet/fleet-records.ts"
import { collectMetrics } from "../../../src/services/admin/collect-metrics.ts"
import { runCanaries } from "../../../src/services/fleet/canaries.ts"
import { checkNodes } from "../../../src/services/fleet/check-nodes.ts"
import { checkNodeBlocklists } from "../../../src/services/fleet/source-ips.ts"
import { testContext } from "../../support/deps/context.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const nodeOf = (id: string, accountId: string | null): FleetNode => ({
  ...{ id, region: "eu", url: `https://${id}.test`, publicKeys: [], sourceIps: ["8.8.4.4"], capacity: 10 },
  ...{
    state: "healthy",
    load: 0,
    pausedIps: [],
    isStatic: accountId === null,
    version: null,
    accountId,
    health: null,
    drainedAt: null,
  },
})
const HOSTILE = Array.from({ length: 20 }, (_, n) => nodeOf(`hostile-${n}`, "acc"))
const SHARED = nodeOf("shared", null)

describe("nodes of an account", () => {
  test("never receive canaries, and do not delay the canaries of shared nodes", async () => {
    const asked: string[] = []
    const ctx = testContext({
      ...{ clock: { now: () => NOW }, log: () => undefined, randomToken: () => "token" },
      dns: dnsZone({ "control.test": { MX: [{ host: "mx.control.test", preference: 10 }] } }),
      fleet: { all: async () => [...HOSTILE, SHARED], refresh: async () => undefined },
      probes: {
        async probe(_: unknown, { onlyNode = "" }) {
          asked.push(onlyNode)
          return { kind: "unavailable" }
        },
      },
      store: {
        fleetRecords: {
          canaries: async () => [
            { operator: "mx.control.test", existing: "is@control.test", missing: "no@control.test" },
          ],
          routes: async () => [],
          recordCanary: async () => undefined,
        },
      },
      config: { canaryEveryMs: MINUTE },
    })
    await runCanaries(ctx)
    expect(asked).toEqual(["shared"])
  })

  test("are checked on blocklists after shared nodes, and a silent node delays none of them", async () => {
    const asked: string[][] = []
    const { promise: never } = Promise.withResolvers<null>()
    const shared = { ...SHARED }
    const ctx = testContext({
      ...{ log: () => undefined, randomToken: () => "token" },
      fleet: { all: async () => [...HOSTILE, shared] },
      nodeClient: {
        async rbl({ id }: FleetNode) {
          asked.at(-1)!.push(id)
          return id === "hostile-3" ? never : null
        },
      },
      store: { fleetRecords: { saveListings: async () => undefined } },
    })
    for (let minute = 0; minute < 20; minute++) {
      asked.push([])
      void checkNodeBlocklists({ ...ctx, clock: { now: () => NOW + minute * MINUTE, sleep: async () => undefined } })
      await new Promise(setImmediate)
    }
    for (const of of asked) expect(of[0]).toBe("shared")
    expect(new Set(asked.flat()).size).toBe(21)
  })

  test("pause nothing by their block reports; shared nodes do, at known operators", async () => {
    const held: unknown[] = []
    const saved: CheckedHealth[] = []
    const blocks = ["google", "mx.somebody.test"].map((operator) => {
      return { operator, sourceIp: "8.8.4.4", blocked: 8, isOpen: true }
    })
    const health = {
      ...{ draining: false, doctor: null, blocks, load: { active: 0, waiting: 0, concurrency: 10 } },
      sourceIps: [{ ip: "8.8.4.4", quarantined: false, spentToday: 0 }],
    }
    const ctx = testContext({
      ...{ clock: { now: () => NOW }, log: () => undefined },
      fleet: {
        all: async () => [nodeOf("hostile", "acc"), SHARED],
        refresh: async () => undefined,
        ...{ claimChecks: (nodes: FleetNode[]) => nodes, endChecks: () => undefined },
      },
      nodeClient: { health: async () => ({ kind: "answered", health, rttMs: 1, skewMs: 0 }) },
      dns: { resolve: async () => ({ kind: "records", records: ["8.8.8.8"] }) },
      store: {
        fleetStore: { pauseRoutes: async (pairs: readonly unknown[]) => void held.push(...pairs) },
        fleetRecords: {
          saveHealth: async (looked: readonly CheckedHealth[]) => void saved.push(...looked),
          deleteObsolete: async () => undefined,
        },
      },
      config: { fleetRules: { allowHttp: false, allowHosts: new Set(), ownHosts: [] } },
    })
    await checkNodes(ctx)
    expect(held).toMatchObject([{ nodeId: "shared", operator: "google" }])
    // Every account may see the report: unknown hosts would reveal other accounts' domains.
    for (const { report } of saved) expect(report!.blocks.map(({ operator }) => operator)).toEqual(["google"])
  })

  test("do not count in the metric that alerts the operator", async () => {
    const ctx = testContext({
      clock: { now: () => NOW },
      fleet: { all: async () => [...HOSTILE, { ...SHARED, state: "gone" }] },
      disk: { space: async () => null, stores: async () => null },
      store: {
        metrics: { requestCounts: async () => new Map(), backlog: async () => ({ chunks: {} }) },
        counters: { since: async () => [] },
      },
    })
    const families = await collectMetrics(ctx)
    const samples = families.find(({ name }) => name === "mailverdict_probe_nodes")!.samples
    const counts = Object.fromEntries(samples.map(({ labels, value }) => [labels.state, value]))
    expect(counts).toMatchObject({ healthy: 0, degraded: 0, gone: 1 })
  })
})
