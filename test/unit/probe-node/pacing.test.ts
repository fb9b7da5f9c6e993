import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { BREAKER, type SessionFate } from "../../../probe-node/breaker.ts"
import { type Lease, Pacer, type PacingLimits, type Turn } from "../../../probe-node/pacing.ts"

const LIMITS: PacingLimits = {
  concurrency: 100,
  queue: 100,
  ratePerSlot: Number.POSITIVE_INFINITY,
  budget: { perDay: null, warmUpFromMs: null },
}

/** A pacer on a clock that stands still until it is moved, and a way to ask it. */
function setup(limits: Partial<PacingLimits> = {}) {
  const clock = { nowMs: Date.UTC(2026, 10, 21, 12) }
  const pacer = new Pacer({ ...LIMITS, ...limits }, () => clock.nowMs)
  const ask = (changes: Partial<Turn> = {}) => {
    const asked = { lease: null as Lease | null, denied: null as string | null, isCancelled: false }
    const turn: Turn = {
      operator: "google",
      isNamed: true,
      isBegun: false,
      sourceIps: ["192.0.2.1"],
      sessionsPerHost: 2,
      priority: "interactive",
      recipients: 1,
      wallAtMs: clock.nowMs + 10_000,
      granted: (lease) => {
        asked.lease = lease
      },
      denied: (why) => {
        asked.denied = why
      },
      ...changes,
      get isCancelled() {
        return asked.isCancelled
      },
    }
    pacer.acquire(turn)
    return asked
  }
  const end = (lease: Lease | null, fate: SessionFate) => {
    pacer.note(lease!, fate)
    pacer.release(lease!)
  }
  const block = (times: number, changes: Partial<Turn> = {}) => {
    for (let at = 0; at < times; at++) end(ask(changes).lease, "blocked")
  }
  return { clock, pacer, ask, end, block }
}

describe("concurrency", () => {
  test("is counted per source IP and operator", () => {
    const { ask } = setup()
    const first = [ask(), ask(), ask()]
    expect(first.map(({ lease }) => lease !== null)).toEqual([true, true, false])
    expect(ask({ operator: "yahoo" }).lease).not.toBeNull()
    expect(ask({ sourceIps: ["192.0.2.2"] }).lease).not.toBeNull()
  })

  test("a freed slot goes to who waits", () => {
    const { ask, end, pacer } = setup()
    const [one, , third] = [ask(), ask(), ask()]
    end(one!.lease, "answered")
    expect(third!.lease).not.toBeNull()
    expect([pacer.active, pacer.waiting]).toEqual([2, 0])
  })

  test("a slot of the node's goes to who waits for it, whatever operator had it", () => {
    const { ask, end, pacer } = setup({ concurrency: 2 })
    const [one, two] = [ask(), ask({ operator: "yahoo" })]
    const waiting = [ask({ operator: "microsoft" }), ask({ operator: "mx.example" })]
    end(one.lease, "answered")
    expect(waiting.map(({ lease }) => lease !== null)).toEqual([true, false])
    end(two.lease, "answered")
    expect([waiting[1]!.lease !== null, pacer.active, pacer.waiting]).toEqual([true, 2, 0])
  })

  test("several source IPs share the work", () => {
    const { ask } = setup()
    const used = Array.from({ length: 4 }, () => ask({ sourceIps: ["192.0.2.1", "192.0.2.2"] }).lease?.sourceIp)
    for (const two of [used.slice(0, 2), used.slice(2)]) expect(two.toSorted()).toEqual(["192.0.2.1", "192.0.2.2"])
  })

  test("interactive turns go before bulk ones", () => {
    const { ask, end } = setup()
    const running = ask({ sessionsPerHost: 1 })
    const bulk = ask({ sessionsPerHost: 1, priority: "bulk" })
    const interactive = ask({ sessionsPerHost: 1 })
    end(running.lease, "answered")
    expect([bulk.lease, interactive.lease !== null]).toEqual([null, true])
  })

  test.each(["interactive", "bulk"] as const)("what is half done goes before other %s turns", (priority) => {
    const { ask, end } = setup()
    const running = ask({ sessionsPerHost: 1 })
    const waiting = ask({ sessionsPerHost: 1, priority })
    const begun = ask({ sessionsPerHost: 1, priority, isBegun: true })
    end(running.lease, "answered")
    expect([waiting.lease, begun.lease !== null]).toEqual([null, true])
  })

  test("bulk work leaves room in the node for who waits", () => {
    const { ask } = setup({ concurrency: 10 })
    const bulk = Array.from({ length: 12 }, (_, at) => ask({ operator: `op${at}`, priority: "bulk" }))
    expect(bulk.filter(({ lease }) => lease).length).toBe(9)
    expect(ask({ operator: "another" }).lease).not.toBeNull()
  })
})

