import { describe, expect, test } from "vitest"
import type { ProbeRequest, RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/probes/dispatch.ts"
import type { ResultToStore } from "../../../src/adapters/store/results.ts"
import type { Deps } from "../../../src/deps.ts"
import type { KeptFacts } from "../../../src/domain/verdict/evidence.ts"
import type { Verification } from "../../../src/domain/verdict/verification.ts"
import { ALL_CHECKS, type Checks } from "../../../src/services/verification/checks.ts"
import { type VerifyNeeds, verify } from "../../../src/services/verification/verify.ts"
import { dnsZone } from "../../support/dns-zone.ts"
import { mailbox, NOW, rcpt } from "../../support/evidence.ts"
import { type VirtualClock, virtualClock } from "../../support/virtual-clock.ts"

const EMAIL = "anna@example.org"
const ZONE = { "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }
const SILENCE: RecipientOutcome = { kind: "failure", stage: "banner", failure: "deadline", detail: "", ms: 1 }
/** A node's line comes a little after the deadline it was given. */
const ON_THE_WAY_MS = 40

interface Outside {
  /** When the node says what, in ms; `at its deadline` unless told, and silence at its deadline when that comes first. */
  readonly node?: { readonly says: RecipientOutcome; readonly afterMs?: number; readonly sibling?: Sibling }
  readonly rdapMs?: number
  readonly enterMs?: number
}

/** What is said of the random sibling, and when after the first answer. */
interface Sibling {
  readonly says: RecipientOutcome
  readonly afterMs: number
}

/** One address in a world without a cache, with the leaders of flights as the Durable Object keeps them. */
function world({ node = { says: SILENCE }, rdapMs = 0, enterMs = 0 }: Outside = {}) {
  const clock = virtualClock(NOW)
  const seen = {
    probes: 0,
    reserved: 0,
    billed: [] as number[],
    background: [] as Promise<unknown>[],
    owner: null as string | null,
  }
  let stored: ResultToStore | null = null
  let facts: KeptFacts | null = null
  const leaders = leading(clock)
  const needs = {
    clock,
    digests: { of: async (_: string, text: string) => text },
    randomToken: () => "token",
    log: () => undefined,
    background: (work: Promise<unknown>) => void seen.background.push(work),
    dns: dnsZone(ZONE),
    gravatar: { has: async () => null },
    web: { get: async () => null },
    rbl: { ask: async () => null },
    rdap: { registration: () => clock.sleep(rdapMs).then(() => ({ kind: "unknown" })) },
    formats: { learn: async () => undefined },
    results: {
      latest: async () => ({ result: stored, facts }),
      saveFacts: async (_: string, found: KeptFacts) => {
        facts = { ...facts, ...found }
      },
    },
    resultLists: {
      async saveAll([row]: ResultToStore[]) {
        stored = row ?? stored
      },
    },
    cache: { put: async () => undefined },
    presentCached: () => ({}),
    meter: {
      async reserve() {
        seen.reserved++
        return { chargeId: "charge", settle: async (credits: number) => void seen.billed.push(credits) }
      },
    },
    flights: {
      ...leaders,
      enter: (name: string, leaseMs: number) => clock.sleep(enterMs).then(() => leaders.enter(name, leaseMs)),
    },
    rechecks: { note: async () => undefined },
    recheckDelaysMs: [],
    probes: {
      owner: async () => seen.owner,
      async ask({ deadlineMs }: ProbeRequest) {
        seen.probes++
        async function* lines(): AsyncGenerator<NodeLine> {
          const { says, afterMs = deadlineMs, sibling } = node
          const endMs = afterMs + (sibling?.afterMs ?? 0)
          await clock.sleep(Math.min(endMs, deadlineMs) + ON_THE_WAY_MS)
          const outcome = afterMs > deadlineMs ? SILENCE : says
          const control = sibling ? (endMs > deadlineMs ? SILENCE : sibling.says) : null
          const line = { ...mailbox(outcome, control), attempts: [], type: "recipient" as const, index: 0 }
          yield { ...line, isPrivate: false, isSuspect: false }
        }
        return { kind: "lines", lines: lines() }
      },
    },
  } as unknown as VerifyNeeds
  const ask = (timeoutMs: number, without: Partial<Checks> = {}) => {
    const checks = { ...ALL_CHECKS, rbl: false, webPresence: false, ...without }
    return verify(needs, { email: EMAIL, smtp: true, timeoutMs, checks })
  }
  return { clock, seen, leaders, ask, stored: () => stored }
}

function leading(clock: VirtualClock) {
  const names = new Map<string, { until: number; landed: Promise<void>; land: () => void }>()
  const flights: Deps["flights"] = {
    async enter(name, leaseMs) {
      const leader = names.get(name)
      if (leader && leader.until > clock.now()) {
        await Promise.race([leader.landed, clock.sleep(leader.until - clock.now())])
        return false
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      names.set(name, { until: clock.now() + leaseMs, landed: promise, land: resolve })
      return true
    },
    async land(name) {
      names.get(name)?.land()
      names.delete(name)
    },
  }
  return { ...flights, count: () => names.size }
}

const told = ({ verdict, cached }: Verification) => `${verdict.status} ${verdict.finding}${cached ? " cached" : ""}`

describe("many who ask at once", () => {
  test("are all answered by one conversation, also with a server that says nothing", async () => {
    const { clock, seen, ask } = world()
    const followers = Array.from({ length: 5 }, () => clock.sleep(100).then(() => ask(30_000)))
    const answers = await clock.run(Promise.all([ask(30_000), ...followers]))
    expect(answers.map(told)).toEqual(["unknown unreachable", ...followers.map(() => "unknown unreachable cached")])
    expect(seen).toMatchObject({ probes: 1, billed: [0] })
  })

  test("in haste, have a slow server heard out once behind them all, and know by then what is known", async () => {
    const { clock, seen, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 6_000 } })
    const followers = Array.from({ length: 5 }, () => clock.sleep(100).then(() => ask(2_000)))
    const answers = await clock.run(Promise.all([ask(2_000), ...followers]))
    expect(answers.map(told)).toEqual(answers.map(() => "unknown unreachable"))
    expect(answers.map(({ evidence }) => evidence.domain?.route.kind)).toEqual(answers.map(() => "mx"))
    expect(clock.now() - NOW).toBe(2_100)
    const patient = clock.run(ask(30_000))
    expect(told(await patient)).toBe("valid catch_all_inconclusive cached")
    expect(seen).toMatchObject({ probes: 2, billed: [0] })
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
  })

  test("wait for another no longer than for themselves, and then ask nobody", async () => {
    const { clock, seen, ask } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10_000 } })
    const order: string[] = []
    const patient = ask(30_000).then((found) => order.push(told(found)))
    const hurried = clock.sleep(100).then(() => ask(2_000).then((found) => order.push(told(found))))
    await clock.run(Promise.all([patient, hurried]))
    expect(order).toEqual(["unknown unreachable", "valid catch_all_inconclusive"])
    expect(seen).toMatchObject({ probes: 1, reserved: 1, billed: [1] })
  })

  test("have what is left of their own time when the leader has died", async () => {
    const { clock, seen, leaders, ask } = world()
    await leaders.enter(EMAIL, 3_000)
    const order: string[] = []
    const wall = clock.sleep(4_001).then(() => order.push("wall"))
    const asked = ask(4_000).then((found) => order.push(told(found)))
    await clock.run(Promise.all([wall, asked, ...seen.background]))
    expect(order).toEqual(["unknown unreachable", "wall"])
    expect(seen.probes).toBe(1)
  })

  test("need not wait when whoever came first has gone: what is asked for them goes on behind", async () => {
    const { clock, seen, leaders, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 200 } })
    const gone = ask(30_000)
    await clock.run(clock.sleep(100))
    expect(seen.probes).toBe(1)
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
    expect(leaders.count()).toBe(0)
    await gone
  })

  test("do not wait for an account that asks its own node: what that says is nobody else's", async () => {
    const { clock, seen, ask } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10_000 } })
    seen.owner = "acc"
    const order: string[] = []
    const own = ask(30_000).then((found) => order.push(told(found)))
    const other = clock.sleep(100).then(() => {
      seen.owner = null
      return ask(12_000).then((found) => order.push(told(found)))
    })
    await clock.run(Promise.all([own, other]))
    expect(seen.probes).toBe(2)
    expect(order).toEqual(["valid catch_all_inconclusive", "valid catch_all_inconclusive"])
  })

  test("are not held up by one who came to lead when its time was over", async () => {
    const { clock, seen, leaders, ask } = world({ enterMs: 2_000 })
    expect(told(await clock.run(ask(1_000)))).toBe("unknown unreachable")
    await clock.run(Promise.all(seen.background))
    expect(leaders.count()).toBe(0)
    expect(seen).toMatchObject({ probes: 0, reserved: 0 })
  })
})

