import { EventEmitter } from "node:events"
import https from "node:https"
import { createRequire } from "node:module"
import { afterEach, describe, expect, test, vi } from "vitest"
import { createSes, snsUrl } from "../../../src/adapters/suppression/ses.ts"
import { asRequest, ownCertUrl, snsPost, snsSigner, TOPIC } from "../../support/providers/inbound-signers.ts"

type Message = Record<string, string>

const NOW = Date.UTC(2026, 10, 21, 12)
const signer = snsSigner()
const BOUNCE = {
  notificationType: "Bounce",
  bounce: {
    bounceType: "Permanent",
    bounceSubType: "General",
    bouncedRecipients: [
      { emailAddress: "jane@example.com", status: "5.1.1", action: "failed", diagnosticCode: "smtp; 550 5.1.1 jane" },
      { emailAddress: "Richard <richard@example.com>", status: "5.1.1" },
    ],
    timestamp: "2026-11-21T11:58:59.000Z",
    feedbackId: "01000138111222aa-0001",
  },
  mail: { timestamp: "2026-11-21T11:58:00.000Z", messageId: "m", destination: ["jane@example.com"] },
}
const notification = (event: unknown, more: Message = {}): Message => ({
  Type: "Notification",
  MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
  TopicArn: TOPIC,
  Message: typeof event === "string" ? event : JSON.stringify(event),
  Timestamp: "2026-11-21T11:59:00.000Z",
  UnsubscribeURL: "https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe",
  ...more,
})

/** Reads with a certificate server that returns the signer's certificate and counts its requests. */
function reader(answer: () => Response = () => new Response(signer.certificate)) {
  const asked: string[] = []
  const ses = createSes(async (url, init) => {
    expect(init.redirect).toBe("manual")
    asked.push(url)
    return answer()
  })
  const read = (message: Message, now = NOW, topic = TOPIC) => ses.read(asRequest(snsPost(message), now), topic)
  return { ses, asked, read }
}

const Validator = createRequire(import.meta.url)("sns-validator") as new () => {
  validate(message: object, done: (error: Error | null) => void): void
}

/** The result of AWS's own library for Node, with a stubbed certificate download. */
function oracle(message: Message): Promise<boolean> {
  vi.spyOn(https, "get").mockImplementation(((_: string, done: (response: unknown) => void) => {
    const response = Object.assign(new EventEmitter(), { statusCode: 200 })
    done(response)
    response.emit("data", signer.certificate)
    response.emit("end")
    return new EventEmitter()
  }) as never)
  return new Promise((resolve) => new Validator().validate({ ...message }, (error) => resolve(error === null)))
}
afterEach(() => void vi.restoreAllMocks())

describe("authentication", () => {
  test.each([
    ["version 1", notification(BOUNCE), "1"],
    ["version 2", notification(BOUNCE), "2"],
    ["with a subject", notification(BOUNCE, { Subject: "Amazon SES Email Event Notification" }), "2"],
    ["with lines and letters", notification({ note: "é\n☃" }, { Subject: "naïve" }), "1"],
  ])("%s is accepted, as by AWS's library", async (_, fields, version) => {
    const message = signer.sign(fields, { version, certUrl: ownCertUrl() })
    expect(await oracle(message)).toBe(true)
    expect(await reader().read(message)).toMatchObject({ kind: "events" })
  })

  const signed = signer.sign(notification(BOUNCE))
  test.each<[string, Message]>([
    ["an altered event", { ...signed, Message: signed.Message!.replace("jane", "june") }],
    ["another id", { ...signed, MessageId: "other" }],
    ["an added subject", { ...signed, Subject: "x" }],
    ["another signature version", { ...signed, SignatureVersion: "2" }],
    ["another certificate's signature", snsSigner().sign(notification(BOUNCE))],
    ["an empty signature", { ...signed, Signature: "" }],
  ])("%s is refused, as by AWS's library", async (_, message) => {
    expect(await oracle(message)).toBe(false)
    expect(await reader().read(message)).toEqual({ kind: "refused", why: "bad_signature" })
  })

  test.each([
    "https://sns.us-east-1.amazonaws.com.evil.test/x.pem",
    "https://evil.test/sns.us-east-1.amazonaws.com/x.pem",
    "https://sns.us-east-1.amazonaws.com@evil.test/x.pem",
    "https://user@sns.us-east-1.amazonaws.com/x.pem",
    "https://sns.us-east-1.amazonaws.com:8443/x.pem",
    "https://sns.us-east-1.amazonaws.com\\@evil.test/x.pem",
    "https://sns.us-east-1.amazonaws.com\t.evil.test/x.pem",
    "http://sns.us-east-1.amazonaws.com/x.pem",
    "https://s3.amazonaws.com/sns.us-east-1.amazonaws.com/x.pem",
    "https://sns.amazonaws.com/x.pem",
    "https://sns.us-east-1.amazonaws.com/x.txt",
    "https://sns.us-east-1.amazonaws.com/x?y.pem",
    "https://sns.us-east-1.amazonaws.com/x#y.pem",
    "not a url",
    "",
  ])("a certificate at %j is not fetched", async (certUrl) => {
    const { read, asked } = reader()
    expect(await read(signer.sign(notification(BOUNCE), { certUrl }))).toEqual({ kind: "refused", why: "wrong_sender" })
    expect(asked).toEqual([])
  })

  test("hosts in China and in the European sovereign cloud belong to Amazon", () => {
    expect(snsUrl("https://sns.eusc-de-east-1.amazonaws.eu/x.pem")?.hostname).toBe("sns.eusc-de-east-1.amazonaws.eu")
    for (const host of ["sns.eusc-de-east-1.amazonaws.eu.cn", "sns.us-east-1.amazonaws.de", "sns.amazonaws.eu"])
      expect(snsUrl(`https://${host}/x.pem`)).toBeNull()
    expect(snsUrl("https://sns.cn-north-1.amazonaws.com.cn/x.pem")?.hostname).toBe("sns.cn-north-1.amazonaws.com.cn")
    expect(snsUrl("https://sns.cn-north-1.amazonaws.com.cn.evil.test/x.pem")).toBeNull()
  })

  test("any AWS customer may own a topic: only the account's own is accepted", async () => {
    const foreign = notification(BOUNCE, { TopicArn: TOPIC.replace("123456789012", "210987654321") })
    expect(await reader().read(signer.sign(foreign))).toEqual({ kind: "refused", why: "wrong_sender" })
    expect(await reader().read(signed, NOW, "")).toEqual({ kind: "refused", why: "no_secret" })
    expect(await reader().ses.isUsable("arn:aws:s3:::bucket")).toBe(false)
    expect(await reader().ses.isUsable(TOPIC)).toBe(true)
  })

  test("a message may be at most an hour old", async () => {
    const at = (ms: number) => new Date(ms).toISOString()
    const old = signer.sign(notification(BOUNCE, { Timestamp: at(NOW - 3_601_000) }))
    expect(await reader().read(old)).toEqual({ kind: "refused", why: "too_old" })
    const recent = signer.sign(notification(BOUNCE, { Timestamp: at(NOW - 3_599_000) }))
    expect(await reader().read(recent)).toMatchObject({ kind: "events" })
    const undated = signer.sign(notification(BOUNCE, { Timestamp: "soon" }))
    expect(await reader().read(undated)).toEqual({ kind: "refused", why: "too_old" })
  })
})

