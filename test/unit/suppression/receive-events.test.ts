import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { eventReceiver, NOW, notification, signer } from "../../support/deps/event-receiver.ts"
import { mailgunSigner, sendgridSigner, snsPost, TOPIC } from "../../support/providers/inbound-signers.ts"
import { startDatabase } from "../../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
const receiver = (provider: Parameters<typeof eventReceiver>[1], secret: string) =>
  eventReceiver(database, provider, secret)

const bounce = (...emails: string[]) => ({
  notificationType: "Bounce",
  bounce: { bounceType: "Permanent", bouncedRecipients: emails.map((emailAddress) => ({ emailAddress })) },
})

describe("Amazon SES", () => {
  test("a bounce of two recipients suppresses both; a repetition by SNS changes nothing", async () => {
    const { post, reasonOf } = await receiver("ses", TOPIC)
    const posted = notification(bounce("jane@example.com", "joe@example.com"), "m1")
    expect(await post(posted)).toEqual({ processed: 2, known: 0, ignored: 0, unreadable: 0, withoutVerdict: 2 })
    expect([await reasonOf("jane@example.com"), await reasonOf("joe@example.com")]).toEqual([
      "hard_bounce",
      "hard_bounce",
    ])
    expect(await post(posted)).toEqual({ processed: 0, known: 2, ignored: 0, unreadable: 0, withoutVerdict: 2 })
  })

  test("nulls and an unreadable recipient cost no other recipient", async () => {
    const { post, reasonOf } = await receiver("ses", TOPIC)
    const bounced = {
      ...{ eventType: "Bounce", complaint: null, delivery: null },
      mail: { timestamp: null, destination: ["n1@example.com"] },
      bounce: {
        bounceType: "Permanent",
        bounceSubType: null,
        timestamp: null,
        bouncedRecipients: [{ emailAddress: "n1@example.com", status: "5.1.1", diagnosticCode: null }, null],
      },
    }
    const complained = {
      eventType: "Complaint",
      complaint: {
        complainedRecipients: [{ emailAddress: null }, { emailAddress: "n2@example.com" }],
        complaintSubType: null,
      },
    }
    expect(await post(notification(bounced, "n1"))).toMatchObject({ processed: 1, ignored: 0, unreadable: 1 })
    expect(await post(notification(complained, "n2"))).toMatchObject({ processed: 1, ignored: 0, unreadable: 1 })
    expect([await reasonOf("n1@example.com"), await reasonOf("n2@example.com")]).toEqual([
      "hard_bounce",
      "spam_complaint",
    ])
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
    await expect(post(bounces(1_000, 2_000))).rejects.toMatchObject({ code: "free_work_exceeded" })
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
    await expect(post(bounces(1, 1))).rejects.toMatchObject({ code: "free_work_exceeded" })
    ctx.clock.now = () => NOW + 60_000
    expect(await post(bounces(1, 1))).toMatchObject({ processed: 1 })
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
  expect(await failed("address", "\ud800@example.com", "550")).toMatchObject({ unreadable: 1 })
  const rows = await opened.all<{ code: string }>(sql`SELECT code FROM feedback WHERE account_id = ${accountId}`)
  expect(rows.map(({ code }) => code).toSorted()).toEqual(["550 \ufffd", "5".repeat(100)])
})
