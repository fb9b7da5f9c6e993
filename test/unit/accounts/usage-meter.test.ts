import { describe, expect, test } from "vitest"
import type { RemoteKeyLimiter } from "../../../src/adapters/accounts/key-limiters.ts"
import type { ReserveRequest } from "../../../src/adapters/accounts/limiter-state.ts"
import { createUsageMeter } from "../../../src/adapters/accounts/usage-meter.ts"
import type { Stores } from "../../../src/adapters/store/stores.ts"
import type { Caller } from "../../../src/domain/accounts/caller.ts"

const CALLER: Caller = {
  ...{ kind: "member", accountId: "acc", keyId: "kid", email: null, tier: "pro", subject: "acc" },
  allowance: { perMonth: 100, perMinute: 10 },
}

/** A meter whose limiter leases what it may, and records its calls. `settling` is the limiter's answer to a settlement. */
function recordedMeter(settling: () => Promise<void> = async () => undefined) {
  const calls: string[] = []
  const background: Promise<unknown>[] = []
  const limiter = {
    count: async () => {
      calls.push("count")
      return { accepted: true, remaining: 9, resetMs: 60_000 }
    },
    reserve: async ({ charge }: ReserveRequest) => {
      calls.push(`reserve ${charge.credits}`)
      return {
        kind: "taken",
        isLeased: charge.isLeasable ?? false,
        used: 1,
        creditsLeft: null,
        remaining: 9,
        resetMs: 60_000,
      }
    },
    settle: (_: string, credits: number) => {
      calls.push(`settle ${credits}`)
      return settling()
    },
  } as unknown as RemoteKeyLimiter
  const charges = {
    settle: async (_: string, credits: number) => void calls.push(`settle row ${credits}`),
  } as unknown as Stores["charges"]
  const usageAlerts = { reach: async () => undefined } as unknown as Stores["usageAlerts"]
  const deps = {
    clock: { now: () => 1, sleep: async () => undefined },
    randomToken: () => "random",
    store: { charges, usageAlerts },
    queueEntry: { queue: "", since: 0, deadlineAt: 0 },
    background: (work: Promise<unknown>) => void background.push(work),
  }
  return { meter: createUsageMeter(deps, { caller: CALLER, limiter: async () => limiter }), calls, background }
}

describe("a charge", () => {
  test("without a name is settled by its limiter", async () => {
    const { meter, calls } = recordedMeter()
    await (await meter.reserve(2)).settle(1)
    expect(calls).toEqual(["reserve 2", "settle 1"])
  })

  test.each([
    ["of an Idempotency-Key", "name", {}],
    ["of a job", null, { kind: "job", chargeId: "job_1" }],
    ["with an id", null, { chargeId: "ver_1" }],
  ] as const)("%s is settled in its row", async (_, name, options) => {
    const { meter, calls } = recordedMeter()
    const own = name === null ? meter : meter.named(name)
    await (await own.reserve(2, options)).settle(2)
    expect(calls).toEqual(["reserve 2", "settle row 2"])
  })

  test("of no credits counts the request once, and writes nothing", async () => {
    const { meter, calls } = recordedMeter()
    for (let n = 0; n < 2; n++) await (await meter.reserve(0)).settle(0)
    expect(calls).toEqual(["count"])
    expect(meter.state()).toMatchObject({ remainingInMinute: 9, month: null })
  })
})

test("a request that is counted before its charges get a name is counted once", async () => {
  const { meter, calls } = recordedMeter()
  await meter.authorize()
  const own = meter.named("name")
  await own.authorize()
  expect(calls).toEqual(["count"])
  expect(own.state()).toEqual(meter.state())
})

describe("the settlement of a leased charge", () => {
  test("in full does not delay the answer", async () => {
    const { meter, background } = recordedMeter(() => new Promise(() => undefined))
    await (await meter.reserve(2)).settle(2)
    expect(background).toHaveLength(1)
  })

  test("for less is complete before the answer, so that the next call can use the rest", async () => {
    let confirm = () => {}
    const { meter, background } = recordedMeter(() => new Promise((resolve) => (confirm = resolve)))
    let isSettled = false
    const settling = (await meter.reserve(2)).settle(1).then(() => (isSettled = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect([isSettled, background.length]).toEqual([false, 0])
    confirm()
    await settling
  })

  test("that is lost does not fail the answer", async () => {
    const { meter, background } = recordedMeter(() => Promise.reject(new Error("no answer")))
    for (const credits of [0, 2]) await (await meter.reserve(2)).settle(credits)
    await Promise.all(background)
  })
})
