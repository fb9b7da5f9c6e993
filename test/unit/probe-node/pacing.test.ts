import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { BREAKER, type SessionOutcome } from "../../../probe-node/ip-reputation.ts"
import {
  type Decision,
  Pacer,
  type PacingLimits,
  Permit,
  type PermitDemand,
  type PermitWaiter,
} from "../../../probe-node/pacing.ts"

const NO_BUDGET = { perDay: null, warmUpFromMs: null }
const LIMITS: PacingLimits = { concurrency: 100, queue: 100, ratePerSlot: Number.POSITIVE_INFINITY, budget: NO_BUDGET }

/** A pacer on a manual clock, with helpers to acquire and release permits. */
function setup(limits: Partial<PacingLimits> = {}) {
  const clock = { nowMs: Date.UTC(2026, 10, 21, 12) }
  const pacer = new Pacer({ ...LIMITS, ...limits }, () => clock.nowMs)
  const acquire = (changes: Partial<PermitDemand & Pick<PermitWaiter, "deadlineAtMs">> = {}) => {
    const result = { permit: null as Permit | null, denied: null as string | null, isCanceled: false }
    const { deadlineAtMs = clock.nowMs + 10_000, ...changed } = changes
    const demand: PermitDemand = {
      operator: "google",
      isNamed: true,
      isContinuation: false,
      sourceIps: ["192.0.2.1"],
      sessionsPerHost: 2,
      priority: "interactive",
      recipients: 1,
      ...changed,
    }
    const waiter: PermitWaiter = {
      deadlineAtMs,
      get isCanceled() {
        return result.isCanceled
      },
    }
    const decided = (decision: Decision) =>
      Object.assign(result, decision instanceof Permit ? { permit: decision } : { denied: decision.why })
    const decision = pacer.tryAcquire(demand, waiter)
    if (decision) decided(decision)
    else pacer.enqueue({ demand, waiter, decided })
    return result
  }
  const end = (permit: Permit | null, outcome: SessionOutcome) => {
    pacer.record(permit!, outcome)
    pacer.release(permit!)
  }
  const block = (times: number, changes: Partial<PermitDemand> = {}) => {
    for (let at = 0; at < times; at++) end(acquire(changes).permit, "blocked")
  }
  return { clock, pacer, acquire, end, block }
}

describe("concurrency", () => {
  test("is counted per source IP and operator", () => {
    const { acquire } = setup()
    const first = [acquire(), acquire(), acquire()]
    expect(first.map(({ permit }) => permit !== null)).toEqual([true, true, false])
    expect(acquire({ operator: "yahoo" }).permit).not.toBeNull()
    expect(acquire({ sourceIps: ["192.0.2.2"] }).permit).not.toBeNull()
  })

  test("a freed slot goes to the next waiting request", () => {
    const { acquire, end, pacer } = setup()
    const [one, , third] = [acquire(), acquire(), acquire()]
    end(one!.permit, "answered")
    expect(third!.permit).not.toBeNull()
    expect([pacer.active, pacer.waiting]).toEqual([2, 0])
  })

  test("a freed slot of the node goes to a waiting request of any operator", () => {
    const { acquire, end, pacer } = setup({ concurrency: 2 })
    const [one, two] = [acquire(), acquire({ operator: "yahoo" })]
    const waiting = [acquire({ operator: "microsoft" }), acquire({ operator: "mx.example" })]
    end(one.permit, "answered")
    expect(waiting.map(({ permit }) => permit !== null)).toEqual([true, false])
    end(two.permit, "answered")
    expect([waiting[1]!.permit !== null, pacer.active, pacer.waiting]).toEqual([true, 2, 0])
  })

  test("several source IPs share the sessions", () => {
    const { acquire } = setup()
    const used = Array.from({ length: 4 }, () => acquire({ sourceIps: ["192.0.2.1", "192.0.2.2"] }).permit?.sourceIp)
    for (const two of [used.slice(0, 2), used.slice(2)]) expect(two.toSorted()).toEqual(["192.0.2.1", "192.0.2.2"])
  })

  test("interactive requests precede bulk ones", () => {
    const { acquire, end } = setup()
    const running = acquire({ sessionsPerHost: 1 })
    const bulk = acquire({ sessionsPerHost: 1, priority: "bulk" })
    const interactive = acquire({ sessionsPerHost: 1 })
    end(running.permit, "answered")
    expect([bulk.permit, interactive.permit !== null]).toEqual([null, true])
  })

  test.each(["interactive", "bulk"] as const)("a continuation precedes other %s requests", (priority) => {
    const { acquire, end } = setup()
    const running = acquire({ sessionsPerHost: 1 })
    const waiting = acquire({ sessionsPerHost: 1, priority })
    const begun = acquire({ sessionsPerHost: 1, priority, isContinuation: true })
    end(running.permit, "answered")
    expect([waiting.permit, begun.permit !== null]).toEqual([null, true])
  })

  test("bulk work leaves room for interactive requests", () => {
    const { acquire } = setup({ concurrency: 10 })
    const bulk = Array.from({ length: 12 }, (_, at) => acquire({ operator: `op${at}`, priority: "bulk" }))
    expect(bulk.filter(({ permit }) => permit).length).toBe(9)
    expect(acquire({ operator: "another" }).permit).not.toBeNull()
  })
})

