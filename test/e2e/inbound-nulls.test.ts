import { describe, expect, inject, test } from "vitest"
import { mailgunSigner, postmarkPost, sendgridSigner } from "../support/providers/inbound-signers.ts"
import { newKey } from "../support/stack/account.ts"
import { callUnchecked } from "../support/stack/api.ts"
import { check, receiver, receivers, send } from "../support/stack/receivers.ts"

describe("events with nulls are recorded", () => {
  const HARD = { reason: "hard_bounce" }
  test.each([
    [
      "SendGrid's bounce",
      (email: string) => {
        const signer = sendgridSigner()
        const event = { email, event: "bounce", sg_event_id: "n1", timestamp: null, type: null, reason: null }
        const posted = signer.post([{ ...event, status: "5.1.1", sg_machine_open: null }], Date.now())
        return ["sendgrid", signer.verificationKey, posted] as const
      },
      HARD,
    ],
    [
      "Mailgun's bounce",
      (recipient: string) => {
        const signer = mailgunSigner()
        const event = { event: "failed", severity: "permanent", id: "n1", recipient, timestamp: null }
        const status = { code: null, message: "550 5.1.1 User unknown", description: null }
        const posted = signer.post({ ...event, "client-info": null, "delivery-status": status }, Date.now())
        return ["mailgun", signer.signingKey, posted] as const
      },
      HARD,
    ],
    [
      "Mailgun's complaint",
      (recipient: string) => {
        const signer = mailgunSigner()
        const event = { event: "complained", id: "n2", recipient, "client-info": null, "delivery-status": null }
        return ["mailgun", signer.signingKey, signer.post(event, Date.now())] as const
      },
      { reason: "spam_complaint" },
    ],
    [
      "Postmark's bounce",
      (Email: string) => {
        const secret = `hook:${"p".repeat(24)}`
        const event = { RecordType: "Bounce", MessageID: "n1", ID: null, Type: null, TypeCode: 1, BouncedAt: null }
        return ["postmark", secret, postmarkPost({ ...event, Email, Details: null, Recipient: null }, secret)] as const
      },
      HARD,
    ],
  ])("%s", async (_, postedFor, expected) => {
    const [key, email] = [await newKey(), "nulls@d0404.test"]
    const [provider, secret, posted] = postedFor(email)
    const { url } = await receiver(key, provider, secret)
    expect((await send(url, posted)).body).toMatchObject({ processed: 1, ignored: 0, unreadable: 0 })
    expect(await check(key, email)).toMatchObject({ is_suppressed: true, ...expected })
    expect(await receivers(key)).toMatchObject([{ events_accepted: 1, events_unreadable: 0 }])
  })
})

test("an event without a readable recipient is counted as unreadable, for the account and the operator", async () => {
  const key = await newKey()
  const signer = sendgridSigner()
  const { url } = await receiver(key, "sendgrid", signer.verificationKey)
  const events = [null, [], "no address"].map((email, n) => ({ email, event: "bounce", sg_event_id: `u${n}` }))
  const posted = signer.post([...events, { email: "a@d0404.test", event: "deferred", sg_event_id: "d" }], Date.now())
  expect((await send(url, posted)).body).toMatchObject({ processed: 0, ignored: 1, unreadable: 3 })
  expect(await receivers(key)).toMatchObject([{ events_accepted: 0, events_unreadable: 3, requests_refused: 0 }])
  const metrics = async () =>
    (await callUnchecked("/admin/metrics", { headers: { "x-admin-secret": inject("adminSecret") } })).text
  await expect.poll(metrics).toMatch(/^mailverdict_unreadable_events_total\{provider="sendgrid"\} [1-9]/m)
})