describe("a turn that does not come", () => {
  test("is denied when the queue is full", () => {
    const { ask, pacer } = setup({ queue: 3 })
    const asked = Array.from({ length: 6 }, () => ask())
    expect(asked.map(({ denied }) => denied)).toEqual([null, null, null, null, null, "the node's queue is full"])
    expect(pacer.throttled).toBe(1)
  })

  test("is not denied by a full queue when it is half done: its place is about to be free", () => {
    const { ask, end } = setup({ queue: 1 })
    const [running, waiting] = [ask({ sessionsPerHost: 1 }), ask({ sessionsPerHost: 1 })]
    const begun = ask({ sessionsPerHost: 1, isBegun: true })
    end(running.lease, "answered")
    expect([begun.denied, begun.lease !== null, waiting.lease]).toEqual([null, true, null])
  })

  test("is denied at its wall", () => {
    const { ask, pacer, clock } = setup()
    const [, , third] = [ask(), ask(), ask()]
    clock.nowMs += 10_001
    pacer.sweep()
    expect(third!.denied).toBe("its turn did not come in time")
  })

  test("is dropped when it was cancelled", () => {
    const { ask, pacer } = setup()
    const [, , third] = [ask(), ask(), ask()]
    third!.isCancelled = true
    pacer.sweep()
    expect([third!.denied, pacer.waiting]).toEqual(["cancelled", 0])
  })

  test.each(["interactive", "bulk"] as const)("does not wait for the many %s ones before it", (priority) => {
    const { ask, pacer, clock } = setup()
    const before = Array.from({ length: 40 }, () => ask({ priority, wallAtMs: clock.nowMs + 60_000 }))
    const [late, cancelled] = [ask({ priority, wallAtMs: clock.nowMs + 1_000 }), ask({ priority })]
    cancelled.isCancelled = true
    clock.nowMs += 1_001
    pacer.sweep()
    expect([late.denied, cancelled.denied]).toEqual(["its turn did not come in time", "cancelled"])
    expect([before.filter(({ lease }) => lease).length, pacer.waiting]).toEqual([2, 38])
  })

  test("is denied at once when every source IP is to be avoided", () => {
    expect(setup().ask({ sourceIps: [] }).denied).toBe("no other source IP")
  })
})

test("the rate refills with time", () => {
  const { ask, end, pacer, clock } = setup({ ratePerSlot: 1 })
  const start = () => {
    const asked = ask()
    if (asked.lease) end(asked.lease, "answered")
    return asked.lease !== null
  }
  expect([start(), start(), start()]).toEqual([true, true, false])
  clock.nowMs += 500
  pacer.sweep()
  expect(pacer.waiting).toBe(0)
})

test("a clock that is set back by an hour takes no hour from an operator's pace", () => {
  const { ask, end, pacer, clock } = setup({ ratePerSlot: 1 })
  for (const { lease } of [ask(), ask()]) end(lease, "answered")
  clock.nowMs -= 3_600_000
  const next = ask()
  clock.nowMs += 500
  pacer.sweep()
  expect(next.lease).not.toBeNull()
})

