import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { BREAKER } from "../../../src/domain/fleet/breaker.ts"
import type { Fate } from "../../../src/domain/fleet/pair.ts"
import type { RoutedNode } from "../../../src/domain/fleet/routed-node.ts"
import { type RouteAsk, Router } from "../../../src/domain/fleet/router.ts"

const NOW = 1_000_000_000_000
const MINUTE = 60_000
const node = (id: string, more: Partial<RoutedNode> = {}): RoutedNode => ({
  ...{ id, region: "here", sourceIps: [`ip-${id}`], capacity: 100, state: "healthy", load: 0, resting: [] },
  ...more,
})
const nodes = ["a", "b", "c", "d", "e"].map((id) => node(id))
const ask = (more: Partial<RouteAsk> = {}): RouteAsk => ({ operator: "op", domain: "x.test", recipients: 1, ...more })

/** A generator with a seed, so that a test that fails fails again. */
function chance(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

class Bench {
  readonly router = new Router(chance())
  now = NOW

  hear(id: string, fate: Fate, { times = 1, operator = "op", ms = 10 } = {}): void {
    for (let i = 0; i < times; i++)
      this.router.noteFate({ nodeId: id, sourceIp: `ip-${id}`, operator }, { fate, recipients: 1, ms, now: this.now })
  }

  /** How often each node is chosen. */
  choose(times: number, of: readonly RoutedNode[] = nodes, make: (n: number) => RouteAsk = () => ask()) {
    const chosen = new Map<string, number>()
    for (let n = 0; n < times; n++) {
      const question = make(n)
      const choice = this.router.choose(of, question, this.now)!
      this.router.noteSent(choice, question, this.now)
      this.router.noteDone(choice.node.id, question.recipients)
      chosen.set(choice.node.id, (chosen.get(choice.node.id) ?? 0) + 1)
    }
    return chosen
  }
}

describe("a choice", () => {
  test("without nodes, or with all avoided, is none", () => {
    const { router } = new Bench()
    expect(router.choose([], ask(), NOW)).toBeNull()
    expect(router.choose(nodes, ask({ avoidNodes: ["a", "b", "c", "d", "e"] }), NOW)).toBeNull()
  })

  test("is the node that knows the recipients, when it may be asked", () => {
    const { router } = new Bench()
    for (let i = 0; i < 20; i++) expect(router.choose(nodes, ask({ preferNode: "d" }), NOW)!.node.id).toBe("d")
    expect(router.choose(nodes, ask({ preferNode: "d", avoidNodes: ["d"] }), NOW)!.node.id).not.toBe("d")
  })

  test("keeps to a domain's own node while few ask, and stays when others leave", () => {
    const domains = Array.from({ length: 40 }, (_, n) => `d${n}.test`)
    const homes = (of: readonly RoutedNode[]) =>
      domains.map((domain) => {
        const chosen = new Bench().choose(9, of, () => ask({ domain }))
        return [...chosen].toSorted((a, b) => b[1] - a[1])[0]![0]
      })
    const before = homes(nodes)
    expect(new Set(before).size).toBe(5)
    const after = homes(nodes.filter(({ id }) => id !== "e"))
    const stayed = before.filter((home, n) => home !== "e" && home === after[n]).length
    expect(stayed).toBeGreaterThan(0.8 * before.filter((home) => home !== "e").length)
  })

  test("never puts everything on one node, however fast it is", () => {
    const bench = new Bench()
    bench.hear("a", "answered", { times: 50, ms: 5 })
    for (const id of ["b", "c", "d", "e"]) bench.hear(id, "answered", { times: 50, ms: 900 })
    const chosen = bench.choose(5_000, nodes, (n) => ask({ domain: `d${n % 100}.test` }))
    for (const count of chosen.values()) expect(count).toBeLessThan(1.5 * 1_000)
    expect(Math.min(...chosen.values())).toBeGreaterThan(500)
  })

  test("of a large fleet is found among so many in a row, round its end", () => {
    const many = Array.from({ length: 100 }, (_, n) => node(`n${n}`, n === 46 ? {} : { resting: [`ip-n${n}`] }))
    const choice = new Router(() => 0.99).choose(many, ask(), NOW)
    expect(choice).toMatchObject({ node: { id: "n46" }, isLastResort: false })
  })

  test("gives large nodes more", () => {
    const mixed = [node("small", { capacity: 100 }), node("large", { capacity: 400 })]
    const chosen = new Bench().choose(5_000, mixed, (n) => ask({ domain: `d${n % 100}.test` }))
    expect(chosen.get("large")! / chosen.get("small")!).toBeGreaterThan(2.5)
  })

  test("prefers a node that is not busy", () => {
    const bench = new Bench()
    const busy = [node("a", { load: 0.9 }), node("b")]
    expect(bench.choose(20, busy).get("b") ?? 0).toBeGreaterThan(14)
  })
})

describe("an operator that blocks a source IP", () => {
  test("is not asked from there while the breaker is open, then by one that tries", () => {
    const bench = new Bench()
    bench.hear("a", "blocked", { times: BREAKER.blocksToOpen })
    expect(bench.choose(200).has("a")).toBe(false)
    bench.now += BREAKER.firstPauseMs + 1
    const tries = bench.choose(200).get("a") ?? 0
    expect(tries).toBeLessThanOrEqual(1)
    const pair = { nodeId: "b", sourceIp: "ip-b", operator: "op" }
    bench.hear("b", "blocked", { times: BREAKER.blocksToOpen })
    const states = [0, BREAKER.firstPauseMs, 0, BREAKER.trialMs].map((passMs, step) => {
      bench.now += passMs
      if (step === 2) bench.router.noteSent({ node: nodes[1]!, avoid: [], isLastResort: false }, ask(), bench.now)
      return bench.router.pair(pair, bench.now)!.breaker
    })
    expect(states).toEqual(["open", "half_open", "open", "half_open"])
  })

  test("holds it off for longer each time, and forgives with the first answer", () => {
    const bench = new Bench()
    const pair = { nodeId: "a", sourceIp: "ip-a", operator: "op" }
    bench.hear("a", "blocked", { times: 2 })
    const first = bench.router.pair(pair, bench.now)!.openUntil - bench.now
    bench.hear("a", "blocked") // under way when it opened
    expect(bench.router.pair(pair, bench.now)!.openUntil - bench.now).toBe(first)
    bench.now += first + 1
    bench.hear("a", "blocked")
    const second = bench.router.pair(pair, bench.now)!.openUntil - bench.now
    expect(second).toBeGreaterThan(first)
    bench.hear("a", "answered")
    expect(bench.router.pair(pair, bench.now)!.breaker).toBe("open")
    bench.now += second + 1
    bench.hear("a", "missing")
    expect(bench.router.pair(pair, bench.now)!.breaker).toBe("closed")
  })

  test("is not forgotten for the many hosts that are asked once, while it is asked itself", () => {
    const bench = new Bench()
    bench.hear("a", "blocked", { operator: "google", times: BREAKER.blocksToOpen })
    for (let n = 0; n < 60_000; n++) {
      bench.hear("a", "answered", { operator: `mx.d${n}.test` })
      if (n % 10_000 === 0) bench.hear("a", "deferred", { operator: "google" })
    }
    const pair = { nodeId: "a", sourceIp: "ip-a", operator: "google" }
    expect(bench.router.pair(pair, bench.now)).toMatchObject({ breaker: "open", seen: { blocked: 2 } })
  })

  test("is asked from there about another operator", () => {
    const bench = new Bench()
    bench.hear("a", "blocked", { times: 2 })
    expect(bench.choose(200, nodes, (n) => ask({ operator: "other", domain: `d${n}.test` })).has("a")).toBe(true)
  })

  test("is asked from the node's other source IP", () => {
    const bench = new Bench()
    const two = [node("a", { sourceIps: ["ip-a", "ip-2"] })]
    bench.hear("a", "blocked", { times: 2 })
    const choice = bench.router.choose(two, ask(), bench.now)!
    expect(choice).toMatchObject({ avoid: ["ip-a"], isLastResort: false })
  })

  test("is still asked when it blocks everybody: somebody has to find out", () => {
    const bench = new Bench()
    for (const { id } of nodes) bench.hear(id, "blocked", { times: 2 })
    expect(bench.router.choose(nodes, ask(), bench.now)).toMatchObject({ isLastResort: true, avoid: [] })
  })

  test("gets less from an IP it has blocked, afterwards", () => {
    const bench = new Bench()
    bench.choose(500)
    bench.hear("a", "blocked", { times: 2 })
    bench.now += 5 * MINUTE
    const chosen = bench.choose(200)
    expect(chosen.get("a") ?? 0).toBeLessThan(Math.min(...["b", "c", "d", "e"].map((id) => chosen.get(id) ?? 0)))
  })
})

describe("what others know", () => {
  const pair = { nodeId: "a", sourceIp: "ip-a", operator: "op" }

  test("counts: a pair held off elsewhere, or drifted, is not used", () => {
    const bench = new Bench()
    bench.router.learn([{ ...pair, openUntil: NOW + MINUTE }], NOW)
    expect(bench.choose(100).has("a")).toBe(false)
    const other = new Bench()
    other.router.learn([{ ...pair, drifted: true }], NOW)
    expect(other.choose(100).has("a")).toBe(false)
    expect(other.router.isSuspect(pair)).toBe(true)
    other.router.learn([], NOW)
    expect(other.choose(100).has("a")).toBe(true)
  })

  test("holds a pair off for the longest of what is known, and after it the first block says enough", () => {
    const { router } = new Bench()
    for (const minutes of [2, 1]) router.learn([{ ...pair, openUntil: NOW + minutes * MINUTE }], NOW)
    expect(router.pair(pair, NOW)).toMatchObject({ breaker: "open", openUntil: NOW + 2 * MINUTE })
    const hear = (fate: Fate, minutes: number, of = pair) =>
      router.noteFate(of, { fate, recipients: 1, ms: 10, now: NOW + minutes * MINUTE })
    expect(hear("blocked", 3)).toBe(true)
    const another = { ...pair, operator: "another" }
    expect([hear("blocked", 3, another), hear("failed", 3, another), hear("blocked", 3, another)]).toEqual([
      ...[false, false, true],
    ])
  })
})

describe("an operator that says everybody is missing", () => {
  const name = { nodeId: "a", sourceIp: "ip-a", operator: "op" }

  test("is doubted while nobody else has asked much, and when others hear otherwise", () => {
    const bench = new Bench()
    bench.hear("a", "missing", { times: 19 })
    expect(bench.router.isSuspect(name)).toBe(false)
    bench.hear("a", "missing")
    expect(bench.router.isSuspect(name)).toBe(true)
    bench.hear("b", "answered", { times: 30 })
    expect(bench.router.isSuspect(name)).toBe(true)
  })

  test("is believed when others hear the same, or when it knows some", () => {
    const bench = new Bench()
    bench.hear("a", "missing", { times: 40 })
    bench.hear("b", "missing", { times: 30 })
    expect(bench.router.isSuspect(name)).toBe(false)
    const alone = new Bench()
    alone.hear("a", "missing", { times: 40 })
    const said = { fate: "missing", recipients: 40, ms: 10, now: NOW, isPrivate: true } as const
    alone.router.noteFate({ ...name, nodeId: "an account's" }, said)
    expect(alone.router.isSuspect(name)).toBe(true)
    const mixed = new Bench()
    mixed.hear("a", "missing", { times: 40 })
    mixed.hear("a", "answered", { times: 4 })
    expect(mixed.router.isSuspect(name)).toBe(false)
  })
})

test("whatever happens, a choice is one of the nodes and none of the avoided", () => {
  const fates: Fate[] = ["answered", "missing", "deferred", "blocked", "failed"]
  const step = fc.record({
    operator: fc.constantFrom("op", "other"),
    fate: fc.constantFrom(...fates),
    passMs: fc.integer({ min: 0, max: 30 * MINUTE }),
    avoid: fc.subarray(["a", "b", "c", "d", "e"]),
    recipients: fc.integer({ min: 1, max: 500 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1 }), (steps, seed) => {
      const router = new Router(chance(seed))
      let now = NOW
      for (const { operator, fate, passMs, avoid, recipients } of steps) {
        const question = ask({ operator, avoidNodes: avoid, recipients })
        const choice = router.choose(nodes, question, now)
        expect(choice === null).toBe(avoid.length === nodes.length)
        if (!choice) continue
        expect(avoid).not.toContain(choice.node.id)
        router.noteSent(choice, question, now)
        router.noteFate(
          { nodeId: choice.node.id, sourceIp: `ip-${choice.node.id}`, operator },
          { fate, recipients, ms: 5, now },
        )
        router.noteDone(choice.node.id, recipients)
        now += passMs
      }
    }),
    { numRuns: 200 },
  )
})
