import { randomBytes } from "node:crypto"
import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import type { AttemptOutcome } from "../../schema/vocabulary.ts"
import { createErasureStore } from "../../src/adapters/store/erasure.ts"
import { createOutboundEventStore } from "../../src/adapters/store/outbound-events.ts"
import { createWebhookDeliveryStore } from "../../src/adapters/store/webhook-deliveries.ts"
import { createWebhookSecretStore } from "../../src/adapters/store/webhook-secrets.ts"
import { createWebhookStatsStore } from "../../src/adapters/store/webhook-stats.ts"
import type { WebhookMessage } from "../../src/adapters/webhooks/sender.ts"
import { createSealer } from "../../src/domain/keys/seal.ts"
import { announce } from "../../src/services/webhooks/announce.ts"
import { deliverDue } from "../../src/services/webhooks/deliver.ts"
import { redrive } from "../../src/services/webhooks/redrive.ts"
import { sweepWebhooks } from "../../src/services/webhooks/sweep-webhooks.ts"
import { startDatabase } from "../support/database.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 21)

let database: Awaited<ReturnType<typeof startDatabase>>
let number = 0
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** A delivery service of its own account on a clock of its own; the receiver answers as told. */
async function world(receive: (message: WebhookMessage, now: number) => AttemptOutcome | "dies") {
  const accountId = `account-${++number}`
  // Each world lives a year after the one before, so that no sweep finds the events of another.
  let now = START + number * 365 * DAY
  const began = now
  const db = database.open()
  const sent: { at: number; message: WebhookMessage }[] = []
  const background: Promise<unknown>[] = []
  const needs = {
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms
      },
    },
    log: () => undefined,
    randomBytes: (n: number) => new Uint8Array(n).fill(128, 0, 1),
    randomToken: () => `token-${accountId}-${++number}`,
    digests: { of: async (purpose: string, text: string) => `${purpose}-${accountId}-${text}`.replace(/\W/g, "") },
    sealer: await createSealer(["a pepper of at least thirty-two letters"], randomBytes),
    outboundEvents: createOutboundEventStore(db),
    webhookDeliveries: createWebhookDeliveryStore(db),
    webhookSecrets: createWebhookSecretStore(db),
    webhookSender: {
      async send(message: WebhookMessage) {
        sent.push({ at: now - began, message })
        const outcome = receive(message, now - began)
        if (outcome === "dies") throw new Error("the process ended")
        return { outcome, httpStatus: outcome === "delivered" ? 200 : 500, retryAfterMs: null, durationMs: 7 }
      },
    },
    background: (work: Promise<unknown>) => void background.push(work),
    meter: { admit: async () => undefined },
  } as unknown as Parameters<typeof announce>[0] & Parameters<typeof redrive>[0]
  return {
    accountId,
    needs,
    sent,
    stats: createWebhookStatsStore(db),
    tell: async (url = "https://hooks.example/a", about?: string) => {
      await announce(needs, { accountId, type: "job.completed", url, data: { n: 1 }, ...(about ? { about } : {}) })
      await Promise.all(background.splice(0))
    },
    /** Lets time pass. Of the sweeps, one each minute, only those are made that find something due. */
    async pass(ms: number) {
      await Promise.all(background.splice(0))
      for (const until = now + ms; ; ) {
        const events = await needs.webhookDeliveries.list(accountId, { limit: 100, state: "pending" })
        const due = Math.min(...events.map(({ dueAt }) => dueAt))
        const sweepAt = Math.max(now, Math.ceil(due / MINUTE) * MINUTE)
        now = Math.min(sweepAt, until)
        if (sweepAt > until) return
        await deliverDue(needs)
      }
    },
    deliveries: async () => needs.webhookDeliveries.list(accountId, { limit: 100 }),
    /** Events of any account that are due, each account's to a receiver of its own; a stranger's each to another. */
    async add(owner: string | null, count: number) {
      for (let n = 0; n < count; n++)
        await needs.outboundEvents.add({
          ...{ eventId: `evt_${needs.randomToken()}`, accountId: owner, url: `https://hooks.example/${owner ?? n}` },
          ...{ type: "job.completed", payload: { n }, createdAt: now },
        })
    },
  }
}

