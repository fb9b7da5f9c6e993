import { describe, expect, test } from "vitest"
import type { FleetNode } from "../../../src/adapters/probes/fleet-node.ts"
import type { Looked } from "../../../src/adapters/store/fleet-records.ts"
import { collectMetrics } from "../../../src/services/admin/collect-metrics.ts"
import { checkBlocklists } from "../../../src/services/fleet/check-blocklists.ts"
import { lookAtNodes } from "../../../src/services/fleet/look-at-nodes.ts"
import { runCanaries } from "../../../src/services/fleet/run-canaries.ts"
import { dnsZone } from "../../support/dns-zone.ts"

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const nodeOf = (id: string, accountId: string | null): FleetNode => ({
  ...{ id, region: "eu", url: `https://${id}.test`, publicKeys: [], sourceIps: ["8.8.4.4"], capacity: 10 },
  ...{ state: "healthy", load: 0, resting: [], isStatic: accountId === null, version: null, accountId, health: null },
})
const HOSTILE = Array.from({ length: 20 }, (_, n) => nodeOf(`hostile-${n}`, "acc"))
const SHARED = nodeOf("shared", null)

describe("nodes of an account", () => {
  test("are not asked about the operator's control addresses, nor keep its own nodes from being asked", async () => {
    const asked: string[] = []
    const needs = {
      ...{ clock: { now: () => NOW }, log: () => undefined, randomToken: () => "token", canaryEveryMs: MINUTE },
      dns: dnsZone({ "control.test": { MX: [{ host: "mx.control.test", preference: 10 }] } }),
      fleet: { all: async () => [...HOSTILE, SHARED], refresh: async () => undefined },
      fleetRecords: {
        canaries: async () => [{ operator: "google", existing: "is@control.test", missing: "no@control.test" }],
        pairs: async () => [],
        noteCanary: async () => undefined,
      },
      probes: {
        async ask(_: unknown, { onlyNode = "" }) {
          asked.push(onlyNode)
          return { kind: "unavailable" }
        },
      },
    }
    await runCanaries(needs as never)
    expect(asked).toEqual(["shared"])
  })

  test("wait for the operator's with their blocklists, and none of them for one that never answers", async () => {
    const asked: string[][] = []
    const { promise: never } = Promise.withResolvers<null>()
    const shared = { ...SHARED }
    const needs = {
      ...{ log: () => undefined, randomToken: () => "token" },
      fleet: { all: async () => [...HOSTILE, shared] },
      fleetRecords: { saveListings: async () => undefined },
      nodeDoor: {
        async rbl({ id }: FleetNode) {
          asked.at(-1)!.push(id)
          return id === "hostile-3" ? never : null
        },
      },
    }
    for (let minute = 0; minute < 20; minute++) {
      asked.push([])
      void checkBlocklists({ ...needs, clock: { now: () => NOW + minute * MINUTE } } as never)
      await new Promise(setImmediate)
    }
    for (const of of asked) expect(of[0]).toBe("shared")
    expect(new Set(asked.flat()).size).toBe(21)
  })

  test("hold nothing back by what they say of blocks; the operator's do, at operators with a name", async () => {
    const held: unknown[] = []
    const saved: Looked[] = []
    const blocks = ["google", "mx.somebody.test"].map((operator) => {
      return { operator, sourceIp: "8.8.4.4", blocked: 8, isOpen: true }
    })
    const health = {
      ...{ draining: false, doctor: null, blocks, load: { active: 0, waiting: 0, concurrency: 10 } },
      sourceIps: [{ ip: "8.8.4.4", quarantined: false, spentToday: 0 }],
    }
    const needs = {
      ...{ clock: { now: () => NOW }, log: () => undefined },
      fleet: { all: async () => [nodeOf("hostile", "acc"), SHARED], refresh: async () => undefined },
      fleetStore: { hold: async (pairs: readonly unknown[]) => void held.push(...pairs) },
      fleetRecords: {
        saveHealth: async (looked: readonly Looked[]) => void saved.push(...looked),
        tidy: async () => undefined,
      },
      nodeDoor: { health: async () => ({ kind: "answered", health, rttMs: 1, skewMs: 0 }) },
      dns: { resolve: async () => ({ kind: "records", records: ["8.8.8.8"] }) },
      fleetRules: { allowHttp: false, allowHosts: new Set(), ownHosts: [] },
    }
    await lookAtNodes(needs as never)
    expect(held).toMatchObject([{ nodeId: "shared", operator: "google" }])
    // Every account may see it: a host without a name would tell whom others asked about.
    for (const { report } of saved) expect(report!.blocks.map(({ operator }) => operator)).toEqual(["google"])
  })

  test("are none of those the operator is woken for: one of a customer's did for all of the operator's", async () => {
    const needs = {
      clock: { now: () => NOW },
      metrics: { requestCounts: async () => new Map(), backlog: async () => ({ chunks: {} }) },
      counters: { since: async () => [] },
      fleet: { all: async () => [...HOSTILE, { ...SHARED, state: "gone" }] },
    }
    const families = await collectMetrics(needs as never)
    const samples = families.find(({ name }) => name === "mailverdict_probe_nodes")!.samples
    const counts = Object.fromEntries(samples.map(({ labels, value }) => [labels.state, value]))
    expect(counts).toMatchObject({ healthy: 0, degraded: 0, gone: 1 })
  })
})