describe("at the wall", () => {
  test("what a node knows by its own deadline is the answer: that comes first", async () => {
    const { clock, seen, ask } = world({ node: { says: rcpt(250, "Ok") } })
    expect(told(await clock.run(ask(4_000)))).toBe("valid catch_all_inconclusive")
    expect(seen.billed).toEqual([1])
  })

  test.each([
    ["takes everything", rcpt(250, "Ok"), "accept_all"],
    ["greylists us by then", null, "valid"],
  ])("a server that is slow to tell of the sibling is heard out behind it; it %s", async (_, sibling, status) => {
    const says = rcpt(250, "Ok")
    const node = { says, afterMs: 3_000, sibling: { says: sibling ?? says, afterMs: 6_000 } }
    const { clock, seen, ask, stored } = world({ node })
    const asked = ask(5_000)
    if (!sibling) clock.sleep(4_000).then(() => Object.assign(node, { says: rcpt(451, "4.7.1 Greylisted") }))
    expect(told(await clock.run(asked))).toBe("valid catch_all_inconclusive")
    expect(seen.billed).toEqual([1])
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status } })
    expect(seen.probes).toBe(2)
  })

  test("what the mail server said is the answer, whatever else is still looked for", async () => {
    const { clock, seen, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10 }, rdapMs: 60_000 })
    expect(told(await clock.run(ask(2_000)))).toBe("valid catch_all_inconclusive")
    expect(seen.billed).toEqual([1])
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
  })

  test("a stored answer waits no longer for facts that nobody had asked for", async () => {
    const { clock, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10 }, rdapMs: 60_000 })
    await clock.run(ask(10_000, { domainAge: false }))
    expect(stored()).not.toBeNull()
    const askedAt = clock.now()
    expect(told(await clock.run(ask(1_000)))).toBe("valid catch_all_inconclusive cached")
    expect(clock.now() - askedAt).toBeLessThanOrEqual(1_000)
  })

  test("nothing is billed for what is unknown, and the search goes on for the next one", async () => {
    const { clock, seen, leaders, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 6_000 } })
    expect(told(await clock.run(ask(4_000)))).toBe("unknown unreachable")
    expect(seen.billed).toEqual([0])
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
    expect(leaders.count()).toBe(0)
  })
})