describe("an event", () => {
  test("that is delivered is sent once, whoever sweeps and however often it is announced", async () => {
    const { tell, pass, sent, deliveries } = await world(() => "delivered")
    for (let n = 0; n < 4; n++) await tell("https://hooks.example/a", "job-1")
    await pass(10 * MINUTE)
    expect(sent).toHaveLength(1)
    expect(sent[0]!.at).toBe(0)
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 1 }])
  })

  test("that nobody takes is tried ten times over 75 hours with one id, and then given up", async () => {
    const { tell, pass, sent, deliveries, needs } = await world(() => "refused")
    await tell()
    await pass(10 * DAY)
    const gaps = sent.slice(1).map(({ at }, n) => at - sent[n]!.at)
    const expected = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((n) => n * HOUR)]
    expect(gaps).toHaveLength(9)
    // A sweep a minute: never early, and at most a minute late.
    for (const [n, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(expected[n]!)
      expect(gap).toBeLessThan(expected[n]! + 61 * SECOND)
    }
    expect(new Set(sent.map(({ message }) => message.eventId)).size).toBe(1)
    expect(new Set(sent.map(({ message }) => message.body)).size).toBe(1)
    const [event] = await deliveries()
    expect(event).toMatchObject({ state: "failed", attempts: 10 })
    const log = await needs.webhookDeliveries.attemptsOf([event!.eventId])
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test("whose deliverer dies is taken up again when the lease ends", async () => {
    let deaths = 0
    const { tell, pass, sent, deliveries } = await world(() => (deaths++ === 0 ? "dies" : "delivered"))
    await tell()
    expect(await deliveries()).toMatchObject([{ state: "pending", attempts: 1 }])
    await pass(30 * SECOND)
    expect(sent).toHaveLength(1)
    await pass(2 * MINUTE)
    expect(sent).toHaveLength(2)
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 2 }])
  })

  test("is claimed by one of many sweepers", async () => {
    const { needs, sent, add } = await world(() => "delivered")
    for (const owner of ["many-0", "many-1", "many-2"]) await add(owner, 7)
    await Promise.all(Array.from({ length: 5 }, () => deliverDue(needs)))
    expect(sent).toHaveLength(21)
    expect(new Set(sent.map(({ message }) => message.eventId)).size).toBe(21)
  })

  test("is found without looking through all that are due for each", async () => {
    const { needs, sent, add } = await world(() => "delivered")
    await add("busy", 60)
    const looks = vi.spyOn(needs.webhookDeliveries, "due")
    await deliverDue(needs)
    expect(sent).toHaveLength(60)
    expect(looks).toHaveBeenCalledTimes(2)
  })

  test("of an account with many does not stand before those of others", async () => {
    const { needs, sent, add } = await world(() => "delivered")
    await add("busy", 60)
    await add("quiet", 1)
    const first = await needs.webhookDeliveries.due(needs.clock.now(), { after: "", limit: 6 })
    await deliverDue(needs)
    expect(sent).toHaveLength(61)
    expect(first.map(({ turn }) => turn)).toContain("quiet")
  })

  test("of strangers does not stand before an account's, however many receivers they name", async () => {
    const { needs, sent, add } = await world(() => "delivered")
    await add(null, 60)
    await add("quiet", 3)
    const first = await needs.webhookDeliveries.due(needs.clock.now(), { after: "", limit: 8 })
    await deliverDue(needs)
    expect(sent).toHaveLength(63)
    expect(first.filter(({ turn }) => turn === "quiet")).toHaveLength(3)
  })

  test("is reached within as many sweeps as those before it take, whichever isolate sweeps", async () => {
    const { needs, sent, add } = await world(() => "delivered")
    // Enough for each of the sweeps to serve the first six accounts alone.
    for (let n = 10; n < 34; n++) await add(`many-${n}`, 4)
    const held: (() => void)[] = []
    const send: typeof needs.webhookSender.send = async (message) => {
      const result = await needs.webhookSender.send(message)
      await new Promise<void>((resolve) => {
        if (held.push(resolve) < 6) return
        needs.clock.sleep(MINUTE)
        for (const release of held.splice(0)) release()
      })
      return result
    }
    for (let sweep = 0; sweep < 4; sweep++)
      await deliverDue({ ...needs, webhookSender: { ...needs.webhookSender, send } }, needs.clock.now() + 1)
    expect(new Set(sent.map(({ message }) => message.url)).size).toBe(24)
    // Left over, they would be tried for days in the worlds after this one.
    await database.open().run(sql`DELETE FROM outbound_events WHERE account_id GLOB 'many-*'`)
  })
})

