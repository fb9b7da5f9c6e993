import { describe, expect, test } from "vitest"
import type { ProbeRequest, RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/fleet/dispatch.ts"
import type { AnswerWrite } from "../../../src/adapters/store/verification/answer-writes.ts"
import type { ResultToStore } from "../../../src/adapters/store/verification/results.ts"
import type { WriteOutcome } from "../../../src/adapters/verification/write-behind.ts"
import type { Context } from "../../../src/context.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import type { StoredFacts } from "../../../src/domain/verification/evidence.ts"
import { ALL_CHECKS, type OptionalChecks } from "../../../src/domain/verification/plan.ts"
import type { Verification } from "../../../src/domain/verification/verification.ts"
import { verify } from "../../../src/services/verification/verify.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import { mailbox, NOW, nodeLine, rcpt } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"
import { type VirtualClock, virtualClock } from "../../support/mail/virtual-clock.ts"

const EMAIL = "anna@example.org"
const ZONE = { "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }
const SILENCE: RecipientOutcome = { kind: "failure", stage: "banner", failure: "deadline", detail: "", ms: 1 }
/** A node's line arrives a little after its deadline. */
const ON_THE_WAY_MS = 40

interface Outside {
  /** The node's reply and its time in ms, by default at its deadline. Silence if the deadline comes first. */
  readonly node?: { readonly says: RecipientOutcome; readonly afterMs?: number; readonly sibling?: Sibling }
  readonly rdapMs?: number
  readonly enterMs?: number
  /** How long the database takes for a write after the answer, and what becomes of it. */
  readonly writeMs?: number
  readonly outcome?: WriteOutcome
}

/** The reply about the random recipient, and its delay after the first reply. */
interface Sibling {
  readonly says: RecipientOutcome
  readonly afterMs: number
}

/** One address without a cache, with single-flight leaders as in the Durable Object. */
function world({ node = { says: SILENCE }, rdapMs = 0, enterMs = 0, writeMs = 0, outcome = "stored" }: Outside = {}) {
  const clock = virtualClock(NOW)
  const seen = {
    probes: 0,
    reserved: 0,
    billed: [] as number[],
    edge: [] as string[],
    background: [] as Promise<unknown>[],
    owner: null as string | null,
  }
  let stored: ResultToStore | null = null
  let facts: StoredFacts | null = null
  const leaders = leading(clock)
  const atEdge = (what: string) => async () => void seen.edge.push(what)
  const ctx = testContext({
    clock,
    digests: { of: async (_: string, text: string) => text, candidates: async (_: string, text: string) => [text] },
    randomToken: () => "token",
    log: () => undefined,
    background: (work: Promise<unknown>) => void seen.background.push(work),
    dns: dnsZone(ZONE),
    gravatar: { has: async () => null },
    web: { get: async () => null },
    rbl: { query: async () => null },
    rdap: { registration: () => clock.sleep(rdapMs).then(() => ({ kind: "unknown" })) },
    cache: { put: atEdge("put"), delete: atEdge("delete"), startCompletion: () => false },
    singleFlight: {
      ...leaders,
      acquire: (name: string, leaseMs: number) => clock.sleep(enterMs).then(() => leaders.acquire(name, leaseMs)),
    },
    probes: {
      owner: async () => seen.owner,
      async probe({ deadlineMs }: ProbeRequest) {
        seen.probes++
        async function* lines(): AsyncGenerator<NodeLine> {
          const { says, afterMs = deadlineMs, sibling } = node
          const endMs = afterMs + (sibling?.afterMs ?? 0)
          await clock.sleep(Math.min(endMs, deadlineMs) + ON_THE_WAY_MS)
          const outcome = afterMs > deadlineMs ? SILENCE : says
          const control = sibling ? (endMs > deadlineMs ? SILENCE : sibling.says) : null
          yield nodeLine(mailbox(outcome, control))
        }
        return { kind: "lines", lines: lines() }
      },
    },
    store: {
      formats: {},
      results: { knownAbout: async () => ({ result: stored, facts, flags: new Map() }) },
    },
    writeBehind: {
      async add({ result, facts: added }: AnswerWrite) {
        await clock.sleep(writeMs)
        if (outcome !== "stored") return outcome
        stored = result ?? stored
        facts = { ...facts, ...added?.found }
        return outcome
      },
    },
    config: { recheckDelaysMs: [] },
  })
  const meter = testMeter({
    async reserve() {
      seen.reserved++
      return { chargeId: "charge", settle: async (credits: number) => void seen.billed.push(credits) }
    },
  })
  const ask = (timeoutMs: number, without: Partial<OptionalChecks> = {}) => {
    const checks = { ...ALL_CHECKS, rbl: false, webPresence: false, ...without }
    const known = Promise.resolve({ result: stored, facts, accountFlags: NO_ACCOUNT_FLAGS })
    return verify(ctx, meter, { address: parseAddress(EMAIL), accountId: null, known, smtp: true, timeoutMs, checks })
  }
  return { clock, seen, leaders, ask, stored: () => stored }
}

function leading(clock: VirtualClock) {
  const names = new Map<string, { until: number; landed: Promise<void>; land: () => void }>()
  const singleFlight: Context["singleFlight"] = {
    async acquire(name, leaseMs) {
      const leader = names.get(name)
      if (leader && leader.until > clock.now()) {
        await Promise.race([leader.landed, clock.sleep(leader.until - clock.now())])
        return false
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      names.set(name, { until: clock.now() + leaseMs, landed: promise, land: resolve })
      return true
    },
    async release(name) {
      names.get(name)?.land()
      names.delete(name)
    },
  }
  return { ...singleFlight, count: () => names.size }
}

const summaryOf = ({ verdict, cached }: Verification) =>
  `${verdict.status} ${verdict.finding}${cached ? " cached" : ""}`

describe("identical concurrent requests", () => {
  test("share one SMTP session, also with a silent server", async () => {
    const { clock, seen, ask } = world()
    const followers = Array.from({ length: 5 }, () => clock.sleep(100).then(() => ask(30_000)))
    const answers = await clock.run(Promise.all([ask(30_000), ...followers]))
    expect(answers.map(summaryOf)).toEqual([
      "unknown unreachable",
      ...followers.map(() => "unknown unreachable cached"),
    ])
    expect(seen).toMatchObject({ probes: 1, billed: [0] })
  })

  test("with short deadlines share one long probe in the background, and return the facts so far", async () => {
    const { clock, seen, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 6_000 } })
    const followers = Array.from({ length: 5 }, () => clock.sleep(100).then(() => ask(2_000)))
    const answers = await clock.run(Promise.all([ask(2_000), ...followers]))
    expect(answers.map(summaryOf)).toEqual(answers.map(() => "unknown unreachable"))
    expect(answers.map(({ evidence }) => evidence.domain?.route.kind)).toEqual(answers.map(() => "mx"))
    expect(clock.now() - NOW).toBe(2_100)
    const patient = clock.run(ask(30_000))
    expect(summaryOf(await patient)).toBe("valid catch_all_inconclusive cached")
    expect(seen).toMatchObject({ probes: 2, billed: [0] })
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
  })

  test("wait no longer than their own deadline, and then send no probe", async () => {
    const { clock, seen, ask } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10_000 } })
    const order: string[] = []
    const patient = ask(30_000).then((found) => order.push(summaryOf(found)))
    const hurried = clock.sleep(100).then(() => ask(2_000).then((found) => order.push(summaryOf(found))))
    await clock.run(Promise.all([patient, hurried]))
    expect(order).toEqual(["unknown unreachable", "valid catch_all_inconclusive"])
    expect(seen).toMatchObject({ probes: 1, reserved: 1, billed: [1] })
  })

  test("use the rest of their own time when the leader crashed", async () => {
    const { clock, seen, leaders, ask } = world()
    await leaders.acquire(EMAIL, 3_000)
    const order: string[] = []
    const wall = clock.sleep(4_001).then(() => order.push("wall"))
    const asked = ask(4_000).then((found) => order.push(summaryOf(found)))
    await clock.run(Promise.all([wall, asked, ...seen.background]))
    expect(order).toEqual(["unknown unreachable", "wall"])
    expect(seen.probes).toBe(1)
  })

  test("do not lose the result when the first caller disconnects: its probe continues in the background", async () => {
    const { clock, seen, leaders, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 200 } })
    const gone = ask(30_000)
    await clock.run(clock.sleep(100))
    expect(seen.probes).toBe(1)
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
    expect(leaders.count()).toBe(0)
    await gone
  })

  test("do not wait for an account's private node: its results are for that account", async () => {
    const { clock, seen, ask } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10_000 } })
    seen.owner = "acc"
    const order: string[] = []
    const own = ask(30_000).then((found) => order.push(summaryOf(found)))
    const other = clock.sleep(100).then(() => {
      seen.owner = null
      return ask(12_000).then((found) => order.push(summaryOf(found)))
    })
    await clock.run(Promise.all([own, other]))
    expect(seen.probes).toBe(2)
    expect(order).toEqual(["valid catch_all_inconclusive", "valid catch_all_inconclusive"])
  })

  test("are not delayed by a leader past its deadline", async () => {
    const { clock, seen, leaders, ask } = world({ enterMs: 2_000 })
    expect(summaryOf(await clock.run(ask(1_000)))).toBe("unknown unreachable")
    await clock.run(Promise.all(seen.background))
    expect(leaders.count()).toBe(0)
    expect(seen).toMatchObject({ probes: 0, reserved: 0 })
  })
})

