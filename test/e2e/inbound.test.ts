import { createRequire } from "node:module"
import { describe, expect, test } from "vitest"
import {
  mailgunSigner,
  type Posted,
  postmarkPost,
  sendgridSigner,
  snsPost,
  snsSigner,
  TOPIC,
} from "../support/providers/inbound-signers.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { bounces, check, receiver, receivers, send } from "../support/stack/receivers.ts"

const verdict = async (key: TestKey, email: string) => {
  const at = `/validate/fast?email=${email}`
  const init = withKey(key, { at })
  const { body } = await call<{ checks: { status: string; can_send: boolean } }>("GET", "/validate/fast", init)
  return [body.checks.status, body.checks.can_send]
}
const VALID = ["valid", true]

const EMAIL = "user1@d0401.test"
const signedBy = {
  sendgrid() {
    const signer = sendgridSigner()
    let count = 0
    return {
      secret: signer.verificationKey,
      bounce: (email: string, id = `e${count++}`, at = Date.now()) =>
        signer.post([{ email, event: "bounce", type: "bounce", status: "5.1.1", sg_event_id: id }], at),
    }
  },
  mailgun() {
    const signer = mailgunSigner()
    let count = 0
    return {
      secret: signer.signingKey,
      bounce: (recipient: string, id = `m${count++}`, at = Date.now()) =>
        signer.post({ event: "failed", severity: "permanent", reason: "bounce", id, recipient }, at),
    }
  },
  postmark() {
    const secret = `hook:${"p".repeat(24)}`
    let count = 0
    return {
      secret,
      bounce: (Email: string, MessageID = `p${count++}`) =>
        postmarkPost({ RecordType: "Bounce", ID: 5, MessageID, TypeCode: 1, Email }, secret),
    }
  },
}

test.each([
  ["SendGrid's dropped: Bounced Address", "sendgrid", { event: "dropped", reason: "Bounced Address" }, "hard_bounce"],
  ["SendGrid's dropped: Unsubscribed Address", "sendgrid", { event: "dropped", reason: "Unsubscribed Address" }, null],
  ["a group's unsubscribe", "sendgrid", { event: "group_unsubscribe", asm_group_id: 7 }, null],
  ["Postmark's HardBounce", "postmark", { SuppressSending: true, SuppressionReason: "HardBounce" }, "hard_bounce"],
  ["Postmark's SpamComplaint", "postmark", { SuppressSending: true, SuppressionReason: "SpamComplaint" }, null],
] as const)("%s", async (_, provider, event, reason) => {
  const [key, signer, password] = [await newKey(), sendgridSigner(), `hook:${"p".repeat(24)}`]
  const { url } = await receiver(key, provider, provider === "sendgrid" ? signer.verificationKey : password)
  const posted =
    provider === "sendgrid"
      ? signer.post([{ email: EMAIL, sg_event_id: "own-list", ...event }], Date.now())
      : postmarkPost({ RecordType: "SubscriptionChange", MessageID: "m", Recipient: EMAIL, ...event }, password)
  expect((await send(url, posted)).body).toMatchObject(reason ? { processed: 1, ignored: 0 } : { ignored: 1 })
  expect(await check(key, EMAIL)).toMatchObject({ is_suppressed: reason !== null, reason })
})

