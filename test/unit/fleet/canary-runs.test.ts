import { expect, test } from "vitest"
import type { RouteName } from "../../../src/domain/fleet/route-stats.ts"
import { runCanaries } from "../../../src/services/fleet/canaries.ts"
import { testContext } from "../../support/deps/context.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const MINUTE = 60_000
/** The slowest response before a node times out. */
const SLOW_MS = 20_000

test("a run ends before the next one begins, which would probe the same pairs again", async () => {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms }
  const sourceIps = Array.from({ length: 100 }, (_, n) => `8.8.4.${n}`)
  const noted = new Map<string, RouteName & { canaryAt: number }>()
  const asked: string[] = []
  const ctx = testContext({
    ...{ clock, log: () => undefined, randomToken: () => "token" },
    dns: dnsZone({ "control.test": { MX: [{ host: "mx.control.test", preference: 10 }] } }),
    fleet: {
      all: async () => [{ id: "n1", accountId: null, state: "healthy", sourceIps }],
      refresh: async () => undefined,
    },
    probes: {
      async probe({ sourceIp }) {
        asked.push(sourceIp!)
        clock.ms += SLOW_MS / 4 // four at a time
        return { kind: "unavailable" }
      },
    },
    store: {
      fleetRecords: {
        canaries: async () => [
          { operator: "mx.control.test", existing: "is@control.test", missing: "no@control.test" },
        ],
        routes: async () => [...noted.values()],
        recordCanary: async (pair: RouteName, { at }: { at: number }) =>
          void noted.set(pair.sourceIp, { ...pair, canaryAt: at }),
      },
    },
    config: { canaryEveryMs: 60 * MINUTE },
  })
  for (let runs = 0; noted.size < sourceIps.length; runs++) {
    expect(runs).toBeLessThan(20)
    const begunAt = clock.ms
    await runCanaries(ctx)
    expect(clock.ms - begunAt).toBeLessThanOrEqual(MINUTE)
    clock.ms = begunAt + MINUTE
  }
  expect(asked.toSorted()).toEqual(sourceIps.toSorted())
})

test.each([
  ["other hosts", { MX: [{ host: "mx.elsewhere.test", preference: 10 }] }],
  ["no host", { TXT: ["nothing"] }],
])("canary addresses whose domain moved to %s are not probed, and judge no source IP", async (_, records) => {
  const recorded: object[] = []
  const ctx = testContext({
    ...{ clock: { now: () => 1_800_000_000_000 }, log: () => undefined, randomToken: () => "token" },
    dns: dnsZone({ "control.test": records }),
    fleet: {
      all: async () => [{ id: "n1", accountId: null, state: "healthy", sourceIps: ["8.8.4.4"] }],
      refresh: async () => undefined,
    },
    probes: { probe: () => Promise.reject(new Error("a probe was sent")) },
    store: {
      fleetRecords: {
        canaries: async () => [
          { operator: "mx.control.test", existing: "is@control.test", missing: "no@control.test" },
        ],
        routes: async () => [],
        recordCanary: async (_pair: RouteName, seen: object) => void recorded.push(seen),
      },
    },
    config: { canaryEveryMs: MINUTE },
  })
  await runCanaries(ctx)
  const detail = "DNS shows no mail host of this operator for their domain"
  expect(recorded).toMatchObject([{ finding: "unclear", detail }])
})