describe("the certificate", () => {
  test("is fetched once and cached for a day", async () => {
    const { read, asked } = reader()
    const certUrl = ownCertUrl()
    const message = signer.sign(notification(BOUNCE), { certUrl })
    await read(message)
    await read(message)
    expect(asked).toEqual([certUrl])
    const tomorrow = NOW + 25 * 3_600_000
    const later = signer.sign(notification(BOUNCE, { Timestamp: new Date(tomorrow).toISOString() }), { certUrl })
    expect(await read(later, tomorrow)).toMatchObject({ kind: "events" })
    expect(asked).toHaveLength(2)
  })

  test.each([
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.test/x.pem" } })],
    ["an error", () => new Response("no", { status: 503 })],
    ["nothing", () => Promise.reject(new Error("connection refused")) as never],
  ])("%s instead of it is an error that allows a retry, not a refusal", async (_, answer) => {
    const message = signer.sign(notification(BOUNCE), { certUrl: ownCertUrl() })
    await expect(reader(answer).read(message)).rejects.toMatchObject({ code: "unavailable" })
  })

  test.each([
    ["no certificate", "hello"],
    ["an endless one", "x".repeat(100_000)],
  ])("%s is refused", async (_, text) => {
    const { read } = reader(() => new Response(text))
    const message = signer.sign(notification(BOUNCE), { certUrl: ownCertUrl() })
    expect(await read(message)).toEqual({ kind: "refused", why: "bad_signature" })
  })
})

describe("a subscription", () => {
  const CONFIRM = `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37`
  const confirmation = (more: Message = {}): Message => ({
    Type: "SubscriptionConfirmation",
    MessageId: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
    Token: "2336412f37",
    TopicArn: TOPIC,
    Message: "You have chosen to subscribe to the topic.",
    SubscribeURL: CONFIRM,
    Timestamp: "2026-11-21T11:59:00.000Z",
    ...more,
  })

  test("is confirmed when its signature is valid", async () => {
    const message = signer.sign(confirmation(), { version: "2" })
    expect(await oracle(message)).toBe(true)
    expect(await reader().read(message)).toEqual({ kind: "subscription", confirmUrl: CONFIRM })
  })

  test.each([
    ["at another host", CONFIRM.replace("amazonaws.com", "amazonaws.com.evil.test")],
    ["of another topic", CONFIRM.replace("123456789012", "210987654321")],
    ["with another action", CONFIRM.replace("ConfirmSubscription", "DeleteTopic")],
    ["over plain http", CONFIRM.replace("https", "http")],
  ])("%s is not confirmed", async (_, url) => {
    const message = signer.sign(confirmation({ SubscribeURL: url }))
    expect(await reader().read(message)).toEqual({ kind: "refused", why: "wrong_sender" })
  })

  test("that ends is no event", async () => {
    const message = signer.sign(confirmation({ Type: "UnsubscribeConfirmation" }))
    expect(await reader().read(message)).toMatchObject({ kind: "events", events: [], ignored: 1 })
  })
})

