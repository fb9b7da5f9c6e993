import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type NodeStatus, newNodeStatus, nextNodeStatus, type Observation } from "../../../src/domain/fleet/nodes.ts"

const fine = {
  kind: "answered",
  ...{ skewMs: 20, wrongClock: null, draining: false, fit: true, isFirstReport: false, ips: 2, paused: 0, load: 0.1 },
} as const
const refused = { kind: "refused", skewMs: 0, wrongClock: null, status: 401 } as const
const SEEN: Readonly<Record<string, Observation>> = {
  fine,
  silent: { kind: "silent", error: "The operation was aborted due to timeout" },
  "not listening": { kind: "silent", error: "connect ECONNREFUSED: connection refused" },
  refused: { ...refused, why: "unknown_key" },
  "foreign answer": { ...refused, why: "not_a_node", status: 502 },
  "refused, late": { ...refused, why: "clock", skewMs: -600_000 },
  "refused by all, late": { ...refused, why: "clock", skewMs: -40_000, wrongClock: "edge" },
  "clock 2.9 s off": { ...fine, skewMs: 2_900 },
  "clock 3.1 s off": { ...fine, skewMs: -3_100 },
  restarted: { ...fine, isFirstReport: true },
  "restarted, unfit": { ...fine, isFirstReport: true, fit: false },
  unfit: { ...fine, fit: false },
  "not examined": { ...fine, fit: null },
  draining: { ...fine, draining: true },
  busy: { ...fine, load: 0.95 },
  "no IPs reported": { ...fine, ips: 0 },
  "one IP rests": { ...fine, paused: 1 },
  "all IPs rest": { ...fine, paused: 2 },
}
const HEALTHY: NodeStatus = { state: "healthy", reason: null, since: 0, good: 0, bad: 0 }

function statusAfter(start: NodeStatus, ...checks: readonly string[]): NodeStatus {
  return checks.reduce((status, check, minute) => nextNodeStatus(status, SEEN[check]!, minute + 1), start)
}

describe("a healthy node", () => {
  test.each([
    [["fine"], "healthy", null],
    [["not examined"], "unfit", "its doctor has not reported since its start"],
    [["no IPs reported"], "healthy", null],
    [["clock 2.9 s off"], "healthy", null],
    [["clock 3.1 s off"], "unfit", "the node's clock is 3.1 s behind this edge's: compare both with `timedatectl`"],
    [["refused, late"], "unfit", "the node's clock is 600.0 s behind this edge's: compare both with `timedatectl`"],
    [["refused by all, late"], "unfit", expect.stringMatching(/^this edge's clock is off by 40.0 s/)],
    [["refused"], "unfit", "the node does not know this edge's key: add it to PROBE_TRUSTED_KEYS on the node"],
    [["foreign answer"], "unfit", expect.stringMatching(/^no probe node answers at its URL \(HTTP 502\)/)],
    [["not listening", "not listening"], "gone", "the node cannot be reached: connection refused"],
    [["unfit"], "unfit", "its doctor found it unfit"],
    [["draining"], "unfit", "is shutting down"],
    [["all IPs rest"], "quarantined", "all its source IPs rest after blocks"],
    [["busy"], "healthy", null],
    [["busy", "busy"], "degraded", "is busy"],
    [["busy", "fine", "busy"], "healthy", null],
    [["one IP rests", "one IP rests"], "degraded", "a source IP rests after blocks"],
    [["silent"], "degraded", "the node cannot be reached: no answer in time"],
    [["silent", "silent"], "gone", "the node cannot be reached: no answer in time"],
    [["silent", "silent", "silent"], "gone", "the node cannot be reached: no answer in time"],
    [["silent", "fine", "silent"], "degraded", "the node cannot be reached: no answer in time"],
  ])("after checks %j is %s", (checks, state, reason) => {
    expect(statusAfter(HEALTHY, ...checks)).toMatchObject({ state, reason })
  })
})

test.each([
  [["unfit", "draining"], "unfit", 1],
  [["unfit", "all IPs rest"], "quarantined", 2],
  [["silent", "silent"], "gone", 2],
  [["busy", "busy", "busy", "busy", "busy"], "degraded", 2],
])("a node after checks %j is %s since check %i", (checks, state, since) => {
  expect(statusAfter(HEALTHY, ...checks)).toMatchObject({ state, since })
})

describe("an excluded node", () => {
  test.each(["unfit", "all IPs rest", "draining"])("%s returns after three consecutive good checks", (out) => {
    expect(statusAfter(HEALTHY, out, "fine", "fine").state).not.toBe("healthy")
    expect(statusAfter(HEALTHY, out, "fine", "fine", "fine")).toMatchObject({
      state: "healthy",
      reason: null,
      since: 4,
    })
    expect(statusAfter(HEALTHY, out, "fine", "fine", out, "fine", "fine").state).not.toBe("healthy")
  })

  test.each(["unfit", "all IPs rest", "draining", "clock 3.1 s off", "refused"])(
    "%s and restarted returns with its first passing doctor report",
    (out) => {
      expect(statusAfter(HEALTHY, out, "not examined").state).not.toBe("healthy")
      expect(statusAfter(HEALTHY, out, "not examined", "restarted")).toMatchObject({ state: "healthy", since: 3 })
      expect(statusAfter(HEALTHY, "silent", "silent", "silent", "restarted").state).toBe("healthy")
      expect(statusAfter(HEALTHY, out, "restarted, unfit", "fine", "fine").state).toBe("unfit")
    },
  )

  test("returns to its current state, not to the best one", () => {
    expect(statusAfter(HEALTHY, "unfit", "busy", "busy", "busy").state).toBe("degraded")
  })
})

describe("a new node", () => {
  test("is not used until its first good check", () => {
    expect(newNodeStatus(0).state).toBe("unfit")
    expect(statusAfter(newNodeStatus(0), "fine").state).toBe("healthy")
    expect(statusAfter(newNodeStatus(0), "silent", "fine").state).toBe("unfit")
  })
})

test("a node never oscillates: it returns only after three good checks, or a restart", () => {
  const names = Object.keys(SEEN)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 40 }), (checks) => {
      let status = HEALTHY
      let out = -1
      for (const [minute, check] of checks.entries()) {
        const next = nextNodeStatus(status, SEEN[check]!, minute)
        const isUsed = ({ state }: NodeStatus) => state === "healthy" || state === "degraded"
        if (isUsed(status) && !isUsed(next)) out = minute
        if (!isUsed(status) && isUsed(next) && check !== "restarted") expect(minute - out).toBeGreaterThanOrEqual(3)
        expect(next.reason === null).toBe(next.state === "healthy")
        status = next
      }
    }),
  )
})