describe("at the deadline", () => {
  test("the node's result at its own, earlier deadline is the answer", async () => {
    const { clock, seen, ask } = world({ node: { says: rcpt(250, "Ok") } })
    expect(summaryOf(await clock.run(ask(4_000)))).toBe("valid catch_all_inconclusive")
    expect(seen.billed).toEqual([1])
  })

  test.each([
    ["accepts every address", rcpt(250, "Ok"), "accept_all"],
    ["greylists the probe by then", null, "valid"],
  ])(
    "a slow reply about the random recipient is awaited in the background: the server %s",
    async (_, sibling, status) => {
      const says = rcpt(250, "Ok")
      const node = { says, afterMs: 3_000, sibling: { says: sibling ?? says, afterMs: 6_000 } }
      const { clock, seen, ask, stored } = world({ node })
      const asked = ask(5_000)
      if (!sibling) clock.sleep(4_000).then(() => Object.assign(node, { says: rcpt(451, "4.7.1 Greylisted") }))
      expect(summaryOf(await clock.run(asked))).toBe("valid catch_all_inconclusive")
      expect(seen.billed).toEqual([1])
      await clock.run(Promise.all(seen.background))
      expect(stored()).toMatchObject({ verdict: { status } })
      expect(seen.probes).toBe(2)
    },
  )

  test("the mail server's reply is the answer, also while other facts are pending", async () => {
    const { clock, seen, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10 }, rdapMs: 60_000 })
    expect(summaryOf(await clock.run(ask(2_000)))).toBe("valid catch_all_inconclusive")
    expect(seen.billed).toEqual([1])
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
  })

  test("a stored answer waits no longer for facts that were not requested before", async () => {
    const { clock, seen, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 10 }, rdapMs: 60_000 })
    await clock.run(ask(10_000, { domainAge: false }))
    await clock.run(Promise.all(seen.background))
    expect(stored()).not.toBeNull()
    const askedAt = clock.now()
    expect(summaryOf(await clock.run(ask(1_000)))).toBe("valid catch_all_inconclusive cached")
    expect(clock.now() - askedAt).toBeLessThanOrEqual(1_000)
  })

  test("an unknown result is free, and the probe continues for the next caller", async () => {
    const { clock, seen, leaders, ask, stored } = world({ node: { says: rcpt(250, "Ok"), afterMs: 6_000 } })
    expect(summaryOf(await clock.run(ask(4_000)))).toBe("unknown unreachable")
    expect(seen.billed).toEqual([0])
    await clock.run(Promise.all(seen.background))
    expect(stored()).toMatchObject({ verdict: { status: "valid" } })
    expect(leaders.count()).toBe(0)
  })
})

