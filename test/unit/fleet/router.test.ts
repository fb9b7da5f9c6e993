import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { RoutedNode } from "../../../src/domain/fleet/node-set.ts"
import { type OutcomeClass, ROUTE_BREAKER } from "../../../src/domain/fleet/route-stats.ts"
import { type RouteRequest, Router } from "../../../src/domain/fleet/router.ts"

const NOW = 1_000_000_000_000
const MINUTE = 60_000
const node = (id: string, more: Partial<RoutedNode> = {}): RoutedNode => ({
  ...{ id, region: "here", sourceIps: [`ip-${id}`], capacity: 100, state: "healthy", load: 0, pausedIps: [] },
  ...more,
})
const nodes = ["a", "b", "c", "d", "e"].map((id) => node(id))
const ask = (more: Partial<RouteRequest> = {}): RouteRequest => ({
  operator: "op",
  domain: "x.test",
  recipients: 1,
  ...more,
})

/** Random numbers from a seed, so that a failing test can be repeated. */
function seededRandom(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

class TestFleet {
  readonly router = new Router(seededRandom())
  now = NOW

  record(id: string, outcomeClass: OutcomeClass, { times = 1, operator = "op", ms = 10 } = {}): void {
    for (let i = 0; i < times; i++)
      this.router.recordOutcome(
        { nodeId: id, sourceIp: `ip-${id}`, operator },
        { outcomeClass, recipients: 1, ms, now: this.now },
      )
  }

  /** How often each node is chosen. */
  choose(times: number, of: readonly RoutedNode[] = nodes, make: (n: number) => RouteRequest = () => ask()) {
    const chosen = new Map<string, number>()
    for (let n = 0; n < times; n++) {
      const request = make(n)
      const choice = this.router.choose(of, request, this.now)!
      this.router.recordSent(choice, request, this.now)
      this.router.recordDone(choice.node.id, request.recipients)
      chosen.set(choice.node.id, (chosen.get(choice.node.id) ?? 0) + 1)
    }
    return chosen
  }
}

describe("a choice", () => {
  test("is null without nodes, or when all are avoided", () => {
    const { router } = new TestFleet()
    expect(router.choose([], ask(), NOW)).toBeNull()
    expect(router.choose(nodes, ask({ avoidNodes: ["a", "b", "c", "d", "e"] }), NOW)).toBeNull()
  })

  test("is the preferred node, unless it is avoided", () => {
    const { router } = new TestFleet()
    for (let i = 0; i < 20; i++) expect(router.choose(nodes, ask({ preferNode: "d" }), NOW)!.node.id).toBe("d")
    expect(router.choose(nodes, ask({ preferNode: "d", avoidNodes: ["d"] }), NOW)!.node.id).not.toBe("d")
  })

  test("prefers the same node for a domain, also after another node has left", () => {
    const domains = Array.from({ length: 40 }, (_, n) => `d${n}.test`)
    const homes = (of: readonly RoutedNode[]) =>
      domains.map((domain) => {
        const chosen = new TestFleet().choose(9, of, () => ask({ domain }))
        return [...chosen].toSorted((a, b) => b[1] - a[1])[0]![0]
      })
    const before = homes(nodes)
    expect(new Set(before).size).toBe(5)
    const after = homes(nodes.filter(({ id }) => id !== "e"))
    const stayed = before.filter((home, n) => home !== "e" && home === after[n]).length
    expect(stayed).toBeGreaterThan(0.8 * before.filter((home) => home !== "e").length)
  })

  test("balances the load even when one node is much faster", () => {
    const bench = new TestFleet()
    bench.record("a", "answered", { times: 50, ms: 5 })
    for (const id of ["b", "c", "d", "e"]) bench.record(id, "answered", { times: 50, ms: 900 })
    const chosen = bench.choose(5_000, nodes, (n) => ask({ domain: `d${n % 100}.test` }))
    for (const count of chosen.values()) expect(count).toBeLessThan(1.5 * 1_000)
    expect(Math.min(...chosen.values())).toBeGreaterThan(500)
  })

  test("of a large fleet comes from a sample that wraps around its end", () => {
    const many = Array.from({ length: 100 }, (_, n) => node(`n${n}`, n === 46 ? {} : { pausedIps: [`ip-n${n}`] }))
    const choice = new Router(() => 0.99).choose(many, ask(), NOW)
    expect(choice).toMatchObject({ node: { id: "n46" }, isLastResort: false })
  })

  test("sends more to nodes of larger capacity", () => {
    const mixed = [node("small", { capacity: 100 }), node("large", { capacity: 400 })]
    const chosen = new TestFleet().choose(5_000, mixed, (n) => ask({ domain: `d${n % 100}.test` }))
    expect(chosen.get("large")! / chosen.get("small")!).toBeGreaterThan(2.5)
  })

  test("prefers a node with a low load", () => {
    const bench = new TestFleet()
    const busy = [node("a", { load: 0.9 }), node("b")]
    expect(bench.choose(20, busy).get("b") ?? 0).toBeGreaterThan(14)
  })
})

describe("an operator that blocks a source IP", () => {
  test("gets no request from it while the breaker is open, then one trial", () => {
    const bench = new TestFleet()
    bench.record("a", "blocked", { times: ROUTE_BREAKER.blocksToOpen })
    expect(bench.choose(200).has("a")).toBe(false)
    bench.now += ROUTE_BREAKER.firstPauseMs + 1
    const tries = bench.choose(200).get("a") ?? 0
    expect(tries).toBeLessThanOrEqual(1)
    const pair = { nodeId: "b", sourceIp: "ip-b", operator: "op" }
    bench.record("b", "blocked", { times: ROUTE_BREAKER.blocksToOpen })
    const states = [0, ROUTE_BREAKER.firstPauseMs, 0, ROUTE_BREAKER.trialMs].map((passMs, step) => {
      bench.now += passMs
      if (step === 2) bench.router.recordSent({ node: nodes[1]!, avoid: [], isLastResort: false }, ask(), bench.now)
      return bench.router.route(pair, bench.now)!.breaker
    })
    expect(states).toEqual(["open", "half_open", "open", "half_open"])
  })

  test("opens the breaker for longer each time; the first answer closes it", () => {
    const bench = new TestFleet()
    const pair = { nodeId: "a", sourceIp: "ip-a", operator: "op" }
    bench.record("a", "blocked", { times: 2 })
    const first = bench.router.route(pair, bench.now)!.openUntil - bench.now
    bench.record("a", "blocked") // sent before the breaker opened
    expect(bench.router.route(pair, bench.now)!.openUntil - bench.now).toBe(first)
    bench.now += first + 1
    bench.record("a", "blocked")
    const second = bench.router.route(pair, bench.now)!.openUntil - bench.now
    expect(second).toBeGreaterThan(first)
    bench.record("a", "answered")
    expect(bench.router.route(pair, bench.now)!.breaker).toBe("open")
    bench.now += second + 1
    bench.record("a", "missing")
    expect(bench.router.route(pair, bench.now)!.breaker).toBe("closed")
  })

  test("stays recorded in spite of many operators that are probed once", () => {
    const bench = new TestFleet()
    bench.record("a", "blocked", { operator: "google", times: ROUTE_BREAKER.blocksToOpen })
    for (let n = 0; n < 60_000; n++) {
      bench.record("a", "answered", { operator: `mx.d${n}.test` })
      if (n % 10_000 === 0) bench.record("a", "deferred", { operator: "google" })
    }
    const pair = { nodeId: "a", sourceIp: "ip-a", operator: "google" }
    expect(bench.router.route(pair, bench.now)).toMatchObject({ breaker: "open", seen: { blocked: 2 } })
  })

  test("does not stop requests of that IP to another operator", () => {
    const bench = new TestFleet()
    bench.record("a", "blocked", { times: 2 })
    expect(bench.choose(200, nodes, (n) => ask({ operator: "other", domain: `d${n}.test` })).has("a")).toBe(true)
  })

  test("still gets requests from the node's other source IP", () => {
    const bench = new TestFleet()
    const two = [node("a", { sourceIps: ["ip-a", "ip-2"] })]
    bench.record("a", "blocked", { times: 2 })
    const choice = bench.router.choose(two, ask(), bench.now)!
    expect(choice).toMatchObject({ avoid: ["ip-a"], isLastResort: false })
  })

  test("still gets last-resort requests when it blocks every node", () => {
    const bench = new TestFleet()
    for (const { id } of nodes) bench.record(id, "blocked", { times: 2 })
    expect(bench.router.choose(nodes, ask(), bench.now)).toMatchObject({ isLastResort: true, avoid: [] })
  })

  test("gets fewer requests from an IP that it blocked before", () => {
    const bench = new TestFleet()
    bench.choose(500)
    bench.record("a", "blocked", { times: 2 })
    bench.now += 5 * MINUTE
    const chosen = bench.choose(200)
    expect(chosen.get("a") ?? 0).toBeLessThan(Math.min(...["b", "c", "d", "e"].map((id) => chosen.get(id) ?? 0)))
  })
})

describe("shared knowledge", () => {
  const pair = { nodeId: "a", sourceIp: "ip-a", operator: "op" }

  test("excludes a route that is blocked elsewhere or has drifted", () => {
    const bench = new TestFleet()
    bench.router.learn([{ ...pair, openUntil: NOW + MINUTE }], NOW)
    expect(bench.choose(100).has("a")).toBe(false)
    const other = new TestFleet()
    other.router.learn([{ ...pair, drifted: true }], NOW)
    expect(other.choose(100).has("a")).toBe(false)
    expect(other.router.isSuspect(pair)).toBe(true)
    other.router.learn([], NOW)
    expect(other.choose(100).has("a")).toBe(true)
  })

  test("blocks a route until the latest known time; afterwards the first block reopens the breaker", () => {
    const { router } = new TestFleet()
    for (const minutes of [2, 1]) router.learn([{ ...pair, openUntil: NOW + minutes * MINUTE }], NOW)
    expect(router.route(pair, NOW)).toMatchObject({ breaker: "open", openUntil: NOW + 2 * MINUTE })
    const record = (outcomeClass: OutcomeClass, minutes: number, of = pair) =>
      router.recordOutcome(of, { outcomeClass, recipients: 1, ms: 10, now: NOW + minutes * MINUTE })
    expect(record("blocked", 3)).toBe(true)
    const another = { ...pair, operator: "another" }
    expect([record("blocked", 3, another), record("failed", 3, another), record("blocked", 3, another)]).toEqual([
      ...[false, false, true],
    ])
  })
})

describe("an operator that reports every recipient as missing", () => {
  const name = { nodeId: "a", sourceIp: "ip-a", operator: "op" }

  test("is suspect without enough answers to other IPs, and when those differ", () => {
    const bench = new TestFleet()
    bench.record("a", "missing", { times: 19 })
    expect(bench.router.isSuspect(name)).toBe(false)
    bench.record("a", "missing")
    expect(bench.router.isSuspect(name)).toBe(true)
    bench.record("b", "answered", { times: 30 })
    expect(bench.router.isSuspect(name)).toBe(true)
  })

  test("is trusted when other IPs get the same answers, or when it accepts some recipients", () => {
    const bench = new TestFleet()
    bench.record("a", "missing", { times: 40 })
    bench.record("b", "missing", { times: 30 })
    expect(bench.router.isSuspect(name)).toBe(false)
    const alone = new TestFleet()
    alone.record("a", "missing", { times: 40 })
    const said = { outcomeClass: "missing", recipients: 40, ms: 10, now: NOW, isPrivate: true } as const
    alone.router.recordOutcome({ ...name, nodeId: "private" }, said)
    expect(alone.router.isSuspect(name)).toBe(true)
    const mixed = new TestFleet()
    mixed.record("a", "missing", { times: 40 })
    mixed.record("a", "answered", { times: 4 })
    expect(mixed.router.isSuspect(name)).toBe(false)
  })
})

test("a choice is always one of the nodes and never an avoided one", () => {
  const fates: OutcomeClass[] = ["answered", "missing", "deferred", "blocked", "failed"]
  const step = fc.record({
    operator: fc.constantFrom("op", "other"),
    outcomeClass: fc.constantFrom(...fates),
    passMs: fc.integer({ min: 0, max: 30 * MINUTE }),
    avoid: fc.subarray(["a", "b", "c", "d", "e"]),
    recipients: fc.integer({ min: 1, max: 500 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1 }), (steps, seed) => {
      const router = new Router(seededRandom(seed))
      let now = NOW
      for (const { operator, outcomeClass, passMs, avoid, recipients } of steps) {
        const request = ask({ operator, avoidNodes: avoid, recipients })
        const choice = router.choose(nodes, request, now)
        expect(choice === null).toBe(avoid.length === nodes.length)
        if (!choice) continue
        expect(avoid).not.toContain(choice.node.id)
        router.recordSent(choice, request, now)
        router.recordOutcome(
          { nodeId: choice.node.id, sourceIp: `ip-${choice.node.id}`, operator },
          { outcomeClass, recipients, ms: 5, now },
        )
        router.recordDone(choice.node.id, recipients)
        now += passMs
      }
    }),
    { numRuns: 200 },
  )
})
