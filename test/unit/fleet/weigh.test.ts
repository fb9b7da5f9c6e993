import { describe, expect, test } from "vitest"
import { type CostFacts, costOf } from "../../../src/domain/fleet/node-cost.ts"
import { NodeSet, type RoutedNode } from "../../../src/domain/fleet/node-set.ts"
import { NO_COUNTS, type OutcomeClass, ROUTE_BREAKER } from "../../../src/domain/fleet/route-stats.ts"
import { type RouteRequest, Router } from "../../../src/domain/fleet/router.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const node = (id: string, more: Partial<RoutedNode> = {}): RoutedNode => ({
  ...{ id, region: "here", sourceIps: [`ip-${id}`], capacity: 100, state: "healthy", load: 0.1, pausedIps: [] },
  ...more,
})
const NODES = ["a", "b", "c", "d"].map((id) => node(id))

/** Four nodes with a clock of their own. The tests send work to node a and assess it. */
function fleet(nodes = NODES) {
  const clock = { now: 1_000_000_000_000 }
  const router = new Router(() => 0)
  const request = (more: Partial<RouteRequest> = {}): RouteRequest => ({
    operator: "op",
    domain: "x.test",
    recipients: 1,
    ...more,
  })
  const name = (id: string, operator = "op") => ({ nodeId: id, sourceIp: `ip-${id}`, operator })
  return {
    clock,
    router,
    name,
    assess: (more: Partial<RouteRequest> = {}) =>
      router.assess(nodes[0]!, request(more), { now: clock.now, set: NodeSet.of(nodes) }),
    send: (recipients: number, id = "a") =>
      router.recordSent({ node: node(id), avoid: [], isLastResort: false }, request({ recipients }), clock.now),
    record: (outcomeClass: OutcomeClass, { recipients = 1, ms = 10, operator = "op" } = {}) =>
      router.recordOutcome(name("a", operator), { outcomeClass, recipients, ms, now: clock.now }),
  }
}

describe("the assessment of a node contains", () => {
  test("its load, until the work is done", () => {
    const { router, assess, send } = fleet()
    send(400)
    expect(assess().load).toBeCloseTo(0.4)
    for (const _ of ["done", "repeated"]) router.recordDone("a", 400)
    expect(assess().load).toBeCloseTo(0.1)
    send(400)
    expect(assess().load).toBeCloseTo(0.4)
  })

  test("its latency at the operator, else overall", () => {
    const { assess, record } = fleet()
    expect(assess().latencyMs).toBe(500)
    record("blocked", { ms: 1 })
    record("answered", { ms: 100 })
    record("missing", { ms: 200 })
    record("answered", { ms: 1_110, operator: "slow" })
    const times = ["op", "slow", "unrecordd-of"].map((operator) => assess({ operator }).latencyMs)
    expect(times).toEqual([110, 1_110, 210])
  })

  test("the acceptance, from own and shared counts that decay", () => {
    const { clock, router, name, assess, record } = fleet()
    record("answered", { recipients: 3 })
    record("deferred")
    record("blocked", { recipients: 2 })
    expect(assess().acceptance).toBeCloseTo(8 / 12)
    router.learn([{ ...name("a"), counts: { ...NO_COUNTS, answered: 1, deferred: 1, blocked: 3 } }], clock.now)
    expect(assess().acceptance).toBeCloseTo(10 / 20)
    router.learn([], clock.now)
    clock.now += 30 * MINUTE
    record("failed")
    expect(assess().acceptance).toBeCloseTo(6 / 8)
  })

  test("the rest of the rate ceiling: 60 % of the rate at a block, 10 % more each hour", () => {
    const { clock, assess, send, record } = fleet()
    send(100)
    expect(assess().budgetLeft).toBe(1)
    for (const _ of ["one", "the same"]) record("blocked")
    expect(assess().budgetLeft).toBe(0)
    clock.now += HOUR
    expect(assess().budgetLeft).toBeCloseTo(1 - Math.exp(-2) / 0.6)
    record("answered")
    expect(assess().budgetLeft).toBeCloseTo(1 - Math.exp(-2) / 0.66)
  })

  test("its crowding at an operator, from 20 recipients", () => {
    const { send, assess } = fleet()
    send(20)
    expect(assess().crowding).toBe(0)
    send(80)
    expect(assess().crowding).toBeCloseTo(4)
    send(400, "b")
    expect(assess().crowding).toBeCloseTo(100 / 125)
  })

  test("the average of its source IPs; sent recipients are divided among the used ones", () => {
    const two = node("a", { sourceIps: ["ip-a", "ip-2"] })
    const { clock, router, assess } = fleet([two, ...NODES.slice(1)])
    const request = { operator: "op", domain: "x.test", recipients: 100 }
    const send = (avoid: string[]) => router.recordSent({ node: two, avoid, isLastResort: false }, request, clock.now)
    send([])
    expect(assess()).toMatchObject({ acceptance: 1, budgetLeft: 1, crowding: 4 })
    expect(assess({ avoidSourceIps: ["ip-2"] }).crowding).toBe(2)
    send(["ip-2"])
    expect(assess({ avoidSourceIps: ["ip-2"] }).crowding).toBe(3)
  })

  test("whether it recently received over 125 % of its share, above a minimum of work", () => {
    const { clock, send, assess } = fleet()
    send(200)
    expect(assess().isOverloaded).toBe(false)
    for (const id of ["b", "c", "d"]) send(200, id)
    expect(assess().isOverloaded).toBe(false)
    send(100)
    expect(assess().isOverloaded).toBe(true)
    clock.now += HOUR
    expect(assess().isOverloaded).toBe(false)
    const alone = fleet([node("a")])
    alone.send(500)
    expect(alone.assess().isOverloaded).toBe(false)
  })

  test("its usable source IPs: none that is paused, avoided, blocked or drifted", () => {
    const sourceIps = ["ip-a", "ip-rests", "ip-avoided", "ip-drifted", "ip-free"]
    const { clock, router, name, assess, record } = fleet([node("a", { sourceIps, pausedIps: ["ip-rests"] })])
    for (let n = 0; n < ROUTE_BREAKER.blocksToOpen; n++) record("blocked")
    router.learn([{ ...name("a"), sourceIp: "ip-drifted", drifted: true }], clock.now)
    expect(assess({ avoidSourceIps: ["ip-avoided"] })).toMatchObject({
      usable: ["ip-free"],
      avoid: ["ip-a", "ip-rests", "ip-avoided", "ip-drifted"],
      ...{ acceptance: 1, budgetLeft: 1 },
    })
  })
})

const FACTS: CostFacts = {
  ...{ latencyMs: 500, acceptance: 1, budgetLeft: 1, load: 0.5, crowding: 0 },
  ...{ affinity: 0.5, isOverloaded: false, state: "healthy" },
}

test.each<Partial<CostFacts>>([
  { latencyMs: 600 },
  { acceptance: 0.9 },
  { budgetLeft: 0.5 },
  { load: 0.6 },
  { load: 1 },
  { crowding: 1 },
  { affinity: 0.4 },
  { isOverloaded: true },
  { state: "degraded" },
])("a node with %j costs more than one without", (worse) => {
  expect(costOf({ ...FACTS, ...worse })).toBeGreaterThan(costOf(FACTS))
})

test("the cost of a node grows with the waiting work", () => {
  const costs = [0.95, 1, 1.2, 2].map((load) => costOf({ ...FACTS, load }))
  expect(costs).toEqual(costs.toSorted((a, b) => a - b))
  expect(costs[3]).toBeCloseTo(2 * costs[1]!)
})
