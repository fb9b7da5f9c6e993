import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createPendingStore, type NewPending, type PendingStore } from "../../src/adapters/store/pending.ts"
import { createDigests } from "../../src/domain/keys/digest.ts"
import { type FinishNeeds, finishVerification } from "../../src/services/verification/finish-verification.ts"
import { startVerification } from "../../src/services/verification/start-verification.ts"
import { sweepPending } from "../../src/services/verification/sweep-pending.ts"
import { startDatabase } from "../support/database.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../support/evidence.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
let pending: PendingStore
const digests = await createDigests(["p".repeat(32)])

beforeAll(async () => {
  database = await startDatabase()
  pending = createPendingStore(database.open())
})
afterAll(() => database.stop())
beforeEach(() => pending.forgetBefore(Number.MAX_SAFE_INTEGER))

const NOW = 1_000_000
const KNOWN = verificationOf("alice@example.org", {
  domain: domainFacts(),
  mailbox: mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 no such user")),
})

/** A world in which the store already knows the address; or fails, as often as it is asked. */
function world({ storeFails = false } = {}) {
  const time = { now: NOW }
  const settled: [string, number][] = []
  const events: { eventId: string; payload: { data: Record<string, unknown> } }[] = []
  const counted: unknown[] = []
  const logged: string[] = []
  const needs = {
    clock: { now: () => time.now, sleep: async () => undefined },
    digests,
    pending,
    log: (event: string) => void logged.push(event),
    background: () => undefined,
    randomToken: () => "token",
    charges: { settle: async (id: string, credits: number) => void settled.push([id, credits]) },
    outboundEvents: { add: async (event: never) => void events.push(event) },
    history: { count: async (...answers: unknown[]) => void counted.push(answers) },
    breaches: { forgetAnswers: async () => undefined },
    courier: { deliver: async () => undefined },
    webhookDeliveries: { claim: async () => null },
    probes: { forAccount: () => ({}) },
    gravatar: { has: async () => null },
    results: {
      async latest() {
        if (storeFails) throw new Error("the store is down")
        return {
          result: { evidence: KNOWN.evidence, verifiedAt: NOW, expiresAt: Number.MAX_SAFE_INTEGER },
          facts: null,
        }
      },
      saveFacts: async () => undefined,
    },
    dns: { resolve: async () => ({ kind: "no_data" }) },
    web: { get: async () => null },
    suppressions: { marks: async () => new Map() },
    rdap: { registration: async () => ({ kind: "unknown" }) },
    rbl: { ask: async () => null },
  }
  return {
    needs: needs as unknown as FinishNeeds & Parameters<typeof sweepPending>[0],
    time,
    settled,
    events,
    counted,
    logged,
  }
}

const row = (verificationId: string, more: Partial<NewPending> = {}): NewPending => ({
  verificationId,
  accountId: "acc_1",
  email: "alice@example.org",
  state: "queued",
  webhookUrl: "https://hooks.example.org/",
  chargeId: verificationId,
  createdAt: NOW,
  completedAt: null,
  ...more,
})

describe("a quick verification", () => {
  test("is finished, settled, counted and told once, however often it is taken up", async () => {
    const { needs, events, counted, settled } = world()
    await pending.add(row("ver_a"))
    await Promise.all([1, 2, 3].map(() => finishVerification(needs, "ver_a")))
    expect(await pending.find("ver_a")).toMatchObject({ state: "complete", attempts: 1 })
    // What was known meanwhile costs nothing.
    expect(settled).toEqual([["ver_a", 0]])
    expect(counted).toEqual([["acc_1", [{ status: "valid", cached: true }], NOW]])
    expect(events).toMatchObject([
      {
        payload: { data: { verification_id: "ver_a", state: "complete", status: "valid", email: "alice@example.org" } },
      },
    ])
  })

  test("whose request died is taken up by the sweep after its grace", async () => {
    const { needs, time } = world()
    await pending.add(row("ver_b"))
    await sweepPending(needs)
    expect(await pending.find("ver_b")).toMatchObject({ state: "queued" })
    time.now += 10_000
    await sweepPending(needs)
    expect(await pending.find("ver_b")).toMatchObject({ state: "complete", attempts: 1 })
  })

  test("that keeps failing fails in the end, is given back, and its webhook hears of it", async () => {
    const { needs, time, events, settled, logged } = world({ storeFails: true })
    await pending.add(row("ver_c"))
    const states: unknown[] = []
    for (let minute = 0; minute < 5; minute++) {
      time.now += 60_000
      await sweepPending(needs)
      states.push((await pending.find("ver_c"))?.state)
    }
    expect(states).toEqual(["running", "running", "running", "failed", "failed"])
    expect(logged.filter((event) => event === "pending_verification_failed")).toHaveLength(3)
    expect(settled).toEqual([["ver_c", 0]])
    expect(events).toMatchObject([{ payload: { data: { state: "failed", status: null } } }])
  })

  test("the event of one verification has one id", async () => {
    const ids = []
    for (let i = 0; i < 2; i++) {
      const { needs, events } = world()
      await pending.forgetBefore(Number.MAX_SAFE_INTEGER)
      await pending.add(row("ver_d"))
      await finishVerification(needs, "ver_d")
      ids.push(events[0]!.eventId)
    }
    expect(ids[0]).toBe(ids[1])
  })

  test("is forgotten after a week", async () => {
    const { needs, time } = world()
    await pending.add(row("ver_e"))
    time.now += 7 * 86_400_000 + 1
    await sweepPending(needs)
    expect(await pending.find("ver_e")).toBeNull()
  })

  test("that is known at once tells its webhook after all when the call broke off before it had", async () => {
    const { needs, events } = world()
    let isBroken = true
    const asking = Object.assign(needs, {
      meter: { admit: async () => undefined },
      webhookRules: { allowHttp: false, allowHosts: new Set(), ownHosts: [] },
      webhookSender: { isBlocked: async () => false },
      outboundEvents: {
        async add(event: never) {
          if (isBroken) throw new Error("the store is down")
          events.push(event)
        },
      },
    }) as unknown as Parameters<typeof startVerification>[0]
    const ask = () =>
      startVerification(asking, {
        email: "alice..@example.org",
        webhookUrl: "https://hooks.example.org/",
        caller: { kind: "admin" },
      })
    await expect(ask()).rejects.toThrow("the store is down")
    isBroken = false
    const { verificationId } = await ask()
    expect(events).toMatchObject([{ payload: { data: { verification_id: verificationId, status: "invalid_syntax" } } }])
    await ask()
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(1)
  })
})
