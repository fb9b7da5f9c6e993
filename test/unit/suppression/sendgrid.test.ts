import { EventWebhook } from "@sendgrid/eventwebhook"
import { describe, expect, test } from "vitest"
import { sendgrid } from "../../../src/adapters/suppression/sendgrid.ts"
import { asRequest, type Posted, sendgridSigner } from "../../support/providers/inbound-signers.ts"

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR_MS = 3_600_000
const SIGNATURE = "x-twilio-email-event-webhook-signature"
const TIMESTAMP = "x-twilio-email-event-webhook-timestamp"
const signer = sendgridSigner()
const event = (more: object) => ({ email: "a@mailbox.test", timestamp: 1_793_697_300, sg_event_id: "e1", ...more })
const read = (posted: Posted, now = NOW, key = signer.verificationKey) => sendgrid.read(asRequest(posted, now), key)

/** The result of SendGrid's own library for a request. */
function oracle({ body, headers }: Posted, key = signer.verificationKey): boolean {
  const webhook = new EventWebhook()
  return webhook.verifySignature(webhook.convertPublicKeyToECDSA(key), body, headers[SIGNATURE]!, headers[TIMESTAMP]!)
}

describe("authentication", () => {
  const posted = signer.post([event({ event: "delivered" })], NOW)

  test("the published example of SendGrid's library is genuine, only too old", async () => {
    const key =
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=="
    const example = {
      email: "hello@world.com",
      event: "dropped",
      reason: "Bounced Address",
      sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
      sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
      "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
      timestamp: 1600112492,
    }
    const signature = "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM="
    const published: Posted = {
      body: `${JSON.stringify([example])}\r\n`,
      headers: { [SIGNATURE]: signature, [TIMESTAMP]: "1600112502" },
    }
    expect(oracle(published, key)).toBe(true)
    expect(await read(published, 1_600_112_600_000, key)).toMatchObject({
      events: [{ email: "hello@world.com", kind: "hard_bounce" }],
      ignored: 0,
    })
    expect(await read(published, NOW, key)).toEqual({ kind: "refused", why: "too_old" })
    const altered = { ...published, body: published.body.replace("hello@", "hallo@") }
    expect(await read(altered, 1_600_112_600_000, key)).toEqual({ kind: "refused", why: "bad_signature" })
  })

  test("a signed request is accepted, as by SendGrid's library", async () => {
    expect(oracle(posted)).toBe(true)
    expect(await read(posted)).toMatchObject({ kind: "events", events: [{ kind: "delivered" }] })
  })

  const other = sendgridSigner()
  test.each<[string, Posted, string]>([
    ["an altered body", { ...posted, body: posted.body.replace("a@", "b@") }, "bad_signature"],
    ["a re-encoded body", { ...posted, body: JSON.stringify(JSON.parse(posted.body)) }, "bad_signature"],
    ["another timestamp", { ...posted, headers: { ...posted.headers, [TIMESTAMP]: "1793697301" } }, "bad_signature"],
    ["another key's signature", other.post([event({ event: "delivered" })], NOW), "bad_signature"],
    ["no signature", { ...posted, headers: { [TIMESTAMP]: posted.headers[TIMESTAMP]! } }, "no_signature"],
    ["no timestamp", { ...posted, headers: { [SIGNATURE]: posted.headers[SIGNATURE]! } }, "no_signature"],
    ["no base64", { ...posted, headers: { ...posted.headers, [SIGNATURE]: "!!!" } }, "bad_signature"],
    ["older than a day", signer.post([event({ event: "delivered" })], NOW - 25 * HOUR_MS - 1_000), "too_old"],
    ["301 seconds ahead", signer.post([event({ event: "delivered" })], NOW + 301_000), "too_old"],
  ])("%s is refused", async (_, request, why) => {
    expect(await read(request)).toEqual({ kind: "refused", why })
  })

  // SendGrid retries for a day; event ids reveal repeats.
  test("a request that failed for a day is still accepted", async () => {
    expect(await read(signer.post([event({ event: "delivered" })], NOW - 24 * HOUR_MS))).toMatchObject({
      kind: "events",
    })
  })

  test("without a key no request is accepted, and an invalid key is reported at setup", async () => {
    expect(await read(posted, NOW, "")).toEqual({ kind: "refused", why: "no_secret" })
    for (const secret of ["", "nonsense", "AAAA", signer.verificationKey.slice(4)])
      expect(await sendgrid.isUsable(secret), secret).toBe(false)
    expect(await sendgrid.isUsable(signer.verificationKey)).toBe(true)
    const pem = `-----BEGIN PUBLIC KEY-----\n${signer.verificationKey}\n-----END PUBLIC KEY-----\n`
    expect(await read(posted, NOW, pem)).toMatchObject({ kind: "events" })
  })
})

