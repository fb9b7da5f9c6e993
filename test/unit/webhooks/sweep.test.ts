import { expect, test } from "vitest"
import type { ClaimedEvent } from "../../../src/adapters/store/webhooks/webhook-deliveries.ts"
import { AppError } from "../../../src/errors.ts"
import {
  deliverNow,
  LAST_START_MS,
  resumeDeliveries,
  sweepWebhooks,
} from "../../../src/services/webhooks/deliveries.ts"
import { testContext } from "../../support/deps/context.ts"

const SECOND = 1_000
/** Concurrent attempts of a sweep. */
const WIDTH = 6

/** Sixty events are due, and six concurrent attempts take ten seconds. */
function world({ forget = async () => undefined }: { forget?: (pass: (ms: number) => void) => Promise<void> } = {}) {
  let now = 0
  const pass = (ms: number) => {
    now += ms
  }
  const steps: string[] = []
  const underWay: (() => void)[] = []
  const due = Array.from({ length: 60 }, (_, n) => ({ eventId: `evt_${n}`, accountId: null, payload: {}, attempts: 1 }))
  const ctx = testContext({
    clock: { now: () => now },
    log: () => undefined,
    webhookSender: {
      async send() {
        steps.push(`begins at ${now / SECOND} s`)
        await new Promise<void>((resolve) => {
          if (underWay.push(resolve) < WIDTH) return
          pass(10 * SECOND)
          for (const end of underWay.splice(0)) end()
        })
        return { outcome: "delivered", httpStatus: 200, retryAfterMs: null, durationMs: 10 * SECOND }
      },
    },
    store: {
      webhookDeliveries: {
        accountAt: async () => "",
        due: async () => due.map(({ eventId }) => ({ eventId, turn: "" })),
        claim: async () => due.shift() as ClaimedEvent,
        finish: async () => void steps.push("finished"),
        deleteBefore: async () => {
          steps.push("forgets")
          await forget(pass)
        },
      },
    },
  })
  const starts = () => steps.filter((step) => step.startsWith("begins"))
  return { ctx, steps, starts, left: () => due.length }
}

const sixAt = (...seconds: number[]) =>
  seconds.flatMap((second) => Array.from({ length: WIDTH }, () => `begins at ${second} s`))

test("a background sweep starts no attempt that the platform could abort", async () => {
  const { ctx, steps, starts, left } = world()
  await sweepWebhooks(ctx, LAST_START_MS)
  expect(starts()).toEqual(sixAt(0, 10))
  expect(steps.filter((step) => step === "finished")).toHaveLength(12)
  expect(left()).toBe(48)
})

test("an awaited sweep runs longer, and leaves the rest to the next", async () => {
  const { ctx, starts, left } = world()
  await sweepWebhooks(ctx)
  expect(starts()).toEqual(sixAt(0, 10, 20, 30))
  expect(left()).toBe(36)
})

test("deletion comes first and counts towards the time of the sweep", async () => {
  const { ctx, steps, starts } = world({ forget: async (pass) => pass(5 * SECOND) })
  await sweepWebhooks(ctx, LAST_START_MS)
  expect(steps[0]).toBe("forgets")
  expect(starts()).toEqual(sixAt(5))
})

test("a failed deletion delays no delivery, and is reported", async () => {
  const { ctx, starts } = world({ forget: () => Promise.reject(new Error("the database is busy")) })
  await expect(sweepWebhooks(ctx, LAST_START_MS)).rejects.toThrow("the database is busy")
  expect(starts()).toEqual(sixAt(0, 10))
})

test("an error with one event does not end the sweep", async () => {
  const { ctx, left } = world()
  const logged: string[] = []
  const webhookDeliveries = {
    ...ctx.store.webhookDeliveries,
    finish: () => Promise.reject(new Error("the database is busy")),
  }
  await sweepWebhooks({
    ...ctx,
    log: (event) => void logged.push(event),
    store: { ...ctx.store, webhookDeliveries },
  })
  expect(logged.filter((event) => event === "webhook_delivery_failed")).toHaveLength(24)
  expect(left()).toBe(36)
})

test("an event delivered during an outage of the database is recorded when it is back, and not sent again", async () => {
  let now = 0
  const steps: string[] = []
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      now += ms
    },
  }
  const webhookDeliveries = {
    claim: async () => ({ eventId: "evt_0", accountId: null, payload: {}, attempts: 1 }),
    async finish({ state }: { state: string }) {
      if (now < 8 * SECOND) throw new AppError("unavailable", "no answer")
      steps.push(state)
    },
  }
  const webhookSender = {
    async send() {
      steps.push("sent")
      return { outcome: "delivered", httpStatus: 200, retryAfterMs: null, durationMs: 1 }
    },
  }
  const ctx = testContext({ clock, log: () => undefined, webhookSender, store: { webhookDeliveries } })
  await deliverNow(ctx, "evt_0")
  expect(steps).toEqual(["sent", "delivered"])
  expect(now).toBeLessThanOrEqual(10 * SECOND)
})

test("a sweep between two minutes costs one read when nothing is due", async () => {
  const sweeps: string[] = []
  const resume = (turn: string | null) =>
    resumeDeliveries(
      testContext({
        clock: { now: () => 0 },
        webhookDispatcher: { sweep: async () => void sweeps.push(String(turn)) },
        store: { webhookDeliveries: { accountAt: async () => turn } },
      }),
    )
  for (const turn of [null, "acc_1", null]) await resume(turn)
  expect(sweeps).toEqual(["acc_1"])
})
