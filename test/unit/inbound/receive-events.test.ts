import { randomBytes } from "node:crypto"
import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createFlagCache } from "../../../src/adapters/cache/flag-cache.ts"
import { createKvReader } from "../../../src/adapters/cache/kv-reader.ts"
import { createInboundReaders } from "../../../src/adapters/inbound/readers.ts"
import type { KeyLimiters } from "../../../src/adapters/key-limiter/key-limiters.ts"
import { KeyLimiter } from "../../../src/adapters/key-limiter/limiter-state.ts"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/memory-rate-limiter.ts"
import { createAccountErasureStore } from "../../../src/adapters/store/accounts/account-erasures.ts"
import { createFeedbackStore } from "../../../src/adapters/store/feedback/feedback.ts"
import { createReceiverStore } from "../../../src/adapters/store/feedback/receivers.ts"
import { createSuppressionStore } from "../../../src/adapters/store/feedback/suppression.ts"
import { createResultLists } from "../../../src/adapters/store/results/result-lists.ts"
import { createDigests } from "../../../src/domain/accounts/digest.ts"
import { createSealer } from "../../../src/domain/accounts/seal.ts"
import type { Rate } from "../../../src/domain/accounts/window.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { createReceiver } from "../../../src/services/feedback/create-receiver.ts"
import { findReceiver, receiveEvents } from "../../../src/services/feedback/receive-events.ts"
import { checkSuppression } from "../../../src/services/suppression/check-suppression.ts"
import { testContext } from "../../support/deps/context.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"
import {
  asRequest,
  mailgunSigner,
  type Posted,
  sendgridSigner,
  snsPost,
  snsSigner,
  TOPIC,
} from "../../support/providers/inbound-signers.ts"
import { startDatabase } from "../../support/stack/database.ts"

const NOW = Date.UTC(2026, 10, 21, 12)
const PEPPERS = ["p".repeat(32)]
const signer = snsSigner()

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

let count = 0
/** A receiver of a new account; a stub replaces Amazon. */
async function receiver(provider: "ses" | "mailgun" | "sendgrid", secret: string) {
  const asked: string[] = []
  const { kv } = memoryKv()
  const opened = database.open()
  const clock = { now: () => NOW, sleep: async () => undefined }
  const logged: unknown[] = []
  const gate = new KeyLimiter(
    {
      now: () => clock.now(),
      findKey: async () => null,
      reserve: () => Promise.reject(),
      saveWindow: () => undefined,
      saveDay: () => undefined,
      saveKey: () => undefined,
      wakeAt: () => undefined,
      clear: async () => undefined,
    },
    { window: [], key: null, day: null },
  )
  const ofAction = () => ({ count: async (rate: Rate, n?: number) => gate.count(rate, n) })
  const ctx = testContext({
    clock,
    log: (event: string, fields: object) => void logged.push({ event, ...fields }),
    digests: await createDigests(PEPPERS),
    sealer: await createSealer(PEPPERS, randomBytes),
    randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    randomToken: () => crypto.randomUUID(),
    keyLimiters: { ofAction } as unknown as KeyLimiters,
    memoryRateLimiter: createMemoryRateLimiter(newRateLimiterMemory(), { now: () => clock.now() }),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    inbound: createInboundReaders(async (url) => {
      asked.push(url)
      return new Response(url.endsWith(".pem") ? signer.certificate : "<ConfirmSubscriptionResponse/>")
    }),
    store: {
      suppressions: createSuppressionStore(opened),
      accountErasures: createAccountErasureStore(opened),
      feedback: createFeedbackStore(opened),
      receivers: createReceiverStore(opened),
      resultLists: createResultLists(opened),
    },
  })
  const accountId = `acc_in_${count++}`
  const { token, receiverId } = await createReceiver(ctx, { accountId, provider, secret })
  const post = async (posted: Posted, more: Partial<typeof ctx> = {}) => {
    const found = await findReceiver(ctx, { provider, token, clientIp: undefined })
    return receiveEvents({ ...ctx, ...more }, found, asRequest(posted, NOW))
  }
  const reasonOf = async (email: string) =>
    (await checkSuppression(ctx, accountId, parseAddress(email) as ValidAddress))[0]?.suppression.reason ?? null
  return { ctx, accountId, receiverId, post, reasonOf, asked, logged, opened }
}