describe("a request without a permit", () => {
  test("is denied when the queue is full", () => {
    const { acquire, pacer } = setup({ queue: 3 })
    const result = Array.from({ length: 6 }, () => acquire())
    expect(result.map(({ denied }) => denied)).toEqual([null, null, null, null, null, "the node's queue is full"])
    expect(pacer.throttled).toBe(1)
  })

  test("is not denied by a full queue when it is a continuation", () => {
    const { acquire, end } = setup({ queue: 1 })
    const [running, waiting] = [acquire({ sessionsPerHost: 1 }), acquire({ sessionsPerHost: 1 })]
    const begun = acquire({ sessionsPerHost: 1, isContinuation: true })
    end(running.permit, "answered")
    expect([begun.denied, begun.permit !== null, waiting.permit]).toEqual([null, true, null])
  })

  test("is denied at its deadline", () => {
    const { acquire, pacer, clock } = setup()
    const [, , third] = [acquire(), acquire(), acquire()]
    clock.nowMs += 10_001
    pacer.sweep()
    expect(third!.denied).toBe("no permit before the deadline")
  })

  test("is dropped when it was canceled", () => {
    const { acquire, pacer } = setup()
    const [, , third] = [acquire(), acquire(), acquire()]
    third!.isCanceled = true
    pacer.sweep()
    expect([third!.denied, pacer.waiting]).toEqual(["canceled", 0])
  })

  test.each(["interactive", "bulk"] as const)("is denied in time behind many %s requests", (priority) => {
    const { acquire, pacer, clock } = setup()
    const before = Array.from({ length: 40 }, () => acquire({ priority, deadlineAtMs: clock.nowMs + 60_000 }))
    const [late, canceled] = [acquire({ priority, deadlineAtMs: clock.nowMs + 1_000 }), acquire({ priority })]
    canceled.isCanceled = true
    clock.nowMs += 1_001
    pacer.sweep()
    expect([late.denied, canceled.denied]).toEqual(["no permit before the deadline", "canceled"])
    expect([before.filter(({ permit }) => permit).length, pacer.waiting]).toEqual([2, 38])
  })

  test("is denied at once without an allowed source IP", () => {
    expect(setup().acquire({ sourceIps: [] }).denied).toBe("no other source IP")
  })
})

test("the rate refills with time", () => {
  const { acquire, end, pacer, clock } = setup({ ratePerSlot: 1 })
  const start = () => {
    const result = acquire()
    if (result.permit) end(result.permit, "answered")
    return result.permit !== null
  }
  expect([start(), start(), start()]).toEqual([true, true, false])
  clock.nowMs += 500
  pacer.sweep()
  expect(pacer.waiting).toBe(0)
})

test("a clock that is set back by an hour removes no tokens", () => {
  const { acquire, end, pacer, clock } = setup({ ratePerSlot: 1 })
  for (const { permit } of [acquire(), acquire()]) end(permit, "answered")
  clock.nowMs -= 3_600_000
  const next = acquire()
  clock.nowMs += 500
  pacer.sweep()
  expect(next.permit).not.toBeNull()
})

