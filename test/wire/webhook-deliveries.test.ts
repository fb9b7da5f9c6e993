import { randomBytes } from "node:crypto"
import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import type { AttemptOutcome } from "../../schema/vocabulary.ts"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import {
  createOutboundEventStore,
  createWebhookDeliveryStore,
} from "../../src/adapters/store/webhooks/webhook-deliveries.ts"
import {
  createWebhookSecretStore,
  createWebhookStatsStore,
  createWebhookSubscriptionStore,
} from "../../src/adapters/store/webhooks/webhook-endpoints.ts"
import type { WebhookMessage } from "../../src/adapters/webhooks/webhook-sender.ts"
import { createSealer } from "../../src/domain/accounts/crypto.ts"
import { DAY_MS as DAY, HOUR_MS as HOUR, MINUTE_MS as MINUTE } from "../../src/domain/time.ts"
import { deliverDue, redrive, sweepWebhooks } from "../../src/services/webhooks/deliveries.ts"
import { publishEvent } from "../../src/services/webhooks/publish-event.ts"
import { addEvent } from "../support/deps/add-event.ts"
import { testContext, testMeter } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

const SECOND = 1_000
const START = Date.UTC(2026, 10, 21)

let database: Awaited<ReturnType<typeof startDatabase>>
let number = 0
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** A delivery service of a new account with a manual clock. The receiver answers as given. */
async function world(receive: (message: WebhookMessage, now: number) => AttemptOutcome | "dies") {
  const accountId = `account-${++number}`
  // Each world is a year after the previous one, so that sweeps find no events of another.
  let now = START + number * 365 * DAY
  const startedAt = now
  const sleep = async (ms: number) => {
    now += ms
  }
  const db = database.open()
  const sent: { at: number; message: WebhookMessage }[] = []
  const background: Promise<unknown>[] = []
  const ctx = testContext({
    clock: { now: () => now, sleep },
    ...{ log: () => undefined, webhookDispatcher: null, randomToken: () => `token-${accountId}-${++number}` },
    randomBytes: (n: number) => new Uint8Array(n).fill(128, 0, 1),
    digests: { of: async (purpose: string, text: string) => `${purpose}-${accountId}-${text}`.replace(/\W/g, "") },
    sealer: await createSealer(["a pepper of at least thirty-two letters"], randomBytes),
    webhookSender: {
      async send(message: WebhookMessage) {
        sent.push({ at: now - startedAt, message })
        const outcome = receive(message, now - startedAt)
        if (outcome === "dies") throw new Error("the process ended")
        return { outcome, httpStatus: outcome === "delivered" ? 200 : 500, retryAfterMs: null, durationMs: 7 }
      },
    },
    background: (work) => void background.push(work),
    store: {
      outboundEvents: createOutboundEventStore(db),
      webhookDeliveries: createWebhookDeliveryStore(db),
      webhookSecrets: createWebhookSecretStore(db),
      webhookSubscriptions: createWebhookSubscriptionStore(db),
    },
  })
  return {
    ...{ accountId, ctx, sent },
    stats: createWebhookStatsStore(db),
    publish: async (url = "https://hooks.example/a", about?: string) => {
      const event = { accountId, type: "job.completed", url, data: () => ({ n: 1 }) } as const
      await publishEvent(ctx, about ? { ...event, about } : event)
      await Promise.all(background.splice(0))
    },
    /** Advances the time, with a sweep a minute. Sweeps without due events are skipped. */
    async pass(ms: number) {
      await Promise.all(background.splice(0))
      for (const until = now + ms; ; ) {
        const events = await ctx.store.webhookDeliveries.list(accountId, { limit: 100, state: "pending" })
        const due = Math.min(...events.map(({ dueAt }) => dueAt))
        const sweepAt = Math.max(now, Math.ceil(due / MINUTE) * MINUTE)
        now = Math.min(sweepAt, until)
        if (sweepAt > until) return
        await deliverDue(ctx)
      }
    },
    deliveries: async () => ctx.store.webhookDeliveries.list(accountId, { limit: 100 }),
    /** Due events of any account. An account has one receiver; anonymous events have one each. */
    async add(owner: string | null, count: number) {
      for (let n = 0; n < count; n++) {
        const event = { eventId: `evt_${ctx.randomToken()}`, accountId: owner, payload: { n }, createdAt: now }
        await addEvent(ctx.store.outboundEvents, { ...event, url: `https://hooks.example/${owner ?? n}` })
      }
    },
  }
}

