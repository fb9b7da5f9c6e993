import { describe, expect, test } from "vitest"
import { mailgun } from "../../../src/adapters/suppression/mailgun.ts"
import { asRequest, mailgunSigner, type Posted } from "../../support/providers/inbound-signers.ts"

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR_MS = 3_600_000
const signer = mailgunSigner()
const event = (more: object) => ({ id: "m1", recipient: "a@mailbox.test", timestamp: 1_793_697_300.25, ...more })
const read = (posted: Posted, now = NOW, key = signer.signingKey) => mailgun.read(asRequest(posted, now), key)
const delivered = event({ event: "delivered" })

describe("authentication", () => {
  test("accepts timestamp and token in the documented form, signed with a key of that form", async () => {
    const documented = mailgunSigner("key-3ax6xnjp29jd6fds4gc373sgvjxteol0")
    const token = "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0"
    const posted = documented.post(event({ event: "opened" }), 1_529_006_854_000, token)
    expect(JSON.parse(posted.body).signature.timestamp).toBe("1529006854")
    expect(await read(posted, 1_529_006_900_000, documented.signingKey)).toMatchObject({
      kind: "events",
      token: { text: token },
    })
  })

  const posted = signer.post(delivered, NOW)
  const alter = (change: object): Posted => {
    const { signature, ...rest } = JSON.parse(posted.body)
    return { ...posted, body: JSON.stringify({ ...rest, signature: { ...signature, ...change } }) }
  }
  test.each<[string, Posted, string]>([
    ["another account's key", mailgunSigner().post(delivered, NOW), "bad_signature"],
    ["another token", alter({ token: "f".repeat(50) }), "bad_signature"],
    ["another timestamp", alter({ timestamp: "1795262401" }), "bad_signature"],
    [
      "an upper-case signature",
      alter({ signature: JSON.parse(posted.body).signature.signature.toUpperCase() }),
      "no_signature",
    ],
    ["a short signature", alter({ signature: "00" }), "no_signature"],
    ["an empty token", alter({ token: "" }), "no_signature"],
    ["no signature", { ...posted, body: JSON.stringify({ "event-data": delivered }) }, "no_signature"],
    ["no JSON", { ...posted, body: "token=x" }, "no_signature"],
    ["after Mailgun's last retry", signer.post(delivered, NOW - 9 * HOUR_MS - 1_000), "too_old"],
    ["301 seconds ahead", signer.post(delivered, NOW + 301_000), "too_old"],
  ])("%s is refused", async (_, request, why) => {
    expect(await read(request)).toEqual({ kind: "refused", why })
  })

  // Mailgun retries for eight hours with the first signature.
  test("a request that failed for hours is still accepted", async () => {
    expect(await read(signer.post(delivered, NOW - 8.5 * HOUR_MS))).toMatchObject({ kind: "events" })
  })

  test("without a key no request is accepted, not even one signed with an empty key", async () => {
    expect(await read(mailgunSigner("").post(delivered, NOW), NOW, "")).toEqual({ kind: "refused", why: "no_secret" })
    expect(await mailgun.isUsable("short")).toBe(false)
  })

  test("the main account may sign a subaccount's event", async () => {
    const [parent, child] = [signer.signature(NOW), mailgunSigner().signature(NOW)]
    const body = JSON.stringify({ signature: { ...child, "parent-signature": parent }, "event-data": delivered })
    expect(await read({ body, headers: {} })).toMatchObject({ kind: "events", token: { text: parent.token } })
  })
})