describe("the breaker", () => {
  test("opens after blocks in a row, and only for that operator and source IP", () => {
    const { acquire, block, end, pacer } = setup()
    block(BREAKER.blocksToOpen)
    expect(acquire().denied).toBe("the operator blocks this source IP")
    expect(acquire({ operator: "yahoo" }).permit).not.toBeNull()
    expect(acquire({ sourceIps: ["192.0.2.1", "192.0.2.2"] }).permit?.sourceIp).toBe("192.0.2.2")
    end(acquire({ operator: "quiet" }).permit, "answered")
    expect(pacer.reputation.operators()).toMatchObject([
      { operator: "google", sourceIp: "192.0.2.1", active: 0, blocked: BREAKER.blocksToOpen, isOpen: true },
      { operator: "yahoo", sourceIp: "192.0.2.1", active: 1, blocked: 0, isOpen: false },
      { operator: "google", sourceIp: "192.0.2.2", active: 1, blocked: 0, isOpen: false },
    ])
  })

  test("remains closed when an answer interrupts the blocks", () => {
    const { acquire, block, end } = setup()
    block(BREAKER.blocksToOpen - 1)
    end(acquire().permit, "answered")
    block(BREAKER.blocksToOpen - 1)
    expect(acquire().permit).not.toBeNull()
  })

  test("allows one trial after the pause, and doubles the pause when the trial is blocked", () => {
    const { acquire, block, end, clock } = setup()
    block(BREAKER.blocksToOpen)
    clock.nowMs += BREAKER.firstPauseMs
    const trial = acquire()
    expect(trial.permit).not.toBeNull()
    expect(acquire().denied).toBe("the operator blocks this source IP")
    end(trial.permit, "blocked")
    clock.nowMs += BREAKER.firstPauseMs
    expect(acquire().denied).toBe("the operator blocks this source IP")
    clock.nowMs += BREAKER.firstPauseMs
    end(acquire().permit, "answered")
    expect([acquire().permit !== null, acquire().permit !== null]).toEqual([true, true])
  })

  test("quarantines a source IP that three operators block", () => {
    const { acquire, block, pacer, clock } = setup()
    block(BREAKER.blocksToOpen, { operator: "icloud", sourceIps: ["192.0.2.2"] })
    for (const operator of ["google", "yahoo"]) block(BREAKER.blocksToOpen, { operator })
    expect(pacer.reputation.ofSource("192.0.2.1").quarantined).toBe(false)
    block(BREAKER.blocksToOpen, { operator: "microsoft" })
    expect(acquire({ operator: "other" }).denied).toBe("source IP is quarantined")
    expect(pacer.reputation.ofSource("192.0.2.1").quarantined).toBe(true)
    expect(acquire({ operator: "other", sourceIps: ["192.0.2.2"] }).permit).not.toBeNull()
    clock.nowMs += 1_800_001
    expect(acquire({ operator: "other" }).permit).not.toBeNull()
  })

  test("stores a limited number of unnamed hosts that block, and all named operators", () => {
    const { acquire, block, pacer } = setup()
    block(BREAKER.blocksToOpen)
    for (let n = 0; n < 25_000; n++) block(BREAKER.blocksToOpen, { operator: `mx${n}.example`, isNamed: false })
    expect(pacer.reputation.operators().length).toBeLessThan(20_000)
    expect(acquire().denied).toBe("the operator blocks this source IP")
  })

  test("unnamed hosts do not quarantine a source IP", () => {
    const { acquire, block } = setup()
    for (const n of [1, 2, 3, 4]) block(BREAKER.blocksToOpen, { operator: `mx${n}.example`, isNamed: false })
    expect(acquire({ operator: "mx1.example", isNamed: false }).denied).toBe("the operator blocks this source IP")
    expect(acquire().permit).not.toBeNull()
  })
})

test("the daily budget is per source IP and resets the next day", () => {
  const { acquire, clock } = setup({ budget: { perDay: 10, warmUpFromMs: null } })
  expect(acquire({ recipients: 8 }).permit).not.toBeNull()
  expect(acquire({ recipients: 3 }).denied).toBe("daily budget is used up")
  expect(acquire({ recipients: 2, operator: "yahoo" }).permit).not.toBeNull()
  expect(acquire({ recipients: 3, sourceIps: ["192.0.2.2"] }).permit).not.toBeNull()
  clock.nowMs += 86_400_000
  expect(acquire({ recipients: 3 }).permit).not.toBeNull()
})

test("random sequences respect the limits, and each request is granted or denied", () => {
  const step = fc.record({
    operator: fc.constantFrom("a", "b", "c"),
    priority: fc.constantFrom("interactive", "bulk"),
    outcome: fc.constantFrom<SessionOutcome>("answered", "failed", "blocked"),
    release: fc.boolean(),
    waitMs: fc.nat(3_000),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { acquire, end, pacer, clock } = setup({ concurrency: 5, queue: 8, ratePerSlot: 2 })
      const result: ReturnType<typeof acquire>[] = []
      const released = new Set<Permit>()
      const running = () => result.flatMap(({ permit }) => (permit && !released.has(permit) ? [permit] : []))
      const release = (permit: Permit, outcome: SessionOutcome) => {
        released.add(permit)
        end(permit, outcome)
      }
      for (const { operator, priority, outcome, release: isRelease, waitMs } of steps) {
        clock.nowMs += waitMs
        const [oldest] = running()
        if (isRelease && oldest) release(oldest, outcome)
        else result.push(acquire({ operator, priority: priority as "bulk" }))
        expect(pacer.active).toBe(running().length)
        expect(pacer.active).toBeLessThanOrEqual(5)
        expect(pacer.waiting).toBeLessThanOrEqual(8)
        for (const { active } of pacer.reputation.operators()) expect(active).toBeLessThanOrEqual(2)
      }
      clock.nowMs += 20_000
      pacer.sweep()
      expect(pacer.waiting).toBe(0)
      expect(result.every(({ permit, denied }) => (permit === null) !== (denied === null))).toBe(true)
      for (const permit of running()) release(permit, "answered")
      expect(pacer.active).toBe(0)
    }),
  )
})