describe("a receiver", () => {
  test("that has only failed for five days is disabled, and a redrive brings it back", async () => {
    let isUp = false
    const { tell, pass, sent, deliveries, accountId, stats, needs } = await world(() =>
      isUp ? "delivered" : "timeout",
    )
    await tell()
    for (let day = 0; day < 6; day++) {
      await pass(DAY)
      await tell("https://hooks.example/a")
    }
    expect(await stats.endpoints(accountId, 10)).toMatchObject([
      { disabledAt: expect.any(Number), lastOutcome: "timeout" },
    ])
    const before = sent.length
    await tell()
    await pass(2 * DAY)
    expect(sent).toHaveLength(before)
    expect(new Set((await deliveries()).map(({ state }) => state))).toEqual(new Set(["failed", "disabled"]))

    isUp = true
    const [latest] = await deliveries()
    await redrive(needs, { accountId, eventId: latest!.eventId })
    await pass(MINUTE)
    expect(sent).toHaveLength(before + 1)
    expect(await stats.endpoints(accountId, 10)).toMatchObject([{ disabledAt: null, failingSince: null }])
    await expect(redrive(needs, { accountId: "stranger", eventId: latest!.eventId })).rejects.toThrow(
      "no such delivery",
    )
  })

  test("that works now and then is never disabled", async () => {
    const { tell, pass, accountId, stats } = await world((_, at) =>
      Math.floor(at / DAY) % 3 === 2 ? "delivered" : "refused",
    )
    for (let day = 0; day < 12; day++) {
      await tell()
      await pass(DAY)
    }
    expect(await stats.endpoints(accountId, 10)).toMatchObject([{ disabledAt: null }])
  })

  test("that is disabled stays so, whatever else was under way to it", async () => {
    const { needs, accountId, stats } = await world(() => "refused")
    const now = needs.clock.now()
    for (const eventId of ["evt_one", "evt_two"])
      await needs.outboundEvents.add({
        ...{ eventId: `${eventId}_${accountId}`, accountId, url: "https://hooks.example/a" },
        ...{ type: "job.completed", payload: {}, createdAt: now },
      })
    const times = { now, leaseUntil: now + MINUTE }
    const [one, two] = [
      await needs.webhookDeliveries.claim(times, `evt_one_${accountId}`),
      await needs.webhookDeliveries.claim(times, `evt_two_${accountId}`),
    ]
    const end = { httpStatus: 410, startedAt: now, durationMs: 1, dueAt: now, failingSince: now }
    await needs.webhookDeliveries.finish({
      ...end,
      event: one!,
      outcome: "gone",
      state: "disabled",
      disablesEndpoint: true,
    })
    await needs.webhookDeliveries.finish({
      ...end,
      event: two!,
      outcome: "refused",
      state: "pending",
      disablesEndpoint: false,
    })
    expect(await stats.endpoints(accountId, 10)).toMatchObject([{ disabledAt: now, failingSince: now }])
  })

  test("that says it is gone is disabled at once", async () => {
    const { tell, sent, deliveries } = await world(() => "gone")
    await tell()
    await tell()
    expect(sent).toHaveLength(1)
    expect((await deliveries()).map(({ state }) => state)).toEqual(["disabled", "disabled"])
  })
})

test("what ended a month ago is forgotten, what is pending is not", async () => {
  const { tell, pass, deliveries, needs } = await world(({ url }) => (url.endsWith("ok") ? "delivered" : "refused"))
  await tell("https://hooks.example/ok")
  await pass(31 * DAY)
  await tell("https://hooks.example/down")
  await sweepWebhooks(needs)
  expect((await deliveries()).map(({ url }) => url)).toEqual(["https://hooks.example/down"])
})

test("of receivers only those that fail are kept, and not for ever", async () => {
  let good = /ok$/
  const { accountId, tell, needs } = await world(({ url }) => (good.test(url) ? "delivered" : "refused"))
  const kept = () => database.open().all(sql`SELECT url FROM webhook_endpoints WHERE account_id = ${accountId}`)
  for (good of [/ok$/, /ok$|back$/])
    for (const job of ["ok", "down", "back"]) await tell(`https://hooks.example/${job}`)
  expect(await kept()).toEqual([{ url: "https://hooks.example/down" }])
  await createErasureStore(database.open()).purge(needs.clock.now() + 91 * DAY, 1_000)
  expect(await kept()).toEqual([])
})
