import { expect, test } from "vitest"
import type { ClaimedEvent } from "../../../src/adapters/store/webhook-deliveries.ts"
import { type DeliverNeeds, LAST_START_MS } from "../../../src/services/webhooks/deliver.ts"
import { sweepWebhooks } from "../../../src/services/webhooks/sweep-webhooks.ts"

const SECOND = 1_000
/** Attempts a sweep makes at a time. */
const WIDTH = 6

/** Sixty events are due, and six attempts at a time take ten seconds. */
function world({ forget = async () => undefined }: { forget?: (pass: (ms: number) => void) => Promise<void> } = {}) {
  let now = 0
  const pass = (ms: number) => {
    now += ms
  }
  const steps: string[] = []
  const underWay: (() => void)[] = []
  const due = Array.from({ length: 60 }, (_, n) => ({ eventId: `evt_${n}`, accountId: null, payload: {}, attempts: 1 }))
  const needs = {
    clock: { now: () => now },
    log: () => undefined,
    webhookDeliveries: {
      turnAt: async () => "",
      due: async () => due.map(({ eventId }) => ({ eventId, turn: "" })),
      claim: async () => due.shift() as ClaimedEvent,
      finish: async () => void steps.push("finished"),
      forget: async () => {
        steps.push("forgets")
        await forget(pass)
      },
    },
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
  } as unknown as DeliverNeeds
  const starts = () => steps.filter((step) => step.startsWith("begins"))
  return { needs, steps, starts, left: () => due.length }
}

const sixAt = (...seconds: number[]) =>
  seconds.flatMap((second) => Array.from({ length: WIDTH }, () => `begins at ${second} s`))

test("a sweep behind a call that has returned begins nothing that could be cut off", async () => {
  const { needs, steps, starts, left } = world()
  await sweepWebhooks(needs, LAST_START_MS)
  expect(starts()).toEqual(sixAt(0, 10))
  expect(steps.filter((step) => step === "finished")).toHaveLength(12)
  expect(left()).toBe(48)
})

test("a sweep that is waited for goes on longer, and leaves the rest to the next", async () => {
  const { needs, starts, left } = world()
  await sweepWebhooks(needs)
  expect(starts()).toEqual(sixAt(0, 10, 20, 30))
  expect(left()).toBe(36)
})

test("forgetting comes first and counts towards the time of the sweep", async () => {
  const { needs, steps, starts } = world({ forget: async (pass) => pass(5 * SECOND) })
  await sweepWebhooks(needs, LAST_START_MS)
  expect(steps[0]).toBe("forgets")
  expect(starts()).toEqual(sixAt(5))
})

test("what cannot be forgotten holds no delivery up, and is told", async () => {
  const { needs, starts } = world({ forget: () => Promise.reject(new Error("the database is busy")) })
  await expect(sweepWebhooks(needs, LAST_START_MS)).rejects.toThrow("the database is busy")
  expect(starts()).toEqual(sixAt(0, 10))
})

test("what goes wrong with one event ends no sweep", async () => {
  const { needs, left } = world()
  const logged: string[] = []
  const webhookDeliveries = {
    ...needs.webhookDeliveries,
    finish: () => Promise.reject(new Error("the database is busy")),
  }
  await sweepWebhooks({ ...needs, webhookDeliveries, log: (event) => void logged.push(event) })
  expect(logged.filter((event) => event === "webhook_delivery_failed")).toHaveLength(24)
  expect(left()).toBe(36)
})