describe.each(["sendgrid", "mailgun", "postmark"] as const)("%s", (provider) => {
  const { secret, bounce } = signedBy[provider]()

  test("a bounce suppresses the address for this account from the next answer; a repeated event changes nothing", async () => {
    const [key, other] = [await newKey(), await newKey()]
    await call("GET", "/validate", withKey(key, { at: `/validate?email=${EMAIL}` }))
    expect(await verdict(key, EMAIL)).toEqual(VALID)
    const { url, bounce_url, receiver_id } = await receiver(key, provider, secret)

    expect((await send(url, bounce(EMAIL, "one"))).body).toEqual({
      status: "ok",
      processed: 1,
      duplicates: 0,
      ignored: 0,
      unreadable: 0,
      without_verdict: expect.any(Number),
    })
    expect(await check(key, EMAIL)).toMatchObject({ is_suppressed: true, reason: "hard_bounce", source: provider })
    expect(await verdict(key, EMAIL)).toEqual(["invalid", false])
    expect(await verdict(other, EMAIL)).toEqual(VALID)

    await call("DELETE", "/suppression/{email}", withKey(key, { at: `/suppression/${encodeURIComponent(EMAIL)}` }))
    const again = await send(bounce_url!, bounce(EMAIL, "one"))
    expect(again.body).toMatchObject({ processed: 0, duplicates: 1 })
    expect(await check(key, EMAIL)).toMatchObject({ is_suppressed: false })
    expect(await bounces(key)).toMatchObject({ total: 1 })
    expect(await verdict(key, EMAIL)).toEqual(VALID)

    await send(bounce_url!, bounce(EMAIL, "two"))
    expect(await check(key, EMAIL)).toMatchObject({ is_suppressed: true })
    expect(await receivers(key)).toMatchObject([{ receiver_id, provider, events_accepted: 2, requests_refused: 0 }])
  })

  test("a request without the provider's proof is 401, and only counted", async () => {
    const key = await newKey()
    const { url } = await receiver(key, provider, secret)
    const good = bounce(EMAIL)
    const withoutToken = new URL(url)
    withoutToken.search = ""
    const refused: [string, Posted][] = [
      [url, { ...good, headers: { "content-type": "application/json" }, body: "{}" }],
      [url, { body: "", headers: { "content-type": "application/json" } }],
      [url.replace(/t=.{10}/, "t=0000000000"), good],
      [withoutToken.href, good],
      [url.replace(provider, provider === "mailgun" ? "sendgrid" : "mailgun"), good],
      [
        (await receiver(await newKey(), provider, signedBy[provider]().secret.replace(/p+$/, "q".repeat(24)))).url,
        good,
      ],
    ]
    for (const [to, posted] of refused) expect((await send(to, posted)).status, to).toBe(401)
    expect(await check(key, EMAIL)).toMatchObject({ is_suppressed: false })
    expect(await receivers(key)).toMatchObject([{ events_accepted: 0, requests_refused: 2 }])
    expect((await send(url, good)).body).toMatchObject({ processed: 1 })
  })

  test("a closed receiver accepts no events, and another account cannot close it", async () => {
    const key = await newKey()
    const { url, receiver_id } = await receiver(key, provider, secret)
    const at = `/webhooks/receivers/${receiver_id}`
    const close = async (by: TestKey) =>
      (await call("DELETE", "/webhooks/receivers/{receiver_id}", withKey(by, { at }))).status
    expect(await close(await newKey())).toBe(404)
    expect(await close(key)).toBe(200)
    expect((await send(url, bounce(EMAIL))).status).toBe(401)
    expect(await receivers(key)).toEqual([])
  })
})

describe("replays", () => {
  test("a signature older than the provider's retries is refused", async () => {
    const key = await newKey()
    for (const [provider, hours] of [["sendgrid", 25] as const, ["mailgun", 9] as const]) {
      const { secret, bounce } = signedBy[provider]()
      const { url } = await receiver(key, provider, secret)
      const signedAt = Date.now() - hours * 3_600_000 - 2_000
      expect((await send(url, bounce(EMAIL, "old", signedAt))).status, provider).toBe(401)
    }
    expect(await bounces(key)).toMatchObject({ total: 0 })
  })

  test("an event that Mailgun repeats with its token is accepted, and counted once", async () => {
    const key = await newKey()
    const signer = mailgunSigner()
    const { url } = await receiver(key, "mailgun", signer.signingKey)
    const failed = { event: "failed", severity: "permanent", recipient: "again@d0401.test", id: "again" }
    const posted = signer.post({ ...failed, "delivery-status": null }, Date.now())
    expect(await send(url, posted)).toMatchObject({ status: 200, body: { processed: 1, duplicates: 0 } })
    expect(await send(url, posted)).toMatchObject({ status: 200, body: { processed: 0, duplicates: 1 } })
    expect(await bounces(key)).toMatchObject({ total: 1 })
    expect(await receivers(key)).toMatchObject([{ events_accepted: 1, requests_refused: 0 }])
  })

  test("a token of Mailgun is valid for one event", async () => {
    const key = await newKey()
    const signer = mailgunSigner()
    const { url } = await receiver(key, "mailgun", signer.signingKey)
    const signature = signer.signature(Date.now())
    const failed = (recipient: string, id: string) => ({ event: "failed", severity: "permanent", recipient, id })
    const put = (event: unknown): Posted => ({
      body: JSON.stringify({ signature, "event-data": event }),
      headers: { "content-type": "application/json" },
    })
    const statuses = await Promise.all(
      Array.from(
        { length: 5 },
        async (_, i) => (await send(url, put(failed(`victim${i}@d0401.test`, `v${i}`)))).status,
      ),
    )
    expect(statuses.toSorted()).toEqual([200, 401, 401, 401, 401])
    expect((await send(url, put(failed("victim9@d0401.test", "v9")))).status).toBe(401)
    expect(await bounces(key)).toMatchObject({ total: 1 })
  })
})

