import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import {
  createPendingStore,
  type NewPending,
  type PendingStore,
} from "../../src/adapters/store/verification/pending.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { AppError } from "../../src/errors.ts"
import {
  deleteOldPending,
  finishVerification,
  startVerification,
  sweepPending,
} from "../../src/services/verification/pending.ts"
import { testContext, testMeter } from "../support/deps/context.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../support/deps/evidence.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
let pending: PendingStore
const digests = await createDigests(["p".repeat(32)])

beforeAll(async () => {
  database = await startDatabase()
  pending = createPendingStore(database.open())
})
afterAll(() => database.stop())
beforeEach(() => pending.deleteBefore(Number.MAX_SAFE_INTEGER))

const NOW = 1_000_000
const KNOWN = verificationOf("alice@example.org", {
  domain: domainFacts(),
  mailbox: mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 no such user")),
})

/** A world whose store already has the result, or fails at every read. */
function world({ storeFails = false } = {}) {
  const time = { now: NOW }
  const settled: [string, number][] = []
  const events: { eventId: string; payload: { data: Record<string, unknown> } }[] = []
  const counted: unknown[] = []
  const logged: string[] = []
  const ctx = testContext({
    clock: { now: () => time.now, sleep: async () => undefined },
    digests,
    log: (event: string) => void logged.push(event),
    cache: { startCompletion: () => false },
    background: () => undefined,
    randomToken: () => "token",
    webhookDispatcher: { deliver: async () => undefined },
    probes: {},
    gravatar: { has: async () => null },
    writeBehind: { add: async () => "stored" },
    dns: { resolve: async () => ({ kind: "no_data" }) },
    web: { get: async () => null },
    rdap: { registration: async () => ({ kind: "unknown" }) },
    rbl: { query: async () => null },
    store: {
      pending,
      charges: { settle: async (id: string, credits: number) => void settled.push([id, credits]) },
      outboundEvents: { add: async (added: never[]) => void events.push(...added) },
      webhookSubscriptions: { list: async () => [] },
      history: { count: async (...answers: unknown[]) => void counted.push(answers) },
      breaches: { deleteExpiredAnswers: async () => undefined },
      webhookDeliveries: { claim: async () => null },
      results: {
        async knownAbout() {
          if (storeFails) throw new Error("the store is down")
          return {
            result: { evidence: KNOWN.evidence, verifiedAt: NOW, expiresAt: Number.MAX_SAFE_INTEGER },
            facts: null,
            flags: new Map(),
          }
        },
      },
      suppressions: { flags: async () => new Map() },
    },
  })
  return {
    ctx,
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
  keyId: null,
  email: "alice@example.org",
  state: "queued",
  webhookUrl: "https://hooks.example.org/",
  chargeId: verificationId,
  createdAt: NOW,
  completedAt: null,
  ...more,
})

describe("a quick verification", () => {
  test("is finished, settled, counted and published once, for any number of concurrent attempts", async () => {
    const { ctx, events, counted, settled } = world()
    await pending.add(row("ver_a"))
    await Promise.all([1, 2, 3].map(() => finishVerification(ctx, "ver_a")))
    expect(await pending.find("ver_a")).toMatchObject({ state: "complete", attempts: 1 })
    // A result that was stored meanwhile costs nothing.
    expect(settled).toEqual([["ver_a", 0]])
    expect(counted).toEqual([
      [
        { accountId: "acc_1", keyId: null },
        [expect.objectContaining({ status: "valid", cached: true, canSend: true })],
        NOW,
      ],
    ])
    expect(events).toMatchObject([
      {
        payload: { data: { verification_id: "ver_a", state: "complete", status: "valid", email: "alice@example.org" } },
      },
    ])
  })

  test("with a dead request is finished by the sweep after its grace period", async () => {
    const { ctx, time } = world()
    await pending.add(row("ver_b"))
    await sweepPending(ctx)
    expect(await pending.find("ver_b")).toMatchObject({ state: "queued" })
    time.now += 10_000
    await sweepPending(ctx)
    expect(await pending.find("ver_b")).toMatchObject({ state: "complete", attempts: 1 })
  })

  test("whose end meets an outage of the database ends when it is back, and is verified once", async () => {
    const { ctx, time, settled } = world()
    await pending.add(row("ver_o"))
    let verified = 0
    const { results } = ctx.store
    const knownAbout: typeof results.knownAbout = (...given) => {
      verified++
      return results.knownAbout(...given)
    }
    const finish: PendingStore["finish"] = async (...given) => {
      if (time.now < NOW + 20_000) throw new AppError("unavailable", "no answer")
      return pending.finish(...given)
    }
    const clock = {
      now: () => time.now,
      async sleep(ms: number) {
        time.now += ms
      },
    }
    const store = { ...ctx.store, pending: { ...pending, finish }, results: { ...results, knownAbout } }
    await finishVerification({ ...ctx, clock, store }, "ver_o")
    expect(await pending.find("ver_o")).toMatchObject({ state: "complete", attempts: 1 })
    expect(new Set(settled.map(String))).toEqual(new Set(["ver_o,0"]))
    expect(verified).toBeGreaterThan(0)
  })

  test("that keeps failing ends as failed, is refunded, and its webhook is notified", async () => {
    const { ctx, time, events, settled, logged } = world({ storeFails: true })
    await pending.add(row("ver_c"))
    const states: unknown[] = []
    for (let minute = 0; minute < 5; minute++) {
      time.now += 60_000
      await sweepPending(ctx)
      states.push((await pending.find("ver_c"))?.state)
    }
    expect(states).toEqual(["running", "running", "running", "failed", "failed"])
    expect(logged.filter((event) => event === "pending_verification_failed")).toHaveLength(3)
    expect(settled).toEqual([["ver_c", 0]])
    expect(events).toMatchObject([{ payload: { data: { state: "failed", status: null } } }])
  })

  test("always has the same event id", async () => {
    const ids = []
    for (let i = 0; i < 2; i++) {
      const { ctx, events } = world()
      await pending.deleteBefore(Number.MAX_SAFE_INTEGER)
      await pending.add(row("ver_d"))
      await finishVerification(ctx, "ver_d")
      ids.push(events[0]!.eventId)
    }
    expect(ids[0]).toBe(ids[1])
  })

  test("is deleted after a week", async () => {
    const { ctx, time } = world()
    await pending.add(row("ver_e"))
    time.now += 7 * 86_400_000 + 1
    await deleteOldPending(ctx)
    expect(await pending.find("ver_e")).toBeNull()
  })

  test("with a stored result notifies its webhook after a retry, when the first call failed before that", async () => {
    const { ctx, events } = world()
    let isBroken = true
    const context = testContext({
      ...ctx,
      webhookSender: { isBlocked: async () => false },
      store: {
        ...ctx.store,
        outboundEvents: {
          async add(added) {
            if (isBroken) throw new Error("the store is down")
            events.push(...(added as never[]))
          },
        },
      },
      config: { webhookRules: { allowHttp: false, allowHosts: new Set(), ownHosts: [] } },
    })
    const start = () =>
      startVerification(context, testMeter(), {
        email: "alice..@example.org",
        webhookUrl: "https://hooks.example.org/",
        caller: { kind: "admin" },
      })
    await expect(start()).rejects.toThrow("the store is down")
    isBroken = false
    const { verificationId } = await start()
    expect(events).toMatchObject([{ payload: { data: { verification_id: verificationId, status: "invalid_syntax" } } }])
    await start()
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(1)
  })
})
