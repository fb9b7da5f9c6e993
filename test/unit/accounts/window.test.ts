import fc from "fast-check"
import { expect, test } from "vitest"
import { clientNetwork, clientNetworks, coarseNetwork } from "../../../src/domain/accounts/caller.ts"
import { authorize, type Window } from "../../../src/domain/accounts/rate-limits.ts"

const RATE = { limit: 5, windowMs: 1_000 }

test("no window contains more than the limit, and a request succeeds after its wait", () => {
  const steps = fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), n: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(steps, (requests) => {
      let window: Window = []
      let now = 1_000_000
      const accepted: number[] = []
      for (const { waitMs, n } of requests) {
        now += waitMs
        const answer = authorize(window, RATE, { now, n })
        if (answer.accepted) {
          window = answer.window
          accepted.push(...Array.from({ length: n }, () => now))
        } else expect(authorize(window, RATE, { now: now + answer.retryAfterMs, n }).accepted).toBe(true)
      }
      for (const start of accepted)
        expect(accepted.filter((at) => at >= start && at < start + RATE.windowMs).length).toBeLessThanOrEqual(
          RATE.limit,
        )
    }),
  )
})

test("a rejection is not recorded and gives the earliest time for a retry", () => {
  const full = Array.from({ length: 5 }, (_, i) => 1_000 + i * 100)
  const refused = authorize(full, RATE, { now: 1_500 })
  expect(refused).toEqual({ accepted: false, retryAfterMs: 500 })
  expect(authorize(full, RATE, { now: 1_999 }).accepted).toBe(false)
  expect(authorize(full, RATE, { now: 2_000 }).accepted).toBe(true)
})

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "20010db800010002/64"],
  ["2001:db8:1:2::1", "20010db800010002/64"],
  ["2001:db8:1:3::1", "20010db800010003/64"],
  ["not an address", "unknown"],
  [undefined, "unknown"],
])("the network of %s is %s", (ip, network) => {
  expect(clientNetwork(ip)).toBe(network)
})

test.each([
  ["192.0.2.7", [["192.0.2.7", 1]]],
  [
    "2001:db8:1:2345::1",
    [
      ["20010db800012345/64", 1],
      ["20010db8000123/56", 4],
      ["20010db80001/48", 16],
    ],
  ],
  [undefined, [["unknown", 1]]],
])("the networks that count for %s", (ip, networks) => {
  expect(clientNetworks(ip).map(({ network, times }) => [network, times])).toEqual(networks)
})

test.each([
  ["192.0.2.7", "192.0.2.0/24"],
  ["::ffff:192.0.2.7", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["not an address", null],
  [undefined, null],
])("a person sees %s as %s", (ip, network) => {
  expect(coarseNetwork(ip)).toBe(network)
})

test("a clock that is set back blocks requests for at most two windows", () => {
  const full = Array.from({ length: 5 }, (_, i) => 3_600_000 + i * 100)
  expect(authorize(full, RATE, { now: 5_000 })).toEqual({
    accepted: true,
    window: [5_000],
    remaining: 4,
    resetMs: 1_000,
  })
  // A step of less than a window counts as usual.
  expect(authorize(full, RATE, { now: 3_599_500 })).toEqual({ accepted: false, retryAfterMs: 1_500 })
})