describe("the breaker", () => {
  test("opens after blocks in a row, and only for that operator and source IP", () => {
    const { ask, block, end, pacer } = setup()
    block(BREAKER.blocksToOpen)
    expect(ask().denied).toBe("the operator blocks this source IP")
    expect(ask({ operator: "yahoo" }).lease).not.toBeNull()
    expect(ask({ sourceIps: ["192.0.2.1", "192.0.2.2"] }).lease?.sourceIp).toBe("192.0.2.2")
    end(ask({ operator: "quiet" }).lease, "answered")
    expect(pacer.standing.operators()).toMatchObject([
      { operator: "google", sourceIp: "192.0.2.1", active: 0, blocked: BREAKER.blocksToOpen, isOpen: true },
      { operator: "yahoo", sourceIp: "192.0.2.1", active: 1, blocked: 0, isOpen: false },
      { operator: "google", sourceIp: "192.0.2.2", active: 1, blocked: 0, isOpen: false },
    ])
  })

  test("an answer in between keeps it closed", () => {
    const { ask, block, end } = setup()
    block(BREAKER.blocksToOpen - 1)
    end(ask().lease, "answered")
    block(BREAKER.blocksToOpen - 1)
    expect(ask().lease).not.toBeNull()
  })

  test("lets one trial through after the pause, and waits twice as long when that is blocked too", () => {
    const { ask, block, end, clock } = setup()
    block(BREAKER.blocksToOpen)
    clock.nowMs += BREAKER.firstPauseMs
    const trial = ask()
    expect(trial.lease).not.toBeNull()
    expect(ask().denied).toBe("the operator blocks this source IP")
    end(trial.lease, "blocked")
    clock.nowMs += BREAKER.firstPauseMs
    expect(ask().denied).toBe("the operator blocks this source IP")
    clock.nowMs += BREAKER.firstPauseMs
    end(ask().lease, "answered")
    expect([ask().lease !== null, ask().lease !== null]).toEqual([true, true])
  })

  test("a source IP that three operators block is rested everywhere", () => {
    const { ask, block, pacer, clock } = setup()
    block(BREAKER.blocksToOpen, { operator: "icloud", sourceIps: ["192.0.2.2"] })
    for (const operator of ["google", "yahoo"]) block(BREAKER.blocksToOpen, { operator })
    expect(pacer.standing.ofSource("192.0.2.1").quarantined).toBe(false)
    block(BREAKER.blocksToOpen, { operator: "microsoft" })
    expect(ask({ operator: "anybody" }).denied).toBe("source IP is quarantined")
    expect(pacer.standing.ofSource("192.0.2.1").quarantined).toBe(true)
    expect(ask({ operator: "anybody", sourceIps: ["192.0.2.2"] }).lease).not.toBeNull()
    clock.nowMs += 1_800_001
    expect(ask({ operator: "anybody" }).lease).not.toBeNull()
  })

  test("hosts without a name are not kept in mind without end, however many of them block; operators are", () => {
    const { ask, block, pacer } = setup()
    block(BREAKER.blocksToOpen)
    for (let n = 0; n < 25_000; n++) block(BREAKER.blocksToOpen, { operator: `mx${n}.example`, isNamed: false })
    expect(pacer.standing.operators().length).toBeLessThan(20_000)
    expect(ask().denied).toBe("the operator blocks this source IP")
  })

  test("hosts that stand for nobody but themselves do not get a source IP rested", () => {
    const { ask, block } = setup()
    for (const n of [1, 2, 3, 4]) block(BREAKER.blocksToOpen, { operator: `mx${n}.example`, isNamed: false })
    expect(ask({ operator: "mx1.example", isNamed: false }).denied).toBe("the operator blocks this source IP")
    expect(ask().lease).not.toBeNull()
  })
})

test("the daily budget is per source IP and comes back with the next day", () => {
  const { ask, clock } = setup({ budget: { perDay: 10, warmUpFromMs: null } })
  expect(ask({ recipients: 8 }).lease).not.toBeNull()
  expect(ask({ recipients: 3 }).denied).toBe("daily budget is used up")
  expect(ask({ recipients: 2, operator: "yahoo" }).lease).not.toBeNull()
  expect(ask({ recipients: 3, sourceIps: ["192.0.2.2"] }).lease).not.toBeNull()
  clock.nowMs += 86_400_000
  expect(ask({ recipients: 3 }).lease).not.toBeNull()
})

test("whatever happens, the bounds hold and nothing is forgotten", () => {
  const step = fc.record({
    operator: fc.constantFrom("a", "b", "c"),
    priority: fc.constantFrom("interactive", "bulk"),
    fate: fc.constantFrom<SessionFate>("answered", "failed", "blocked"),
    release: fc.boolean(),
    waitMs: fc.nat(3_000),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { ask, end, pacer, clock } = setup({ concurrency: 5, queue: 8, ratePerSlot: 2 })
      const asked: ReturnType<typeof ask>[] = []
      const released = new Set<Lease>()
      const running = () => asked.flatMap(({ lease }) => (lease && !released.has(lease) ? [lease] : []))
      const release = (lease: Lease, fate: SessionFate) => {
        released.add(lease)
        end(lease, fate)
      }
      for (const { operator, priority, fate, release: isRelease, waitMs } of steps) {
        clock.nowMs += waitMs
        const [oldest] = running()
        if (isRelease && oldest) release(oldest, fate)
        else asked.push(ask({ operator, priority: priority as "bulk" }))
        expect(pacer.active).toBe(running().length)
        expect(pacer.active).toBeLessThanOrEqual(5)
        expect(pacer.waiting).toBeLessThanOrEqual(8)
        for (const { active } of pacer.standing.operators()) expect(active).toBeLessThanOrEqual(2)
      }
      clock.nowMs += 20_000
      pacer.sweep()
      expect(pacer.waiting).toBe(0)
      expect(asked.every(({ lease, denied }) => (lease === null) !== (denied === null))).toBe(true)
      for (const lease of running()) release(lease, "answered")
      expect(pacer.active).toBe(0)
    }),
  )
})
