import { describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"

/** Suppression files as other mail providers export them. `@` stands for an address of the test's own domain. */

interface Imported {
  readonly added: number
  readonly rejected: readonly { readonly row: number; readonly reason: string }[]
  readonly unknown_reasons: readonly { readonly reason: string; readonly rows: number }[]
  readonly message: string
}

interface Listed {
  readonly email: string
  readonly reason: string
  readonly note: string | null
  readonly source: string
  readonly suppressed_at: string
  readonly expires_at: string | null
}

let made = 0
const newDomain = () => `s${++made}.d8190.test`

async function importRows(key: TestKey, lines: readonly string[], query = "") {
  const sent = { method: "POST", headers: { "content-type": "text/csv" }, body: lines.join("\r\n") }
  const at = `/suppression/import${query}`
  return (await call<Imported>("POST", "/suppression/import", withKey(key, { at, ...sent }))).body
}

async function listOf(key: TestKey): Promise<ReadonlyMap<string, Listed>> {
  const { body } = await call<{ suppressions: Listed[] }>("GET", "/suppression", withKey(key))
  return new Map(body.suppressions.map((one) => [one.email.split("@")[0]!, one]))
}

type Expected = readonly [reason: string, note: string | null]

const EXPORTS: readonly (readonly [string, string, Readonly<Record<string, Expected>>])[] = [
  [
    "SendGrid, bounces",
    'status,reason,email,created\n5.1.1,"550 5.1.1 no mailbox by this name",a@,1767225600\n5.2.2,"552 5.2.2 mailbox full",b@,1767225600',
    { a: ["hard_bounce", "550 5.1.1 no mailbox by this name"], b: ["soft_bounce", "552 5.2.2 mailbox full"] },
  ],
  ["SendGrid, spam reports", "email,ip,created\na@,192.0.2.1,1767225600", { a: ["manual", null] }],
  [
    "Amazon SES",
    "EmailAddress,Reason,LastUpdateTime\na@,BOUNCE,2026-01-01T00:00:00Z\nb@,COMPLAINT,2026-01-01T00:00:00Z",
    { a: ["hard_bounce", null], b: ["spam_complaint", null] },
  ],
  [
    "Mailgun, bounces",
    'address,code,error,created_at\na@,550,No such mailbox,"Thu, 01 Jan 2026 00:00:00 GMT"\nb@,452,4.2.2 The mailbox is over quota,2026-01-01',
    { a: ["hard_bounce", "550 No such mailbox"], b: ["soft_bounce", "452 4.2.2 The mailbox is over quota"] },
  ],
  [
    "Postmark",
    "EmailAddress,SuppressionReason,Origin,CreatedAt\na@,HardBounce,Recipient,2026-01-01T00:00:00Z\nb@,SpamComplaint,Recipient,2026-01-01T00:00:00Z\nc@,ManualSuppression,Customer,2026-01-01T00:00:00Z",
    { a: ["hard_bounce", null], b: ["spam_complaint", null], c: ["manual", null] },
  ],
  [
    "Telnyx",
    "email,suppression_type,created_at\na@,hard_bounce,2026-01-01T00:00:00Z\nb@,spam-complaint,2026-01-01T00:00:00Z\nc@,Opt out,2026-01-01T00:00:00Z",
    { a: ["hard_bounce", null], b: ["spam_complaint", null], c: ["unsubscribe", null] },
  ],
  [
    "Mailchimp, unsubscribed",
    "Email Address,First Name,UNSUB_TIME,UNSUB_REASON\na@,Ann,2026-01-01 00:00:00,\nb@,Bob,2026-01-01 00:00:00,They said it was spam",
    { a: ["unsubscribe", null], b: ["unsubscribe", "They said it was spam"] },
  ],
  [
    "Brevo",
    "Email;Blocked Reason;Date\na@;Hard bounce;2026-01-01\nb@;unsubscribedViaEmail;2026-01-01\nc@;contactFlaggedAsSpam;2026-01-01\nd@;adminBlocked;2026-01-01",
    { a: ["hard_bounce", null], b: ["unsubscribe", null], c: ["spam_complaint", null], d: ["manual", null] },
  ],
  [
    "HubSpot",
    "Email,Unsubscribed from all email,Email hard bounce reason\na@,true,\nb@,false,Unknown user\nc@,,",
    { a: ["unsubscribe", null], b: ["hard_bounce", "Unknown user"], c: ["manual", null] },
  ],
  [
    "Mandrill",
    "email,reason,detail,created_at,expires_at\na@,hard-bounce,550 5.1.1 unknown,2026-01-01 00:00:00,\nb@,unsub,,2026-01-01 00:00:00,never\nc@,spam,,2026-01-01 00:00:00,null",
    { a: ["hard_bounce", "550 5.1.1 unknown"], b: ["unsubscribe", null], c: ["spam_complaint", null] },
  ],
  [
    "SparkPost",
    "recipient,type,source,description,created\na@,transactional,Bounce Rule,,2026-01-01T00:00:00Z\nb@,non_transactional,List Unsubscribe,,2026-01-01T00:00:00Z",
    { a: ["hard_bounce", "transactional"], b: ["unsubscribe", "non_transactional"] },
  ],
  [
    "bounce types with a class",
    "Email\tBounce Type\tBounce Classification\tTimestamp\na@\tPermanent\tGeneral\t1767225600\nb@\tTransient\tMailboxFull\t1767225600\nc@\tBounced\tSoft\t1767225600",
    { a: ["hard_bounce", "General"], b: ["soft_bounce", null], c: ["soft_bounce", null] },
  ],
]

describe("every row of an export becomes an entry with its reason", () => {
  test.each(EXPORTS)("%s", async (_, table, expected) => {
    const key = await newKey()
    const domain = newDomain()
    const lines = table.replaceAll(/\b([a-d])@/g, `$1@${domain}`).split("\n")
    const { added, rejected, unknown_reasons } = await importRows(key, lines)
    expect({ added, rejected, unknown_reasons }).toEqual({
      ...{ added: lines.length - 1, rejected: [], unknown_reasons: [] },
    })
    const list = await listOf(key)
    expect(Object.fromEntries([...list].map(([name, { reason, note }]) => [name, [reason, note]]))).toEqual(expected)
    if (/creat|date|time/i.test(lines[0]!))
      expect([...list.values()].map(({ suppressed_at }) => suppressed_at.slice(0, 10))).toEqual(
        lines.slice(1).map(() => "2026-01-01"),
      )
  })
})

test("unknown words are notes of entries with the chosen reason, and are counted in the answer", async () => {
  const key = await newKey()
  const domain = newDomain()
  const words = ["asked by phone", "asked by phone", "GDPR request", "Unsubscribed", ""]
  const lines = ["email,reason", ...words.map((word, n) => `u${n}@${domain},${word}`), "nobody,asked by phone"]
  const imported = await importRows(key, lines, "?reason=unsubscribe")
  expect(imported).toMatchObject({
    added: 5,
    rejected: [{ row: 7, reason: expect.stringContaining("not an address") }],
    unknown_reasons: [
      { reason: "asked by phone", rows: 2 },
      { reason: "GDPR request", rows: 1 },
    ],
    message: "5 added, 0 updated, 0 kept, 0 duplicates, 1 rejected, 2 unknown reasons",
  })
  const list = await listOf(key)
  expect([list.get("u0"), list.get("u3")]).toMatchObject([
    { reason: "unsubscribe", note: "asked by phone" },
    { reason: "unsubscribe", note: null },
  ])
  const at = `/suppression/check?email=u2@${domain}`
  expect((await call("GET", "/suppression/check", withKey(key, { at }))).body).toMatchObject({
    note: "GDPR request",
    entries: [{ note: "GDPR request" }],
  })
})

test("a column titled with a reason gives it to words without a known meaning", async () => {
  const key = await newKey()
  const domain = newDomain()
  const rows = [`a@${domain},too many mails`, `b@${domain},`, `c@${domain},spam`]
  const { unknown_reasons } = await importRows(key, ["email,Unsubscribe reason", ...rows])
  expect(unknown_reasons).toEqual([{ reason: "too many mails", rows: 1 }])
  const list = await listOf(key)
  expect(["a", "b", "c"].map((name) => list.get(name)!.reason)).toEqual(["unsubscribe", "manual", "spam_complaint"])
})

test("an export reads back to the same list, with notes and times", async () => {
  const [key, other] = [await newKey(), await newKey()]
  const domain = newDomain()
  const rows = [`a@${domain},=asked; by phone,2026-01-01,2027-01-01`, `b@${domain},550 5.1.1 unknown,2026-02-01,`]
  await importRows(key, ["email,reason,created,expires", ...rows])
  const { text } = await call("GET", "/suppression/export", withKey(key))
  expect((await importRows(other, text.split("\r\n"))).rejected).toEqual([])
  expect(await listOf(other)).toEqual(await listOf(key))
  expect((await importRows(key, text.split("\r\n"))).message).toContain("0 added, 0 updated, 2 kept")
})

test("only an unreadable address or end rejects a row", async () => {
  const key = await newKey()
  const domain = newDomain()
  const lines = [
    "email,reason,created,expires_at,expires_in_days",
    `a@${domain},???,not a date,,`,
    `b@${domain},,99999-99-99,never,-`,
    `c@${domain},manual,,soon,`,
    `d@${domain},manual,,,0`,
    `e@${domain},manual,,2001-01-01,`,
    `f@${domain},manual,2999-01-01,,3`,
  ]
  const { added, rejected } = await importRows(key, lines)
  expect([added, rejected.map(({ row }) => row)]).toEqual([3, [4, 5, 6]])
  const list = await listOf(key)
  expect(list.get("a")!.note).toBe("???")
  expect(Date.parse(list.get("f")!.suppressed_at)).toBeLessThanOrEqual(Date.now())
})
