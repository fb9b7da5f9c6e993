import { expect, test } from "vitest"
import type { PairName } from "../../../src/domain/fleet/pair.ts"
import { runCanaries } from "../../../src/services/fleet/run-canaries.ts"
import { dnsZone } from "../../support/dns-zone.ts"

const MINUTE = 60_000
/** As slow as a node may be before it is given up. */
const SLOW_MS = 20_000

test("a run is over before the next one begins, which would ask the same pairs again", async () => {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms }
  const sourceIps = Array.from({ length: 100 }, (_, n) => `8.8.4.${n}`)
  const noted = new Map<string, PairName & { canaryAt: number }>()
  const asked: string[] = []
  const needs = {
    ...{ clock, log: () => undefined, randomToken: () => "token", canaryEveryMs: 60 * MINUTE },
    dns: dnsZone({ "control.test": { MX: [{ host: "mx.control.test", preference: 10 }] } }),
    fleet: {
      all: async () => [{ id: "n1", accountId: null, state: "healthy", sourceIps }],
      refresh: async () => undefined,
    },
    fleetRecords: {
      canaries: async () => [{ operator: "google", existing: "is@control.test", missing: "no@control.test" }],
      pairs: async () => [...noted.values()],
      noteCanary: async (pair: PairName, { at }: { at: number }) =>
        void noted.set(pair.sourceIp, { ...pair, canaryAt: at }),
    },
    probes: {
      async ask({ sourceIp }: { sourceIp: string }) {
        asked.push(sourceIp)
        clock.ms += SLOW_MS / 4 // four at a time
        return { kind: "unavailable" }
      },
    },
  }
  for (let runs = 0; noted.size < sourceIps.length; runs++) {
    expect(runs).toBeLessThan(20)
    const begunAt = clock.ms
    await runCanaries(needs as never)
    expect(clock.ms - begunAt).toBeLessThanOrEqual(MINUTE)
    clock.ms = begunAt + MINUTE
  }
  expect(asked.toSorted()).toEqual(sourceIps.toSorted())
})