const notification = (event: object, MessageId: string) =>
  snsPost(
    signer.sign({
      Type: "Notification",
      MessageId,
      TopicArn: TOPIC,
      Message: JSON.stringify(event),
      Timestamp: new Date(NOW).toISOString(),
    }),
  )
const bounce = (...emails: string[]) => ({
  notificationType: "Bounce",
  bounce: { bounceType: "Permanent", bouncedRecipients: emails.map((emailAddress) => ({ emailAddress })) },
})

describe("Amazon SES", () => {
  test("a bounce of two recipients suppresses both; a repetition by SNS changes nothing", async () => {
    const { post, reasonOf } = await receiver("ses", TOPIC)
    const posted = notification(bounce("jane@example.com", "joe@example.com"), "m1")
    expect(await post(posted)).toEqual({ processed: 2, known: 0, ignored: 0, withoutVerdict: 2 })
    expect([await reasonOf("jane@example.com"), await reasonOf("joe@example.com")]).toEqual([
      "hard_bounce",
      "hard_bounce",
    ])
    expect(await post(posted)).toEqual({ processed: 0, known: 2, ignored: 0, withoutVerdict: 2 })
  })

  test("a subscription to the account's own topic is confirmed, to another topic it is not", async () => {
    const { post, asked } = await receiver("ses", TOPIC)
    const confirmation = (topic: string) => ({
      Type: "SubscriptionConfirmation",
      MessageId: "s1",
      Token: "t",
      TopicArn: topic,
      Message: "You have chosen to subscribe",
      SubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=t`,
      Timestamp: new Date(NOW).toISOString(),
    })
    await expect(post(snsPost(signer.sign(confirmation(`${TOPIC}2`))))).rejects.toMatchObject({ code: "unauthorized" })
    const altered = { ...signer.sign(confirmation(TOPIC)), SubscribeURL: confirmation(`${TOPIC}3`).SubscribeURL }
    await expect(post(snsPost(altered))).rejects.toMatchObject({ code: "unauthorized" })
    expect(asked.filter((url) => url.includes("Confirm"))).toEqual([])
    await post(snsPost(signer.sign(confirmation(TOPIC), { version: "2" })))
    expect(asked.filter((url) => url.includes("Confirm"))).toEqual([confirmation(TOPIC).SubscribeURL])
  })
})

describe("a flood", () => {
  const sendgrid = sendgridSigner()
  const bounces = (count: number, from = 0) =>
    sendgrid.post(
      Array.from({ length: count }, (_, n) => ({
        email: `user${from + n}@example.com`,
        ...{ event: "bounce", type: "bounce", status: "5.1.1", sg_event_id: `e${from + n}` },
      })),
      NOW,
    )

  test("of bounces is limited, because each writes at the edge, and is accepted when sent again", async () => {
    const { ctx, post } = await receiver("sendgrid", sendgrid.verificationKey)
    for (let n = 0; n < 2; n++) expect(await post(bounces(1_000, n * 1_000))).toMatchObject({ processed: 1_000 })
    await expect(post(bounces(1_000, 2_000))).rejects.toMatchObject({ code: "rate_limited" })
    ctx.clock.now = () => NOW + 60_000
    expect(await post(bounces(1_000, 2_000))).toMatchObject({ processed: 1_000 })
  })

  test("of single events is not limited: some providers send no batches", async () => {
    const { post } = await receiver("sendgrid", sendgrid.verificationKey)
    for (let n = 0; n < 150; n++) expect(await post(bounces(1, n))).toMatchObject({ processed: 1 })
  })

  test("of single events is limited at the number of events allowed in batches", async () => {
    const { ctx, accountId, post } = await receiver("sendgrid", sendgrid.verificationKey)
    ctx.memoryRateLimiter.reserve(`events:${accountId}`, 2_399, 2_400)
    expect(await post(bounces(1))).toMatchObject({ processed: 1 })
    await expect(post(bounces(1, 1))).rejects.toMatchObject({ code: "rate_limited" })
    ctx.clock.now = () => NOW + 60_000
    expect(await post(bounces(1, 1))).toMatchObject({ processed: 1 })
  })
})

describe("an internal failure", () => {
  const mailgun = mailgunSigner()
  const failed = mailgun.post({ event: "failed", severity: "permanent", id: "f1", recipient: "a@example.com" }, NOW)

  test("releases a single-use token for a retry", async () => {
    const { ctx, post, reasonOf } = await receiver("mailgun", mailgun.signingKey)
    const record = () => Promise.reject(new Error("the store is gone"))
    const broken = { ...ctx.store, feedback: { ...ctx.store.feedback, record } }
    await expect(post(failed, { store: broken })).rejects.toThrow("the store is gone")
    expect(await reasonOf("a@example.com")).toBeNull()
    expect(await post(failed)).toMatchObject({ processed: 1 })
    expect(await reasonOf("a@example.com")).toBe("hard_bounce")
    await expect(post(failed)).rejects.toMatchObject({ code: "unauthorized" })
  })

  test("can end within Mailgun's eight hours of retries: the token is still valid, once", async () => {
    const { ctx, post } = await receiver("mailgun", mailgun.signingKey)
    const early = mailgun.post({ event: "delivered", id: "d1", recipient: "a@example.com" }, NOW - 8 * 3_600_000)
    expect(await post(early)).toMatchObject({ processed: 1 })
    await ctx.store.receivers.deleteExpiredTokens(NOW)
    await expect(post(early)).rejects.toMatchObject({ code: "unauthorized" })
  })

  test("and an unreadable secret refuses every request", async () => {
    const { post, logged } = await receiver("mailgun", mailgun.signingKey)
    const sealer = await createSealer(["q".repeat(32)], randomBytes)
    await expect(post(failed, { sealer })).rejects.toMatchObject({ code: "unauthorized" })
    expect(logged).toEqual([expect.objectContaining({ event: "inbound_refused", why: "secret_unreadable" })])
    expect(JSON.stringify(logged)).not.toContain(mailgun.signingKey)
  })
})

test("the store of receivers and samples has no addresses, tokens or secrets in plain text", async () => {
  const mailgun = mailgunSigner()
  const { accountId, opened, post } = await receiver("mailgun", mailgun.signingKey)
  await post(mailgun.post({ event: "opened", id: "o1", recipient: "private@example.com" }, NOW))
  const rows = await Promise.all([
    opened.all(sql`SELECT * FROM receivers WHERE account_id = ${accountId}`),
    opened.all(sql`SELECT * FROM feedback WHERE account_id = ${accountId}`),
    opened.all(sql`SELECT * FROM address_feedback WHERE account_id = ${accountId}`),
  ])
  expect(rows.map((list) => list.length)).toEqual([1, 1, 1])
  const text = JSON.stringify(rows)
  expect(text).not.toContain(mailgun.signingKey)
  expect(text).not.toContain("private")
})

test("half of a surrogate pair and an overlong code do not break the store", async () => {
  const mailgun = mailgunSigner()
  const { accountId, opened, post } = await receiver("mailgun", mailgun.signingKey)
  const failed = (id: string, recipient: string, code: string) =>
    post(mailgun.post({ event: "failed", severity: "permanent", id, recipient, "delivery-status": { code } }, NOW))
  expect(await failed("half \ud800", "one@example.com", "550 \udc00")).toMatchObject({ processed: 1 })
  expect(await failed("half \ud800", "one@example.com", "550 \udc00")).toMatchObject({ known: 1 })
  expect(await failed("long", "two@example.com", "5".repeat(5_000))).toMatchObject({ processed: 1 })
  expect(await failed("address", "\ud800@example.com", "550")).toMatchObject({ ignored: 1 })
  const rows = await opened.all<{ code: string }>(sql`SELECT code FROM feedback WHERE account_id = ${accountId}`)
  expect(rows.map(({ code }) => code).toSorted()).toEqual(["550 \ufffd", "5".repeat(100)])
})