describe("a write after the answer", () => {
  const ANSWERING = { node: { says: rcpt(250, "Ok"), afterMs: 10 } }

  test("does not delay the answer, and a concurrent caller waits for it instead of a second probe", async () => {
    const { clock, seen, leaders, ask } = world({ ...ANSWERING, writeMs: 5_000 })
    const leader = ask(30_000).then((found) => ({ summary: summaryOf(found), afterMs: clock.now() - NOW }))
    const follower = clock.sleep(5).then(() => ask(30_000))
    expect(await clock.run(leader)).toMatchObject({ summary: "valid catch_all_inconclusive" })
    expect((await leader).afterMs).toBeLessThan(5_000)
    expect(leaders.count()).toBe(1)
    expect(summaryOf(await clock.run(follower))).toBe("valid catch_all_inconclusive cached")
    expect(clock.now() - NOW).toBeGreaterThanOrEqual(5_000)
    expect(seen).toMatchObject({ probes: 1, billed: [1], edge: ["put"] })
  })

  test.each(["refused", "lost"] as const)(
    "that is %s leaves neither the edge nor the lease with it",
    async (outcome) => {
      const { clock, seen, leaders, ask } = world({ ...ANSWERING, outcome })
      expect(summaryOf(await clock.run(ask(30_000)))).toBe("valid catch_all_inconclusive")
      await clock.run(Promise.all(seen.background))
      expect(seen).toMatchObject({ billed: [1], edge: ["put", "delete"] })
      expect(leaders.count()).toBe(0)
    },
  )
})
