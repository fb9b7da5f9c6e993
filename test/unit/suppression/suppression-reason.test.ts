import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { detailColumns } from "../../../src/domain/suppression/suppression-columns.ts"
import { readReason } from "../../../src/domain/suppression/suppression-reason.ts"

const reasonOf = (...cells: string[]) => readReason(cells).reason

const WORDS = {
  hard_bounce:
    "hard_bounce|Hard bounce|Hard bounced|hard-bounce|HardBounce|HARDBOUNCE|hardbounced|bounce|Bounced|BOUNCE|bounces|bouncing|Bounce Rule|" +
    "Permanent|Permanent bounce|permanently bounced|invalid|Invalid email|invalid_address|undeliverable|cleaned|Rejected|failed|" +
    "Permanent failure|bounce_hard|Hard bounce (550)|Bounced address|Repeat bounce|Rebote duro|Bounce - Hard|Ungültig",
  soft_bounce:
    "soft_bounce|Soft bounce|Soft-Bounced|SoftBounce|bounce_soft|Transient|temporary|Temporary failure|deferred|blocked|block|Blocks|" +
    "Undetermined|MailboxFull|Mailbox full|delayed",
  spam_complaint:
    "spam_complaint|Spam complaint|SpamComplaint|spam complaints|complaint|COMPLAINT|complained|spam|Spam report|spam_reports|" +
    "spamreport|abuse|Abuse complaint|Marked as spam|contactFlaggedAsSpam|reported spam|Spam Reporting Address|Feedback loop|Junk|Beschwerde",
  unsubscribe:
    "unsubscribe|Unsubscribed|UNSUBSCRIBED|unsubscribes|unsub|un-subscribed|opt-out|Opt out|opted_out|OptOut|optout|opted-out|" +
    "List Unsubscribe|list-unsubscribe|Unsubscribe Link|Unsubscribed via email|unsubscribedViaEmail|unsubscribedViaApi|" +
    "Global unsubscribe|group_unsubscribe|One-click unsubscribe|Unsubscribed by contact|manual unsubscribe|Do not contact|" +
    "Abgemeldet|Désabonné",
  manual:
    "manual|Manual|MANUAL|ManualSuppression|manually added|Manually suppressed|Suppressed|User Suppressed|admin|adminBlocked|" +
    "Blocked by admin|custom|blacklisted|Black-listed|blocklist",
} as const

describe("words of providers' exports", () => {
  test.each(Object.entries(WORDS))("%s", (reason, words) => {
    const others = words.split("|").filter((word) => reasonOf(word) !== reason)
    expect(others).toEqual([])
    expect(words.split("|").filter((word) => readReason([word]).note !== null)).toEqual([])
  })

  test("letter case, signs and spaces around them do not count", () => {
    const known = fc.constantFrom(
      ...Object.entries(WORDS).flatMap(([reason, words]) => words.split("|").map((word) => [reason, word])),
    )
    const signs = fc.constantFrom("", " ", "  ", "\t", ".", "-", "'")
    fc.assert(
      fc.property(known, signs, signs, fc.boolean(), ([reason, word], before, after, isUpper) => {
        const spaced = word!.replace(/[ _-]/g, () => "_")
        const given = isUpper && !/\p{Ll}\p{Lu}/u.test(spaced) ? spaced.toUpperCase() : spaced
        expect(reasonOf(`${before}${given}${after}`)).toBe(reason)
      }),
    )
  })
})

test.each([
  ["550 5.1.1 no mailbox by this name", "hard_bounce"],
  ["550-5.1.1 The email account that you tried to reach does not exist", "hard_bounce"],
  ["smtp; 550 5.1.1 <a@b.test>: Recipient address rejected: User unknown", "hard_bounce"],
  ["5.1.1", "hard_bounce"],
  ["550", "hard_bounce"],
  ["452 4.2.2 mailbox full", "soft_bounce"],
  ["552 5.2.2 The email account that you tried to reach is over quota", "soft_bounce"],
  ["421 4.7.0 try again later", "soft_bounce"],
  ["The host said: 550 5.1.1 User unknown", "hard_bounce"],
  ["No such mailbox here", "hard_bounce"],
  ["The mailbox is full", "soft_bounce"],
  ["Unknown user", "hard_bounce"],
  ["User over quota", "soft_bounce"],
  ["UNKNOWN_USER", "hard_bounce"],
  ["mailbox_does_not_exist", "hard_bounce"],
  ["UserUnknown", "hard_bounce"],
])("a mail server's reply is judged by the rules for bounces, and is the note: %s", (text, reason) => {
  expect(readReason([text])).toEqual({ reason, note: text, unknown: null })
})