describe("events", () => {
  test.each([
    [{ event: "bounce", type: "bounce", status: "5.1.1" }, "hard_bounce"],
    [{ event: "bounce", status: "5.1.1" }, "hard_bounce"],
    [{ event: "bounce", type: "blocked", status: "5.7.1" }, "soft_bounce"],
    // Given up after 72 hours of deferrals.
    [{ event: "bounce", type: "expired" }, "soft_bounce"],
    [{ event: "bounce", type: "bounce", status: "5.1.1", reason: "550 5.1.1 user unknown" }, "hard_bounce"],
    [{ event: "bounce", type: "bounce", status: "5.0.0", reason: "500 unknown recipient" }, "hard_bounce"],
    [{ event: "bounce", type: "bounce", status: "4.2.2" }, "soft_bounce"],
    [{ event: "bounce", type: "bounce", status: "5.7.1", reason: "550 blocked using Spamhaus" }, "soft_bounce"],
    [{ event: "bounce", type: "bounce", status: "5.2.2", reason: "552 5.2.2 mailbox full" }, "soft_bounce"],
    [{ event: "bounce", type: "bounce", bounce_classification: "Reputation" }, "soft_bounce"],
    [{ event: "bounce", type: "bounce", bounce_classification: "Invalid Address" }, "hard_bounce"],
    [{ event: "dropped", reason: "Bounced Address" }, "hard_bounce"],
    [{ event: "dropped", reason: "Bounced Address", status: "5.0.0" }, "hard_bounce"],
    [{ event: "delivered" }, "delivered"],
    [{ event: "open" }, "opened"],
    [{ event: "click" }, "clicked"],
    [{ event: "spamreport" }, "spam_complaint"],
    [{ event: "unsubscribe" }, "unsubscribe"],
  ])("%j is %s", async (more, kind) => {
    const code = "status" in more ? (more.status ?? null) : null
    expect(await read(signer.post([event(more)], NOW))).toEqual({
      kind: "events",
      events: [{ email: "a@mailbox.test", kind, id: "e1", at: 1_793_697_300_000, code }],
      ignored: 0,
      unreadable: 0,
      token: null,
    })
  })

  test.each([
    [{ event: "processed" }],
    [{ event: "dropped" }],
    [{ event: "dropped", reason: "Unsubscribed Address" }],
    [{ event: "dropped", reason: "Spam Reporting Address" }],
    [{ event: "dropped", reason: "Spam Content" }],
    [{ event: "deferred" }],
    [{ event: "group_unsubscribe" }],
    [{ event: "group_resubscribe" }],
    [{ event: "open", sg_machine_open: true }],
    [{ event: "account_status_change" }],
    [{ event: "constructor" }],
  ])("%j is ignored", async (more) => {
    expect(await read(signer.post([event(more)], NOW))).toMatchObject({ events: [], ignored: 1, unreadable: 0 })
  })

  test.each([
    [{ event: "bounce", sg_event_id: undefined }],
    [{ event: "bounce", sg_event_id: null }],
    [{ event: "bounce", email: 5 }],
    [{ event: "bounce", email: null }],
    [{ event: null }],
    [{ event: ["bounce"] }],
  ])("%j is unreadable, and costs no other event", async (more) => {
    const batch = [event({ event: "open" }), event(more), null, event({ event: "click" })]
    expect(await read(signer.post(batch, NOW))).toMatchObject({
      events: [{ kind: "opened" }, { kind: "clicked" }],
      ignored: 0,
      unreadable: 2,
    })
  })

  test("an id may be a number, and a time may be text", async () => {
    const odd = event({ event: "bounce", sg_event_id: 42, timestamp: "1793697300" })
    expect(await read(signer.post([odd], NOW))).toMatchObject({ events: [{ id: "42", at: 1_793_697_300_000 }] })
  })

  test("a batch is read as a whole, in its order", async () => {
    const events = Array.from({ length: 1_000 }, (_, i) => event({ event: "open", sg_event_id: `e${i}` }))
    const inbound = await read(signer.post(events, NOW))
    expect(inbound).toMatchObject({ kind: "events", ignored: 0 })
    expect(inbound.kind === "events" && inbound.events.map(({ id }) => id)).toEqual(
      events.map((one) => one.sg_event_id),
    )
  })

  test.each([
    ["an object", {}],
    ["null", null],
    ["a number", 1],
  ])("%s is not a batch", async (_, body) => {
    expect(await read(signer.post(body, NOW))).toEqual({ kind: "unreadable" })
  })
})
