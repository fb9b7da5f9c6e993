import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createSealer } from "../../../src/domain/accounts/crypto.ts"
import { eventReceiver, NOW } from "../../support/deps/event-receiver.ts"
import { mailgunSigner, sendgridSigner } from "../../support/providers/inbound-signers.ts"
import { startDatabase } from "../../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
const receiver = (provider: Parameters<typeof eventReceiver>[1], secret: string) =>
  eventReceiver(database, provider, secret)

describe("an internal failure", () => {
  const mailgun = mailgunSigner()
  const failed = mailgun.post({ event: "failed", severity: "permanent", id: "f1", recipient: "a@example.com" }, NOW)

  const opened = (id: string, recipient: string) => ({ event: "opened", id, recipient })
  const token = "t".repeat(50)

  test("leaves the event to a retry with the same token", async () => {
    const { ctx, post, reasonOf } = await receiver("mailgun", mailgun.signingKey)
    const record = () => Promise.reject(new Error("the store is gone"))
    const broken = { ...ctx.store, feedback: { ...ctx.store.feedback, record } }
    await expect(post(failed, { store: broken })).rejects.toThrow("the store is gone")
    expect(await reasonOf("a@example.com")).toBeNull()
    expect(await post(failed)).toMatchObject({ processed: 1 })
    expect(await reasonOf("a@example.com")).toBe("hard_bounce")
    expect(await post(failed)).toMatchObject({ processed: 0, known: 1 })
  })

  test("between the token and the event, as in a crash, loses nothing", async () => {
    const { ctx, post, reasonOf } = await receiver("mailgun", mailgun.signingKey)
    let isReached = () => {}
    const reached = new Promise<void>((resolve) => {
      isReached = resolve
    })
    const record = () => {
      isReached()
      return new Promise<never>(() => {})
    }
    // This request never ends, so no code behind it runs.
    void post(failed, { store: { ...ctx.store, feedback: { ...ctx.store.feedback, record } } })
    await reached
    expect(await post(failed)).toMatchObject({ processed: 1 })
    expect(await reasonOf("a@example.com")).toBe("hard_bounce")
  })

  test("a token is valid for its first event only", async () => {
    const { ctx, post, logged, receiverId, accountId } = await receiver("mailgun", mailgun.signingKey)
    const first = mailgun.post(opened("o1", "a@example.com"), NOW, token)
    expect(await post(first)).toMatchObject({ processed: 1 })
    for (const other of [
      opened("o2", "a@example.com"),
      opened("o1", "b@example.com"),
      { ...opened("o1", "a@example.com"), event: "clicked" },
    ])
      await expect(post(mailgun.post(other, NOW, token))).rejects.toMatchObject({ code: "unauthorized" })
    expect(logged).toEqual(Array(3).fill(expect.objectContaining({ event: "inbound_refused", why: "token_used" })))
    expect(await post(first)).toMatchObject({ processed: 0, known: 1 })
    expect(await ctx.store.receivers.list(accountId)).toMatchObject([{ receiverId, accepted: 1, refused: 3 }])
  })

  test("a repeat at the same time is recorded once", async () => {
    const { post } = await receiver("mailgun", mailgun.signingKey)
    const counts = await Promise.all(Array.from({ length: 4 }, async () => (await post(failed)).processed))
    expect(counts.toSorted()).toEqual([0, 0, 0, 1])
  })

  test("can end within Mailgun's eight hours of retries: the token is still bound to its event", async () => {
    const { ctx, post } = await receiver("mailgun", mailgun.signingKey)
    const early = (id: string) =>
      mailgun.post({ event: "delivered", id, recipient: "a@example.com" }, NOW - 8 * 3_600_000, token)
    expect(await post(early("d1"))).toMatchObject({ processed: 1 })
    await ctx.store.receivers.deleteExpiredTokens(NOW)
    await expect(post(early("d2"))).rejects.toMatchObject({ code: "unauthorized" })
    expect(await post(early("d1"))).toMatchObject({ known: 1 })
  })

  test("and an unreadable secret refuses every request", async () => {
    const { post, logged } = await receiver("mailgun", mailgun.signingKey)
    const sealer = await createSealer(["q".repeat(32)], randomBytes)
    await expect(post(failed, { sealer })).rejects.toMatchObject({ code: "unauthorized" })
    expect(logged).toEqual([expect.objectContaining({ event: "inbound_refused", why: "secret_unreadable" })])
    expect(JSON.stringify(logged)).not.toContain(mailgun.signingKey)
  })
})

describe("an unreadable event", () => {
  test("is counted for its receiver and logged, apart from ignored ones", async () => {
    const sendgrid = sendgridSigner()
    const { ctx, post, logged, counted, accountId, receiverId } = await receiver("sendgrid", sendgrid.verificationKey)
    const event = (email: unknown, kind: unknown, id: string) => ({ email, event: kind, sg_event_id: id })
    const batch = [
      event("a@example.com", "bounce", "e1"),
      event(null, "bounce", "e2"),
      event("no address", "bounce", "e3"),
      event("a@example.com", [], "e4"),
      event("a@example.com", "processed", "e5"),
    ]
    expect(await post(sendgrid.post(batch, NOW))).toMatchObject({ processed: 1, ignored: 1, unreadable: 3 })
    expect(logged).toEqual([{ event: "inbound_unreadable", receiver: receiverId, provider: "sendgrid", events: 3 }])
    expect(counted).toEqual([["unreadable:sendgrid", 3]])
    await expect(post(sendgrid.post({}, NOW))).rejects.toMatchObject({ code: "bad_request" })
    expect(await ctx.store.receivers.list(accountId)).toMatchObject([{ accepted: 1, refused: 0, unreadable: 4 }])
  })
})