test.each([
  "asked by phone",
  "GDPR request of March",
  "Customer moved to a competitor",
  "not unsubscribed",
  "never complained",
  "legacy list",
  "12345",
  "active",
  "Spam trap suspected by our consultant",
  "blocked by the sales team of 500 people",
  "unknown",
  "x".repeat(5_000),
])("another text is a note, and its reason is unknown: %s", (text) => {
  expect(readReason([text])).toEqual({ reason: null, note: text, unknown: text })
})

test.each(["", " ", "-", "n/a", "NULL", "none"])("an empty cell says nothing: %j", (text) => {
  expect(readReason([text])).toEqual({ reason: null, note: null, unknown: null })
})

test.each([
  [["Bounced", "Soft"], "soft_bounce", null],
  [["bounce", "552 5.2.2 mailbox full"], "soft_bounce", "552 5.2.2 mailbox full"],
  [["Hard bounce", "552 5.2.2 mailbox full"], "hard_bounce", "552 5.2.2 mailbox full"],
  [["550 5.1.1 no mailbox", "5.1.1"], "hard_bounce", "550 5.1.1 no mailbox"],
  [["No such mailbox", "550"], "hard_bounce", "550 No such mailbox"],
  [["HardBounce: 552 5.2.2 mailbox full"], "hard_bounce", "HardBounce: 552 5.2.2 mailbox full"],
  [["Permanent", "General"], "hard_bounce", "General"],
  [["lost contact", "spam"], "spam_complaint", "lost contact"],
  [["lost contact", "lost contact"], null, "lost contact"],
])("several cells: %j", (cells, reason, note) => {
  expect(readReason(cells)).toMatchObject({ reason, note })
})

test("no text takes longer than its length allows, and each has a reason, a note or nothing", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("bounce", "550", "")), { maxLength: 4 }),
      (cells) => {
        const { reason, note, unknown } = readReason(cells)
        if (cells.some((cell) => /\p{L}|[1-9]/u.test(cell) && !/^\W*(?:n\/?a|none|null|nil)\W*$/i.test(cell)))
          expect(reason ?? note).not.toBeNull()
        if (unknown !== null) expect([reason, note?.includes(unknown)]).toEqual([null, true])
      },
    ),
  )
})

test.each([
  ["status,reason,email,created", { reasons: [1, 0], created: 3 }],
  ["EmailAddress,Reason,LastUpdateTime", { reasons: [1], created: 2 }],
  ["EmailAddress,SuppressionReason,Origin,CreatedAt", { reasons: [1], created: 3 }],
  ["address,code,error,created_at", { reasons: [2, 1], created: 3 }],
  ["Email;Bounce Type;Bounce Classification;Timestamp", { reasons: [1, 2], created: 3 }, ";"],
  [
    "email,reason,source,suppressed_at,expires_at,domain,note",
    { reasons: [1], source: 2, created: 3, moment: 4, note: 6 },
  ],
  ["Email,Reason,Created (UTC),Suppression Source", { reasons: [1], created: 2, source: 3 }],
  ["email,Unsubscribe reason,Date", { reasons: [1], flags: [], titled: [{ at: 1, reason: "unsubscribe" }] }],
  ["email,expires_in_days,Expiry date", { reasons: [], days: 1, moment: 2 }],
  [
    "Email,Unsubscribed from all email,Hard bounced",
    {
      flags: [
        { at: 1, reason: "unsubscribe" },
        { at: 2, reason: "hard_bounce" },
      ],
    },
  ],
  ["Email Address,UNSUB_TIME,First name", { created: 1, flags: [{ at: 1, reason: "unsubscribe" }] }],
])("the columns of %s", (header, columns, delimiter = ",") => {
  expect(detailColumns(header.split(delimiter))).toMatchObject(columns)
})
