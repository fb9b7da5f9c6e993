import { describe, expect, test } from "vitest"
import { postmark } from "../../../src/adapters/suppression/postmark.ts"
import { asRequest, type Posted, postmarkPost } from "../../support/providers/inbound-signers.ts"

const NOW = Date.UTC(2026, 10, 21, 12)
const SECRET = "hook:0123456789abcdef:more"
const read = (posted: Posted, secret = SECRET) => postmark.read(asRequest(posted, NOW), secret)
/** The bounce in Postmark's documentation. */
const BOUNCE = {
  RecordType: "Bounce",
  ID: 692560173,
  Type: "HardBounce",
  TypeCode: 1,
  Name: "Hard bounce",
  Tag: "Test",
  MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
  ServerID: 23,
  Description: "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
  Details: "Test bounce details",
  Email: "john@example.com",
  From: "sender@example.com",
  BouncedAt: "2026-11-05T16:33:54.9070259Z",
  Inactive: true,
}

describe("authentication", () => {
  test("accepts the user and password of the URL", async () => {
    expect(await read(postmarkPost(BOUNCE, SECRET))).toMatchObject({ kind: "events" })
  })

  test.each<[string, Posted, string]>([
    ["another password", postmarkPost(BOUNCE, "hook:0123456789abcdef"), "bad_signature"],
    ["another user", postmarkPost(BOUNCE, "Hook:0123456789abcdef:more"), "bad_signature"],
    ["no password", { body: JSON.stringify(BOUNCE), headers: {} }, "no_signature"],
    ["a bearer", { body: JSON.stringify(BOUNCE), headers: { authorization: "Bearer x" } }, "no_signature"],
  ])("%s is refused", async (_, posted, why) => {
    expect(await read(posted)).toEqual({ kind: "refused", why })
  })

  test("without a secret no request is accepted", async () => {
    expect(await read(postmarkPost(BOUNCE, ""), "")).toEqual({ kind: "refused", why: "no_secret" })
    for (const secret of ["", "user", "user:", ":0123456789abcdef", "user:short"])
      expect(await postmark.isUsable(secret), secret).toBe(false)
    expect(await postmark.isUsable(SECRET)).toBe(true)
  })
})

