import { describe, expect, test } from "vitest"
import { Durations } from "../../../probe-node/health.ts"
import { BREAKER } from "../../../probe-node/ip-reputation.ts"
import { metricsOf } from "../../../probe-node/metrics.ts"
import { testEngine } from "../../support/mail/probe-engine.ts"

/** The metrics of a node after these blocks by operators. */
function metricsAfter(blocks: readonly (readonly [operator: string, isNamed: boolean, times: number])[]): string[] {
  const engine = testEngine({ port: 25, sourceIps: ["192.0.2.1"] })
  const { reputation } = engine.pacer
  for (const [operator, isNamed, times] of blocks) {
    const bucket = reputation.bucket("192.0.2.1", { operator, isNamed, sessionsPerHost: 1, recipients: 1 })
    for (let n = 0; n < times; n++) reputation.record(bucket, "blocked")
  }
  const counts = { startedAt: 0, draining: false, requests: 0, refused: 0 }
  const state = { ...counts, recipients: new Map(), durations: new Durations() }
  const config = { id: "n-1", region: "eu", concurrency: 1 } as Parameters<typeof metricsOf>[0]["config"]
  const text = metricsOf({ engine, state, config, doctor: { last: null, reported: async () => undefined } })
  return text.split("\n").filter((line) => /^probe_(blocks_total|breaker_open)/.test(line))
}

describe("blocks", () => {
  test("are counted per operator, and together for unnamed hosts, whose number is unlimited", () => {
    const unnamed = Array.from({ length: 50 }, (_, n) => [`mx${n}.evil.test`, false, 2] as const)
    expect(metricsAfter([["google", true, BREAKER.blocksToOpen], ...unnamed])).toEqual([
      `probe_blocks_total{operator="google",source_ip="192.0.2.1"} ${BREAKER.blocksToOpen}`,
      'probe_blocks_total{operator="other",source_ip="192.0.2.1"} 100',
      'probe_breaker_open{operator="google",source_ip="192.0.2.1"} 1',
      'probe_breaker_open{operator="other",source_ip="192.0.2.1"} 0',
    ])
  })

  test('by an unnamed host appear as an open breaker of "other"', () => {
    const unnamed = [1, 2, 3].map((n) => [`mx${n}.evil.test`, false, BREAKER.blocksToOpen] as const)
    expect(metricsAfter(unnamed)).toContain('probe_breaker_open{operator="other",source_ip="192.0.2.1"} 1')
  })
})
