import { describe, expect, test } from "vitest"
import { BREAKER } from "../../../src/domain/fleet/breaker.ts"
import { NodeSet } from "../../../src/domain/fleet/node-set.ts"
import { type Fate, NO_COUNTS } from "../../../src/domain/fleet/pair.ts"
import type { RoutedNode } from "../../../src/domain/fleet/routed-node.ts"
import { type RouteAsk, Router } from "../../../src/domain/fleet/router.ts"
import { type CostFacts, costOf } from "../../../src/domain/fleet/score.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const node = (id: string, more: Partial<RoutedNode> = {}): RoutedNode => ({
  ...{ id, region: "here", sourceIps: [`ip-${id}`], capacity: 100, state: "healthy", load: 0.1, resting: [] },
  ...more,
})
const NODES = ["a", "b", "c", "d"].map((id) => node(id))

/** A fleet of four on a clock of its own, of which node a works and is weighed. */
function fleet(nodes = NODES) {
  const clock = { now: 1_000_000_000_000 }
  const router = new Router(() => 0)
  const ask = (more: Partial<RouteAsk> = {}): RouteAsk => ({ operator: "op", domain: "x.test", recipients: 1, ...more })
  const name = (id: string, operator = "op") => ({ nodeId: id, sourceIp: `ip-${id}`, operator })
  return {
    clock,
    router,
    name,
    weigh: (more: Partial<RouteAsk> = {}) =>
      router.weigh(nodes[0]!, ask(more), { now: clock.now, set: NodeSet.of(nodes) }),
    send: (recipients: number, id = "a") =>
      router.noteSent({ node: node(id), avoid: [], isLastResort: false }, ask({ recipients }), clock.now),
    hear: (fate: Fate, { recipients = 1, ms = 10, operator = "op" } = {}) =>
      router.noteFate(name("a", operator), { fate, recipients, ms, now: clock.now }),
  }
}

describe("a node is weighed by", () => {
  test("what it is at, until it is done", () => {
    const { router, weigh, send } = fleet()
    send(400)
    expect(weigh().load).toBeCloseTo(0.4)
    for (const _ of ["done", "told again"]) router.noteDone("a", 400)
    expect(weigh().load).toBeCloseTo(0.1)
    send(400)
    expect(weigh().load).toBeCloseTo(0.4)
  })

  test("how soon it has its answers: from the operator, else from any", () => {
    const { weigh, hear } = fleet()
    expect(weigh().latencyMs).toBe(500)
    hear("blocked", { ms: 1 })
    hear("answered", { ms: 100 })
    hear("missing", { ms: 200 })
    hear("answered", { ms: 1_110, operator: "slow" })
    const times = ["op", "slow", "unheard-of"].map((operator) => weigh({ operator }).latencyMs)
    expect(times).toEqual([110, 1_110, 210])
  })

  test("how many the operator turned away, here and as others know, less with time", () => {
    const { clock, router, name, weigh, hear } = fleet()
    hear("answered", { recipients: 3 })
    hear("deferred")
    hear("blocked", { recipients: 2 })
    expect(weigh().acceptance).toBeCloseTo(8 / 12)
    router.learn([{ ...name("a"), counts: { ...NO_COUNTS, answered: 1, deferred: 1, blocked: 3 } }], clock.now)
    expect(weigh().acceptance).toBeCloseTo(10 / 20)
    router.learn([], clock.now)
    clock.now += 30 * MINUTE
    hear("failed")
    expect(weigh().acceptance).toBeCloseTo(6 / 8)
  })

  test("what is left of the pace an operator stands: six tenths of that at a block, a tenth more each hour", () => {
    const { clock, weigh, send, hear } = fleet()
    send(100)
    expect(weigh().budgetLeft).toBe(1)
    for (const _ of ["one", "the same"]) hear("blocked")
    expect(weigh().budgetLeft).toBe(0)
    clock.now += HOUR
    expect(weigh().budgetLeft).toBeCloseTo(1 - Math.exp(-2) / 0.6)
    hear("answered")
    expect(weigh().budgetLeft).toBeCloseTo(1 - Math.exp(-2) / 0.66)
  })

  test("how much it stands out at an operator, from 20 recipients on", () => {
    const { send, weigh } = fleet()
    send(20)
    expect(weigh().crowding).toBe(0)
    send(80)
    expect(weigh().crowding).toBeCloseTo(4)
    send(400, "b")
    expect(weigh().crowding).toBeCloseTo(100 / 125)
  })

  test("its addresses on the average; what they are asked is shared by those that are used", () => {
    const two = node("a", { sourceIps: ["ip-a", "ip-2"] })
    const { clock, router, weigh } = fleet([two, ...NODES.slice(1)])
    const ask = { operator: "op", domain: "x.test", recipients: 100 }
    const send = (avoid: string[]) => router.noteSent({ node: two, avoid, isLastResort: false }, ask, clock.now)
    send([])
    expect(weigh()).toMatchObject({ acceptance: 1, budgetLeft: 1, crowding: 4 })
    expect(weigh({ avoidSourceIps: ["ip-2"] }).crowding).toBe(2)
    send(["ip-2"])
    expect(weigh({ avoidSourceIps: ["ip-2"] }).crowding).toBe(3)
  })

  test("whether it has had more than a quarter beyond its share of the work lately, once there is some", () => {
    const { clock, send, weigh } = fleet()
    send(200)
    expect(weigh().isOverloaded).toBe(false)
    for (const id of ["b", "c", "d"]) send(200, id)
    expect(weigh().isOverloaded).toBe(false)
    send(100)
    expect(weigh().isOverloaded).toBe(true)
    clock.now += HOUR
    expect(weigh().isOverloaded).toBe(false)
    const alone = fleet([node("a")])
    alone.send(500)
    expect(alone.weigh().isOverloaded).toBe(false)
  })

  test("its addresses that may be used: none that rests, is to be avoided, is held off or has drifted", () => {
    const sourceIps = ["ip-a", "ip-rests", "ip-avoided", "ip-drifted", "ip-free"]
    const { clock, router, name, weigh, hear } = fleet([node("a", { sourceIps, resting: ["ip-rests"] })])
    for (let n = 0; n < BREAKER.blocksToOpen; n++) hear("blocked")
    router.learn([{ ...name("a"), sourceIp: "ip-drifted", drifted: true }], clock.now)
    expect(weigh({ avoidSourceIps: ["ip-avoided"] })).toMatchObject({
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

test("a node whose work waits costs more the more it is", () => {
  const costs = [0.95, 1, 1.2, 2].map((load) => costOf({ ...FACTS, load }))
  expect(costs).toEqual(costs.toSorted((a, b) => a - b))
  expect(costs[3]).toBeCloseTo(2 * costs[1]!)
})