describe("events", () => {
  test.each([
    [
      { event: "failed", severity: "permanent", reason: "bounce", "delivery-status": { code: 550 } },
      "hard_bounce",
      "550",
    ],
    [{ event: "failed", severity: "permanent", reason: "suppress-bounce" }, "hard_bounce", null],
    [{ event: "failed", severity: "permanent", reason: "espblock" }, "soft_bounce", null],
    [{ event: "failed", severity: "permanent", reason: "old", "delivery-status": { code: 602 } }, "soft_bounce", "602"],
    [
      { event: "failed", severity: "permanent", reason: "generic", "delivery-status": { code: 552 } },
      "soft_bounce",
      "552",
    ],
    [{ event: "failed", severity: "temporary", "delivery-status": { code: "4.2.2" } }, "soft_bounce", "4.2.2"],
    [
      {
        event: "failed",
        severity: "permanent",
        reason: "generic",
        "delivery-status": { code: 550, "bounce-code": "5.0.0", message: "smtp; 550 Address unknown" },
      },
      "hard_bounce",
      "550",
    ],
    [
      {
        event: "failed",
        severity: "permanent",
        reason: "generic",
        "delivery-status": { code: 550, message: "5.7.1 client [192.0.2.1] blocked using Spamhaus" },
      },
      "soft_bounce",
      "550",
    ],
    [
      {
        event: "failed",
        severity: "permanent",
        reason: "bounce",
        "delivery-status": { code: 554, message: "", description: "Your message was rejected as spam" },
      },
      "soft_bounce",
      "554",
    ],
    [{ event: "failed", severity: "permanent", reason: "greylisted" }, "soft_bounce", null],
    [{ event: "delivered" }, "delivered", null],
    [{ event: "opened", "client-info": { bot: "" } }, "opened", null],
    [{ event: "clicked" }, "clicked", null],
    [{ event: "complained" }, "spam_complaint", null],
    [{ event: "unsubscribed" }, "unsubscribe", null],
  ])("%j is %s", async (more, kind, code) => {
    expect(await read(signer.post(event(more), NOW))).toMatchObject({
      events: [{ email: "a@mailbox.test", kind, id: "m1", at: 1_793_697_300_250, code }],
      ignored: 0,
    })
  })

  test.each([
    [{ event: "accepted" }],
    [{ event: "stored" }],
    [{ event: "failed", severity: "permanent", reason: "suppress-unsubscribe" }],
    [{ event: "failed", severity: "permanent", reason: "suppress-complaint" }],
    [{ event: "opened", "client-info": { bot: "apple" } }],
  ])("%j is ignored, and its token is bound to it", async (more) => {
    expect(await read(signer.post(event(more), NOW))).toMatchObject({
      events: [],
      ignored: 1,
      unreadable: 0,
      token: expect.anything(),
    })
  })

  test.each([
    [{ event: "delivered", recipient: null }],
    [{ event: "delivered", recipient: [] }],
    [{ event: "delivered", id: {} }],
    [{ event: null }],
    [{}],
  ])("%j is unreadable", async (more) => {
    expect(await read(signer.post(event(more), NOW))).toMatchObject({ events: [], ignored: 0, unreadable: 1 })
  })

  test("a token identifies its event by id, recipient and kind, not by its other fields", async () => {
    const eventOf = async (more: object) => {
      const inbound = await read(signer.post(event({ event: "opened", ...more }), NOW))
      return inbound.kind === "events" ? inbound.token?.event : null
    }
    expect(await eventOf({ tags: ["a"], timestamp: 1 })).toBe(await eventOf({}))
    const others = [{ id: "m2" }, { recipient: "b@mailbox.test" }, { event: "clicked" }, { event: "stored" }]
    for (const other of others) expect(await eventOf(other)).not.toBe(await eventOf({}))
  })

  test.each([[null], [[]], [{}], ["text"], [7], [true], [{ timestamp: "1", token: null }]])(
    "an unusable parent-signature changes nothing: %j",
    async (parent) => {
      const signature = { ...signer.signature(NOW), "parent-signature": parent }
      const body = JSON.stringify({ signature, "event-data": delivered })
      expect(await read({ body, headers: {} })).toMatchObject({ events: [{ kind: "delivered" }] })
    },
  )
})