describe("events", () => {
  const read = async (event: unknown) => reader().read(signer.sign(notification(event)))

  test("one bounce may have several recipients", async () => {
    const at = Date.parse("2026-11-21T11:58:59.000Z")
    const id = "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324"
    expect(await read(BOUNCE)).toMatchObject({
      events: [
        { email: "jane@example.com", kind: "hard_bounce", id, at, code: "5.1.1" },
        { email: "richard@example.com", kind: "hard_bounce", id, at, code: "5.1.1" },
      ],
    })
  })

  const mail = { destination: ["a@b.test"] }
  const people = [{ emailAddress: "a@b.test" }]
  const bouncedAs = (bounceSubType: string, ...recipients: object[]) => ({
    notificationType: "Bounce",
    bounce: {
      bounceType: "Permanent",
      bounceSubType,
      bouncedRecipients: recipients.map((one, i) => ({ emailAddress: `r${i}@b.test`, ...one })),
    },
  })
  const bounced = (...recipients: object[]) => bouncedAs("General", ...recipients)
  const complained = (more: object) => ({
    notificationType: "Complaint",
    complaint: { complainedRecipients: people, ...more },
  })
  const ON_LIST = {
    status: "5.1.1",
    diagnosticCode:
      "Amazon SES did not send the message to this address because it is on the suppression list for your account.",
  }
  test.each([
    [{ ...BOUNCE, bounce: { ...BOUNCE.bounce, bounceType: "Transient" } }, ["soft_bounce", "soft_bounce"]],
    [{ ...BOUNCE, bounce: { ...BOUNCE.bounce, bounceType: "Undetermined" } }, ["soft_bounce", "soft_bounce"]],
    // As documented: one recipient is invalid, the other's mail is only delayed.
    [
      bounced(
        { status: "5.0.0", action: "failed", diagnosticCode: "smtp; 550 user unknown" },
        { status: "4.0.0", action: "delayed" },
      ),
      ["hard_bounce", "soft_bounce"],
    ],
    [
      bounced(
        { status: "5.7.1", diagnosticCode: "smtp; 550 5.7.1 client [192.0.2.1] blocked using Spamhaus" },
        { status: "5.7.26", diagnosticCode: "smtp; 550 5.7.26 This mail is unauthenticated" },
      ),
      ["soft_bounce", "soft_bounce"],
    ],
    // The text is Amazon's own, not a host's reply.
    [bouncedAs("OnAccountSuppressionList", ON_LIST), ["hard_bounce"]],
    [bouncedAs("OnTenantSuppressionList", ON_LIST), ["hard_bounce"]],
    // Not sent: Amazon's prediction for the address, and a topic that the recipient left.
    [bouncedAs("EmailValidationSuppressed", { status: "5.1.1" }), []],
    [bouncedAs("UnsubscribedRecipient", { status: "5.1.1" }), []],
    [{ notificationType: "Complaint", complaint: { complainedRecipients: people } }, ["spam_complaint"]],
    [complained({ complaintFeedbackType: "abuse" }), ["spam_complaint"]],
    // Machine reports about the sender's own signatures and attachments, and mail that was never sent.
    [complained({ complaintFeedbackType: "auth-failure" }), []],
    [complained({ complaintFeedbackType: "virus" }), []],
    [complained({ complaintSubType: "OnAccountSuppressionList" }), []],
    [{ eventType: "DeliveryDelay", mail, deliveryDelay: { delayedRecipients: people } }, []],
    [{ eventType: "Reject", mail, reject: { reason: "Bad content" } }, []],
    [{ notificationType: "Delivery", delivery: { recipients: ["a@b.test", "c@b.test"] } }, ["delivered", "delivered"]],
    [{ eventType: "Bounce", bounce: BOUNCE.bounce }, ["hard_bounce", "hard_bounce"]],
    [{ eventType: "Open", mail, open: { timestamp: "2026-11-21T11:58:59.000Z" } }, ["opened"]],
    [{ eventType: "Click", mail, click: {} }, ["clicked"]],
    [
      { eventType: "Subscription", mail, subscription: { newTopicPreferences: { unsubscribeAll: true } } },
      ["unsubscribe"],
    ],
    [
      { notificationType: "Complaint", complaint: { complainedRecipients: people, complaintFeedbackType: "not-spam" } },
      [],
    ],
    [{ eventType: "Open", mail: { destination: ["a@b.test", "c@b.test"] } }, []],
    [{ eventType: "Subscription", mail, subscription: { newTopicPreferences: { unsubscribeAll: false } } }, []],
    [{ eventType: "Send", mail }, []],
    [{ eventType: "Bounce" }, []],
    ["Successfully validated SNS topic for Amazon SES event publishing.", []],
    ["null", []],
  ])("%j is %j", async (event, kinds) => {
    const inbound = await read(event)
    expect(inbound.kind === "events" && inbound.events.map(({ kind }) => kind)).toEqual(kinds)
  })
})