describe("every kind of event", () => {
  test("of a SendGrid batch is recorded by its kind", async () => {
    const key = await newKey()
    const signer = sendgridSigner()
    const { url } = await receiver(key, "sendgrid", signer.verificationKey)
    const kinds = ["bounce", "unsubscribe", "spamreport", "delivered", "open", "click"]
    const events = kinds.map((event) => ({ email: `${event}@d0402.test`, event, sg_event_id: `id-${event}` }))
    const noise = [
      { email: "not an address", event: "bounce", sg_event_id: "x1" },
      { email: "a@d0402.test", event: "processed", sg_event_id: "x2" },
    ]
    const posted = signer.post([...events, ...noise], Date.now())
    expect((await send(url, posted)).body).toMatchObject({ processed: 6, duplicates: 0, ignored: 1, unreadable: 1 })
    expect(await receivers(key)).toMatchObject([{ events_accepted: 6, events_unreadable: 1, requests_refused: 0 }])
    const found = await Promise.all(kinds.map(async (kind) => (await check(key, `${kind}@d0402.test`)).reason))
    expect(found).toEqual(["hard_bounce", "unsubscribe", "spam_complaint", null, null, null])
    expect(await bounces(key)).toMatchObject({ total: 2, delivered: 1, by_type: { hard_bounce: 1, spam_complaint: 1 } })
    expect((await send(url, posted)).body).toMatchObject({ processed: 0, duplicates: 6 })
  })

  test("is accepted a thousand at a time", async () => {
    const key = await newKey()
    const signer = sendgridSigner()
    const { url } = await receiver(key, "sendgrid", signer.verificationKey)
    const events = Array.from({ length: 1_000 }, (_, i) => ({
      email: `user${i}@d0403.test`,
      event: i % 2 ? "bounce" : "delivered",
      sg_event_id: `k${i}`,
    }))
    expect((await send(url, signer.post(events, Date.now()))).body).toMatchObject({ processed: 1_000 })
    expect(await bounces(key)).toMatchObject({ total: 500, delivered: 500 })
  })
})

describe("Amazon SES", () => {
  test("a message with a foreign certificate or topic is refused, as by the reference library", async () => {
    const key = await newKey()
    const { url, bounce_url } = await receiver(key, "ses", TOPIC)
    expect(bounce_url).toBeNull()
    const signer = snsSigner()
    const fields = {
      Type: "Notification",
      MessageId: "1",
      TopicArn: TOPIC,
      Message: JSON.stringify({ notificationType: "Bounce" }),
      Timestamp: new Date().toISOString(),
    }
    const evil = signer.sign(fields, { certUrl: "https://sns.us-east-1.amazonaws.com.evil.test/x.pem" })
    const foreign = signer.sign({ ...fields, TopicArn: `${TOPIC}-other` })
    for (const message of [evil, foreign, fields]) expect((await send(url, snsPost(message))).status).toBe(401)
    const Validator = createRequire(import.meta.url)("sns-validator") as new () => {
      validate(message: object, done: (error: Error | null) => void): void
    }
    const problem = await new Promise((resolve) => new Validator().validate({ ...evil }, resolve))
    expect(String(problem)).toContain("invalid domain")
    expect(await receivers(key)).toMatchObject([{ requests_refused: 3 }])
  })
})

describe("creating a receiver", () => {
  test("without a password creates one for Postmark, as part of the URL", async () => {
    const key = await newKey()
    const { url } = await receiver(key, "postmark")
    const { username, password } = new URL(url)
    expect(password.length).toBeGreaterThanOrEqual(16)
    const event = postmarkPost({ RecordType: "Delivery", MessageID: "m", Recipient: EMAIL }, `${username}:${password}`)
    expect((await send(url, event)).body).toMatchObject({ processed: 1 })
    expect(JSON.stringify(await receivers(key))).not.toContain(password)
  })

  test.each([
    ["sendgrid", undefined],
    ["mailgun", undefined],
    ["ses", undefined],
    ["sendgrid", "nonsense"],
    ["mailgun", "short"],
    ["postmark", "no password"],
    ["ses", "arn:aws:s3:::bucket"],
  ])("for %s with the secret %j is 400, because it could never be verified", async (provider, secret) => {
    const made = withKey(await newKey(), postJson({ provider, secret }))
    expect((await call("POST", "/webhooks/receivers", made)).status).toBe(400)
  })

  test("is limited to 20 for an account", async () => {
    const key = await newKey()
    for (let i = 0; i < 20; i++) await receiver(key, "postmark")
    const more = withKey(key, postJson({ provider: "postmark" }))
    expect((await call("POST", "/webhooks/receivers", more)).status).toBe(409)
  })

  test("a body over one megabyte is not read", async () => {
    const { url } = await receiver(await newKey(), "postmark")
    const { pathname, search } = new URL(url)
    const body = "x".repeat(1_000_001)
    expect((await callUnchecked(pathname + search, { method: "POST", body })).status).toBe(413)
  })
})