describe("an event", () => {
  test("is sent once after its delivery, for any number of sweeps and announcements", async () => {
    const { publish, pass, sent, deliveries } = await world(() => "delivered")
    for (let n = 0; n < 4; n++) await publish("https://hooks.example/a", "job-1")
    await pass(10 * MINUTE)
    expect(sent).toHaveLength(1)
    expect(sent[0]!.at).toBe(0)
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 1 }])
  })

  test("that is never accepted is tried ten times over 75 hours with one id, and then fails", async () => {
    const { publish, pass, sent, deliveries, ctx } = await world(() => "refused")
    await publish()
    await pass(10 * DAY)
    const gaps = sent.slice(1).map(({ at }, n) => at - sent[n]!.at)
    const expected = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((n) => n * HOUR)]
    expect(gaps).toHaveLength(9)
    // One sweep a minute: never early, and at most a minute late.
    for (const [n, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(expected[n]!)
      expect(gap).toBeLessThan(expected[n]! + 61 * SECOND)
    }
    expect(new Set(sent.map(({ message }) => message.eventId)).size).toBe(1)
    expect(new Set(sent.map(({ message }) => message.body)).size).toBe(1)
    const [event] = await deliveries()
    expect(event).toMatchObject({ state: "failed", attempts: 10 })
    const log = await ctx.store.webhookDeliveries.attemptsOf([event!.eventId])
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test("is delivered again after its deliverer has died and the lease has expired", async () => {
    let deaths = 0
    const { publish, pass, sent, deliveries } = await world(() => (deaths++ === 0 ? "dies" : "delivered"))
    await publish()
    expect(await deliveries()).toMatchObject([{ state: "pending", attempts: 1 }])
    await pass(30 * SECOND)
    expect(sent).toHaveLength(1)
    await pass(2 * MINUTE)
    expect(sent).toHaveLength(2)
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 2 }])
  })

  test("is claimed by one of many sweepers", async () => {
    const { ctx, sent, add } = await world(() => "delivered")
    for (const owner of ["many-0", "many-1", "many-2"]) await add(owner, 7)
    await Promise.all(Array.from({ length: 5 }, () => deliverDue(ctx)))
    expect(sent).toHaveLength(21)
    expect(new Set(sent.map(({ message }) => message.eventId)).size).toBe(21)
  })

  test("is found without a query for each one", async () => {
    const { ctx, sent, add } = await world(() => "delivered")
    await add("busy", 60)
    const queries = vi.spyOn(ctx.store.webhookDeliveries, "due")
    await deliverDue(ctx)
    expect(sent).toHaveLength(60)
    // A page may begin with events whose claims are still on their way.
    expect(queries.mock.calls.length).toBeLessThan(10)
  })

  test("is not delayed by many events of another account", async () => {
    const { ctx, sent, add } = await world(() => "delivered")
    await add("busy", 60)
    await add("quiet", 1)
    const first = await ctx.store.webhookDeliveries.due(ctx.clock.now(), { after: "", limit: 6 })
    await deliverDue(ctx)
    expect(sent).toHaveLength(61)
    expect(first.map(({ turn }) => turn)).toContain("quiet")
  })

  test("of an account is not delayed by anonymous ones with any number of receivers", async () => {
    const { ctx, sent, add } = await world(() => "delivered")
    await add(null, 60)
    await add("quiet", 3)
    const first = await ctx.store.webhookDeliveries.due(ctx.clock.now(), { after: "", limit: 8 })
    await deliverDue(ctx)
    expect(sent).toHaveLength(63)
    expect(first.filter(({ turn }) => turn === "quiet")).toHaveLength(3)
  })

  test("is delivered within the number of sweeps that the earlier ones need, by any isolate", async () => {
    const { ctx, sent, add } = await world(() => "delivered")
    // Enough for each sweep to serve only the first six accounts.
    for (let n = 10; n < 34; n++) await add(`many-${n}`, 4)
    const held: (() => void)[] = []
    const send: typeof ctx.webhookSender.send = async (message) => {
      const result = await ctx.webhookSender.send(message)
      await new Promise<void>((resolve) => {
        if (held.push(resolve) < 6) return
        ctx.clock.sleep(10 * SECOND)
        for (const release of held.splice(0)) release()
      })
      return result
    }
    for (let sweep = 0; sweep < 4; sweep++)
      await deliverDue({ ...ctx, webhookSender: { ...ctx.webhookSender, send } }, ctx.clock.now() + 1)
    expect(new Set(sent.map(({ message }) => message.url)).size).toBe(24)
    // Remaining events would be retried for days in the next worlds.
    await database.open().run(sql`DELETE FROM outbound_events WHERE account_id GLOB 'many-*'`)
  })
})