describe("events", () => {
  test.each([
    [BOUNCE, "hard_bounce", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [{ ...BOUNCE, TypeCode: 100_000 }, "hard_bounce", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [{ ...BOUNCE, TypeCode: 4_096 }, "soft_bounce", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [{ ...BOUNCE, TypeCode: 100_006 }, "soft_bounce", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [
      { ...BOUNCE, Details: "smtp;550 5.7.1 Service unavailable; client [192.0.2.1] blocked using Spamhaus" },
      "soft_bounce",
      "john@example.com",
      "2026-11-05T16:33:54.907Z",
    ],
    [{ ...BOUNCE, TypeCode: 100_009 }, "soft_bounce", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [{ ...BOUNCE, TypeCode: 512 }, "soft_bounce", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [{ ...BOUNCE, TypeCode: 16 }, "unsubscribe", "john@example.com", "2026-11-05T16:33:54.907Z"],
    [
      { RecordType: "Delivery", MessageID: "m", Recipient: "a@b.test", DeliveredAt: "2026-11-05T16:33:54Z" },
      "delivered",
      "a@b.test",
      "2026-11-05T16:33:54.000Z",
    ],
    [
      { RecordType: "Open", MessageID: "m", Recipient: "a@b.test", ReceivedAt: "2026-11-05T16:33:54.9070259Z" },
      "opened",
      "a@b.test",
      "2026-11-05T16:33:54.907Z",
    ],
    [{ RecordType: "Click", MessageID: "m", Recipient: "a@b.test" }, "clicked", "a@b.test", null],
    [{ RecordType: "SpamComplaint", ID: 42, Email: "a@b.test" }, "spam_complaint", "a@b.test", null],
    [
      {
        RecordType: "SubscriptionChange",
        MessageID: "m",
        Recipient: "a@b.test",
        SuppressSending: true,
        SuppressionReason: "ManualSuppression",
      },
      "unsubscribe",
      "a@b.test",
      null,
    ],
    [
      {
        RecordType: "SubscriptionChange",
        MessageID: "m",
        Recipient: "a@b.test",
        Origin: "Recipient",
        SuppressSending: true,
        SuppressionReason: "HardBounce",
        ChangedAt: "2026-11-05T16:33:54Z",
      },
      "hard_bounce",
      "a@b.test",
      "2026-11-05T16:33:54.000Z",
    ],
  ])("%j", async (event, kind, email, at) => {
    const inbound = await read(postmarkPost(event, SECRET))
    expect(inbound).toMatchObject({ events: [{ kind, email, at: at === null ? null : Date.parse(at) }] })
  })

  test.each([
    [{ ...BOUNCE, TypeCode: 64 }],
    // Caused by the sender: a manually disabled address, its own webhook, its own template.
    [{ ...BOUNCE, TypeCode: 100_002 }],
    [{ ...BOUNCE, TypeCode: 100_008 }],
    [{ ...BOUNCE, TypeCode: 100_010 }],
    [
      {
        RecordType: "SubscriptionChange",
        MessageID: "m",
        Recipient: "a@b.test",
        Origin: "Customer",
        SuppressSending: true,
        SuppressionReason: "ManualSuppression",
      },
    ],
    [{ RecordType: "SubscriptionChange", MessageID: "m", Recipient: "a@b.test", SuppressSending: false }],
    [
      {
        RecordType: "SubscriptionChange",
        MessageID: "m",
        Recipient: "a@b.test",
        SuppressSending: true,
        SuppressionReason: "SpamComplaint",
      },
    ],
    [
      {
        RecordType: "SubscriptionChange",
        MessageID: "m",
        Recipient: "a@b.test",
        Origin: "Admin",
        SuppressSending: true,
        SuppressionReason: "HardBounce",
      },
    ],
    [{ RecordType: "Inbound" }],
  ])("%j is ignored", async (event) => {
    expect(await read(postmarkPost(event, SECRET))).toMatchObject({ events: [], ignored: 1, unreadable: 0 })
  })

  test.each([
    [{ ...BOUNCE, Email: undefined }],
    [{ ...BOUNCE, Email: null }],
    [{ ...BOUNCE, ID: undefined, MessageID: undefined }],
    [{ ...BOUNCE, ID: null, MessageID: [] }],
    [{ ...BOUNCE, RecordType: null }],
    [{}],
    [[]],
  ])("%j is unreadable", async (event) => {
    expect(await read(postmarkPost(event, SECRET))).toMatchObject({ events: [], ignored: 0, unreadable: 1 })
  })

  test.each([
    [{ TypeCode: null }, "hard_bounce"],
    [{ TypeCode: "1" }, "hard_bounce"],
    [{ TypeCode: null, Type: null }, "soft_bounce"],
    [{ TypeCode: null, Type: null, Details: "smtp;550 5.1.1 user unknown" }, "hard_bounce"],
    [{ TypeCode: [], Type: "SoftBounce" }, "soft_bounce"],
    [{ TypeCode: {}, Type: "SpamComplaint" }, "spam_complaint"],
  ])("the type is read from its number, its name or the reply: %j is %s", async (more, kind) => {
    expect(await read(postmarkPost({ ...BOUNCE, ...more }, SECRET))).toMatchObject({ events: [{ kind }] })
  })

  test("a second unsubscribe after a resubscription is a new event; a repeated request is not", async () => {
    const changed = (ChangedAt: string, MessageID: string | null = "m") => {
      const kind = { RecordType: "SubscriptionChange", Origin: "Recipient", Recipient: "a@b.test" }
      return { ...kind, MessageID, ChangedAt, SuppressSending: true, SuppressionReason: "ManualSuppression" }
    }
    const idOf = async (event: object) => {
      const inbound = await read(postmarkPost(event, SECRET))
      return inbound.kind === "events" ? inbound.events[0]?.id : null
    }
    const [first, repeat, again] = [
      changed("2026-02-01T10:53:34Z"),
      changed("2026-02-01T10:53:34Z"),
      changed("2026-05-01T00:00:00Z"),
    ]
    expect(await idOf(repeat)).toBe(await idOf(first))
    expect(await idOf(again)).not.toBe(await idOf(first))
    // The message id is not always known (postmarkapp.com, "Subscription change webhook").
    expect(await idOf(changed("2026-02-01T10:53:34Z", null))).toBe("SubscriptionChange  2026-02-01T10:53:34Z")
  })

  test("two bounces whose ids are equal as JavaScript numbers stay two events", async () => {
    const ids = await Promise.all(
      ["4323372036854775806", "4323372036854775807"].map(async (id, i) => {
        const posted = postmarkPost({ ...BOUNCE, MessageID: `message-${i}` }, SECRET)
        const inbound = await read({ ...posted, body: posted.body.replace("692560173", id) })
        return inbound.kind === "events" && inbound.events[0]?.id
      }),
    )
    expect(ids).toEqual([expect.stringMatching(/^Bounce message-0 /), expect.stringMatching(/^Bounce message-1 /)])
  })

  test.each(["null", "1", "{", ""])("%j is no event", async (body) => {
    expect(await read({ ...postmarkPost({}, SECRET), body })).toEqual({ kind: "unreadable" })
  })
})
