import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { newcomer, nextStanding, type Observation, type Standing } from "../../../src/domain/fleet/node-state.ts"

const fine = { kind: "answered", skewMs: 20, draining: false, fit: true, ips: 2, resting: 0, load: 0.1 } as const
const SEEN: Readonly<Record<string, Observation>> = {
  fine,
  silent: { kind: "silent" },
  refused: { kind: "refused", skewMs: 0 },
  "refused, late": { kind: "refused", skewMs: -600_000 },
  "clock 2.9 s off": { ...fine, skewMs: 2_900 },
  "clock 3.1 s off": { ...fine, skewMs: -3_100 },
  unfit: { ...fine, fit: false },
  "not examined": { ...fine, fit: null },
  draining: { ...fine, draining: true },
  busy: { ...fine, load: 0.95 },
  "no IPs told": { ...fine, ips: 0 },
  "one IP rests": { ...fine, resting: 1 },
  "all IPs rest": { ...fine, resting: 2 },
}
const HEALTHY: Standing = { state: "healthy", reason: null, since: 0, good: 0, bad: 0 }

function standingAfter(start: Standing, ...looks: readonly string[]): Standing {
  return looks.reduce((standing, look, minute) => nextStanding(standing, SEEN[look]!, minute + 1), start)
}

describe("a healthy node", () => {
  test.each([
    [["fine"], "healthy", null],
    [["not examined"], "healthy", null],
    [["no IPs told"], "healthy", null],
    [["clock 2.9 s off"], "healthy", null],
    [["clock 3.1 s off"], "unfit", "its clock is -3.1 s off"],
    [["refused, late"], "unfit", "its clock is -600.0 s off"],
    [["refused"], "unfit", "its answer is not signed by a key we trust"],
    [["unfit"], "unfit", "its doctor found it unfit"],
    [["draining"], "unfit", "is shutting down"],
    [["all IPs rest"], "quarantined", "all its source IPs rest after blocks"],
    [["busy"], "healthy", null],
    [["busy", "busy"], "degraded", "is busy"],
    [["busy", "fine", "busy"], "healthy", null],
    [["one IP rests", "one IP rests"], "degraded", "a source IP rests after blocks"],
    [["silent"], "degraded", "does not answer"],
    [["silent", "silent"], "degraded", "does not answer"],
    [["silent", "silent", "silent"], "gone", "does not answer"],
    [["silent", "silent", "fine", "silent", "silent"], "degraded", "does not answer"],
  ])("seen %j is %s", (looks, state, reason) => {
    expect(standingAfter(HEALTHY, ...looks)).toMatchObject({ state, reason })
  })
})

test.each([
  [["unfit", "draining"], "unfit", 1],
  [["unfit", "all IPs rest"], "quarantined", 2],
  [["silent", "silent"], "degraded", 1],
  [["busy", "busy", "busy", "busy", "busy"], "degraded", 2],
])("a node seen %j is %s since look %i", (looks, state, since) => {
  expect(standingAfter(HEALTHY, ...looks)).toMatchObject({ state, since })
})

describe("a node that was out", () => {
  test.each(["unfit", "all IPs rest", "draining"])("%s comes back after three good looks in a row", (out) => {
    expect(standingAfter(HEALTHY, out, "fine", "fine").state).not.toBe("healthy")
    expect(standingAfter(HEALTHY, out, "fine", "fine", "fine")).toMatchObject({
      state: "healthy",
      reason: null,
      since: 4,
    })
    expect(standingAfter(HEALTHY, out, "fine", "fine", out, "fine", "fine").state).not.toBe("healthy")
  })

  test("comes back to the state it is in, not to the best", () => {
    expect(standingAfter(HEALTHY, "unfit", "busy", "busy", "busy").state).toBe("degraded")
  })
})

describe("a node nobody has looked at", () => {
  test("is not asked; one good look admits it", () => {
    expect(newcomer(0).state).toBe("unfit")
    expect(standingAfter(newcomer(0), "fine").state).toBe("healthy")
    expect(standingAfter(newcomer(0), "silent", "fine").state).toBe("unfit")
  })
})

test("whatever is seen, a node never swings: it is asked again only after three looks that say so", () => {
  const names = Object.keys(SEEN)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 40 }), (looks) => {
      let standing = HEALTHY
      let out = -1
      for (const [minute, look] of looks.entries()) {
        const next = nextStanding(standing, SEEN[look]!, minute)
        const isAsked = ({ state }: Standing) => state === "healthy" || state === "degraded"
        if (isAsked(standing) && !isAsked(next)) out = minute
        if (!isAsked(standing) && isAsked(next)) expect(minute - out).toBeGreaterThanOrEqual(3)
        expect(next.reason === null).toBe(next.state === "healthy")
        standing = next
      }
    }),
  )
})