describe("a receiver", () => {
  test("that has only failed for five days is disabled, and a redrive enables it again", async () => {
    let isUp = false
    const { publish, pass, sent, deliveries, accountId, stats, ctx } = await world(() =>
      isUp ? "delivered" : "timeout",
    )
    await publish()
    for (let day = 0; day < 6; day++) {
      await pass(DAY)
      await publish("https://hooks.example/a")
    }
    expect(await stats.endpoints(accountId, 10)).toMatchObject([
      { disabledAt: expect.any(Number), lastOutcome: "timeout" },
    ])
    const before = sent.length
    await publish()
    await pass(2 * DAY)
    expect(sent).toHaveLength(before)
    expect(new Set((await deliveries()).map(({ state }) => state))).toEqual(new Set(["failed", "disabled"]))

    isUp = true
    const [latest] = await deliveries()
    await redrive(ctx, testMeter(), { accountId, eventId: latest!.eventId })
    await pass(MINUTE)
    expect(sent).toHaveLength(before + 1)
    expect(await stats.endpoints(accountId, 10)).toMatchObject([{ disabledAt: null, failingSince: null }])
    await expect(redrive(ctx, testMeter(), { accountId: "stranger", eventId: latest!.eventId })).rejects.toThrow(
      "there is no such delivery",
    )
  })

  test("that works now and then is never disabled", async () => {
    const { publish, pass, accountId, stats } = await world((_, at) =>
      Math.floor(at / DAY) % 3 === 2 ? "delivered" : "refused",
    )
    for (let day = 0; day < 12; day++) {
      await publish()
      await pass(DAY)
    }
    expect(await stats.endpoints(accountId, 10)).toMatchObject([{ disabledAt: null }])
  })

  test("that is disabled stays disabled, whatever other attempts end", async () => {
    const { ctx, accountId, stats } = await world(() => "refused")
    const now = ctx.clock.now()
    const event = { accountId, url: "https://hooks.example/a", payload: {}, createdAt: now }
    for (const eventId of ["evt_one", "evt_two"])
      await addEvent(ctx.store.outboundEvents, { ...event, eventId: `${eventId}_${accountId}` })
    const times = { now, leaseUntil: now + MINUTE }
    const [one, two] = [
      await ctx.store.webhookDeliveries.claim(times, `evt_one_${accountId}`),
      await ctx.store.webhookDeliveries.claim(times, `evt_two_${accountId}`),
    ]
    const end = { httpStatus: 410, startedAt: now, durationMs: 1, dueAt: now, failingSince: now }
    await ctx.store.webhookDeliveries.finish({
      ...end,
      event: one!,
      outcome: "gone",
      state: "disabled",
      disablesEndpoint: true,
    })
    await ctx.store.webhookDeliveries.finish({
      ...end,
      event: two!,
      outcome: "refused",
      state: "pending",
      disablesEndpoint: false,
    })
    expect(await stats.endpoints(accountId, 10)).toMatchObject([{ disabledAt: now, failingSince: now }])
  })

  test("that answers 410 is disabled at once", async () => {
    const { publish, sent, deliveries } = await world(() => "gone")
    await publish()
    await publish()
    expect(sent).toHaveLength(1)
    expect((await deliveries()).map(({ state }) => state)).toEqual(["disabled", "disabled"])
  })
})

test("events that ended a month ago are deleted, pending ones are not", async () => {
  const { publish, pass, deliveries, ctx } = await world(({ url }) => (url.endsWith("ok") ? "delivered" : "refused"))
  await publish("https://hooks.example/ok")
  await pass(31 * DAY)
  await publish("https://hooks.example/down")
  await sweepWebhooks(ctx)
  expect((await deliveries()).map(({ url }) => url)).toEqual(["https://hooks.example/down"])
})

test("only failing receivers are stored, for a limited time", async () => {
  let good = /ok$/
  const { accountId, publish, ctx } = await world(({ url }) => (good.test(url) ? "delivered" : "refused"))
  const stored = () => database.open().all(sql`SELECT url FROM webhook_endpoints WHERE account_id = ${accountId}`)
  for (good of [/ok$/, /ok$|back$/])
    for (const job of ["ok", "down", "back"]) await publish(`https://hooks.example/${job}`)
  expect(await stored()).toEqual([{ url: "https://hooks.example/down" }])
  await createErasureStore(database.open()).purge(ctx.clock.now() + 91 * DAY, 1_000)
  expect(await stored()).toEqual([])
})
