import { describe, expect, test } from "vitest"
import { readReplies } from "../../../scripts/bench/verdicts/labelled-replies.ts"
import { permanentBounce, undeclaredBounce } from "../../../src/domain/suppression/bounce.ts"

describe("a bounce that its provider calls permanent", () => {
  test.each([
    "smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try",
    "5.0.0 X-Postfix; unknown user",
    "500 unknown recipient",
    "550 5.2.1 The email account that you tried to reach is inactive",
    "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)",
    "smtp; 550 5.4.1 All recipient addresses rejected : Access denied. AS(201806271)",
    "550 5.4.4 Host or domain name not found. Name service error for name=nowhere.test type=A: Host not found",
    "5.4.4 smtp; 550 5.4.4 Invalid domain",
    "smtp; 5.1.0 - Unknown address error 550-'5.1.1 user unknown' (delivery attempts: 0)",
    "550 5.1.2 No MX for nowhere.test",
    // For an unknown text, a bare code or neither, the provider's classification holds.
    "550 bu kutu artik yok",
    "550",
    "5.1.1",
    "602",
    "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
    "",
  ])("is a missing mailbox: %j", (said) => {
    expect(permanentBounce(said)).toBe("hard_bounce")
  })

  test.each([
    "550 5.7.1 Service unavailable; client [192.0.2.1] blocked using Spamhaus",
    "550 5.7.26 This mail is unauthenticated, which poses a security risk to the sender and Gmail users",
    "smtp;554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation",
    "554 5.7.1 Message rejected due to content restrictions",
    "5.7.1 550 delivery not authorized",
    "550 relay not permitted",
    "552 5.2.2 The email account that you tried to reach is over quota",
    "552",
    "5.2.2",
    "4.0.0",
    "smtp; 550 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.0 Unable to lookup DNS for a.test>",
    "554 5.4.14 Hop count exceeded - possible mail loop",
    "550 maximum allowed line length is 998 octets, got 1203",
  ])("concerns the sender, the message or a temporary state: %j", (said) => {
    expect(permanentBounce(said)).toBe("soft_bounce")
  })
})

/** Ways to write a history of two replies. */
const HISTORIES: readonly (readonly [string, (first: string, last: string) => string])[] = [
  ["separated by semicolons", (first, last) => `smtp; ${first}; ${last}`],
  ["without spaces", (first, last) => `smtp;${first};${last}`],
  ["separated by bars", (first, last) => `${first} | ${last}`],
  ["by lines", (first, last) => `${first}\n${last}`],
  ["by lines of mail", (first, last) => `${first}\r\n${last}\r\n`],
  ["in brackets", (first, last) => `delivery failed <${first}> <${last}>`],
  ["with attempts", (first, last) => `Attempt 1: ${first}; Attempt 2: ${last}`],
  ["with attempts on lines", (first, last) => `attempt #1: ${first}\nattempt #2: ${last}`],
  ["with hosts", (first, last) => `host a.test[192.0.2.1]:25 said: ${first}; host b.test[192.0.2.2]:25 said: ${last}`],
]
const TEMPORARY = [
  "421 4.7.0 try again later",
  "421 timeout",
  "451 4.7.1 Greylisted, try again in 300 seconds",
  "450 4.2.2 mailbox full",
  "421 4.4.2 Connection dropped",
  "451 Too many recipients (limit: 500)",
]
const FINAL: readonly (readonly ["hard_bounce" | "soft_bounce", string])[] = [
  ["hard_bounce", "550 5.1.1 user unknown"],
  ["hard_bounce", "550 5.1.1 <a@d0301.test>: User unknown"],
  ["hard_bounce", "550-5.1.1 The email account that you tried to reach does not exist. 550 5.1.1 https://mail.test"],
  ["hard_bounce", "550 5.2.1 The email account that you tried to reach is inactive"],
  ["hard_bounce", "550 no such user (session 421, port 587, id 554-1)"],
  ["soft_bounce", "550 5.7.1 Service unavailable; client [192.0.2.1] blocked using Spamhaus"],
  ["soft_bounce", "552 5.2.2 The email account that you tried to reach is over quota"],
  ["soft_bounce", "554 5.4.7 exceeded max time without delivery"],
]

describe.each(HISTORIES)("of a history %s, the last permanent reply decides", (_, history) => {
  test.each(FINAL)("%s: %j", (kind, final) => {
    for (const temporary of TEMPORARY)
      for (const said of [history(temporary, final), history(final, temporary)])
        expect([said, permanentBounce(said)]).toEqual([said, kind])
  })

  test("also after the status", () => {
    for (const temporary of TEMPORARY)
      for (const said of [history(temporary, "550 5.1.1 unknown"), history("550 5.1.1 unknown", temporary)])
        expect([said, permanentBounce(`5.1.1 ${said}`)]).toEqual([said, "hard_bounce"])
  })
})

test("a real permanent reply means the same alone and in a history", () => {
  const replies = readReplies("replies.tsv").filter(({ line }) => /^5\d\d[ -]/.test(line))
  expect(replies.length).toBeGreaterThan(300)
  const changed = replies.filter(
    ({ line }) =>
      new Set(
        [
          line,
          `421 4.7.0 try again later; ${line}`,
          `451 4.7.1 greylisted\n${line}`,
          `Attempt 1: 421 timeout | Attempt 2: ${line}`,
          `${line}; 421 4.4.2 connection dropped`,
        ].map(permanentBounce),
      ).size > 1,
  )
  expect(changed.map(({ line }) => line)).toEqual([])
})

describe("the status", () => {
  test.each([
    ["hard_bounce", "5.1.1 smtp; 421 4.7.0 try again later; 550 5.1.1 user unknown"],
    ["hard_bounce", "5.1.1 smtp; 451 4.7.1 Greylisted; 550 5.1.1 <a@d0301.test>: User unknown"],
    ["hard_bounce", "5.1.1 smtp; Attempt 1: 421 timeout; Attempt 2: 550 5.1.1 does not exist"],
    ["hard_bounce", "5.1.1 smtp; 4.7.0 try again later; 5.1.1 user unknown"],
    ["soft_bounce", "4.7.1 smtp; 550 5.1.1 user unknown; 451 4.7.1 greylisted"],
    ["soft_bounce", "5.0.0 smtp; 451 4.7.1 greylisted; 421 timeout"],
    // Two permanent replies: the last one decides.
    ["hard_bounce", "5.1.1 smtp; 550 5.7.1 blocked using Spamhaus; 550 5.1.1 user unknown"],
    ["soft_bounce", "5.7.1 smtp; 550 5.1.1 user unknown; 550 5.7.1 blocked using Spamhaus"],
    // A code without words repeats what was said before.
    ["soft_bounce", "550 5.7.1 blocked using Spamhaus; 550"],
    // Delivery time expired (RFC 3463 section 3.5).
    ["soft_bounce", "5.4.7 smtp; 554 5.4.7 exceeded max time without delivery"],
    ["soft_bounce", "5.4.7"],
    ["soft_bounce", "4.4.7 smtp; 421 timeout"],
    ["soft_bounce", "5.4.7 smtp; delivery given up"],
    ["soft_bounce", "554 5.4.7 (gave up)"],
    ["soft_bounce", "5.4.7 smtp; 421 4.4.1 connection timed out; 554 5.4.7 given up"],
  ])("%s: %j", (kind, said) => {
    expect(permanentBounce(said)).toBe(kind)
  })
})

describe("a history in another form", () => {
  test.each([
    ["hard_bounce", "5.0.0 smtp; 451 4.3.0 temporary failure; 550 5.1.1 no such user"],
    ["hard_bounce", "5.1.10 smtp; 421 4.4.2 x; 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found"],
    ["hard_bounce", "5.2.1 smtp; 450 4.2.1 rate limited; 550 5.2.1 account disabled"],
    ["soft_bounce", "4.4.7 smtp; 421 4.4.2 timeout; 554 5.4.7 expired"],
    ["soft_bounce", "5.2.2 smtp; 452 4.2.2 full; 552 5.2.2 over quota"],
    ["soft_bounce", "5.7.1 smtp; 421 later; 550 5.7.1 blocked by policy"],
    ["soft_bounce", "5.4.7 smtp; delivery time expired"],
    ["soft_bounce", "5.4.7 smtp; 550 4.4.7 queue expired"],
    ["soft_bounce", "4.4.7 smtp; 421 4.7.0 x; 421 4.7.0 y"],
    ["soft_bounce", "5.4.7 smtp; 421 4.7.0 x; 450 4.2.1 z"],
    ["hard_bounce", "5.1.1 Try 1 -> 421 4.7.0 later; Try 2 -> 550 5.1.1 user unknown"],
    ["hard_bounce", "5.1.1 smtp; [421 later] [550 user unknown]"],
    ["hard_bounce", "5.1.1 smtp; 2026-01-01 10:00 421 later, 2026-01-02 550 5.1.1 unknown"],
    ["hard_bounce", '["421 4.7.0 later","550 5.1.1 unknown"]'],
    ["hard_bounce", "5.1.1 smtp; 421 4.7.0 try again later / 550 5.1.1 user unknown"],
    ["hard_bounce", "5.1.1 smtp; 421 4.7.0 try again later/550 5.1.1 user unknown"],
    ["hard_bounce", "421 4.7.0 try again later --550 5.1.1 user unknown"],
    ["hard_bounce", "421 4.7.0 try again later, 550 no such user"],
    ["hard_bounce", "SMTP error 421 greylisted then SMTP error 550 no such user"],
    ["hard_bounce", "5.1.1 (bad destination mailbox address)"],
    [
      "hard_bounce",
      "smtp; 451 4.7.1 Greylisting in action, please come back in 00:04:59\nsmtp; 550 5.1.1 <a@d0301.test>: Recipient address rejected: User unknown in virtual mailbox table",
    ],
    ["hard_bounce", "550 451 4.7.1 Greylisted; 550 5.1.1 User unknown"],
    ["hard_bounce", "550 5.1.1 451 4.7.1 Greylisted; 550 5.1.1 User unknown"],
    ["soft_bounce", "550 5.7.1 451 4.7.1 Greylisted; 550 5.7.1 Message rejected as spam"],
    ["hard_bounce", "Attempt 2: 550 5.1.1 no such user. Attempt 1: 421 4.7.0 busy"],
    ["hard_bounce", "Delivery attempted on 2026-11-21: 450 4.2.0 busy. Final: 550 5.1.1 no such user"],
    [
      "hard_bounce",
      "5.1.1 smtp; 421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints - 4.16.55.1; see https://x.test/ ; 554 5.1.1 delivery error: dd This user doesn't have a yahoo.com account",
    ],
    ["hard_bounce", "421 timeout after 550 seconds on port 25; 550 5.1.1 no mailbox (id 421)"],
    ["soft_bounce", "421 timeout after 550 seconds on port 25"],
    ["soft_bounce", "5.0.0 smtp; 421 4.4.1 connection to mx.d0301.test:587 timed out"],
    [
      "hard_bounce",
      "5.1.1 smtp;421 4.7.0 Try later;550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address 550 5.1.1 https://support.google.com/mail/?p=NoSuchUser a1-20020a05si554421pjb.550 - gsmtp",
    ],
    [
      "hard_bounce",
      "Host or domain name not found. Name service error for name=d0301.test type=MX: Host not found; 421 x; 550 5.1.2 host not found",
    ],
    ["soft_bounce", "554 5.4.7 [internal] exceeded max time without delivery"],
    ["soft_bounce", "554 5.4.7 delivery expired (message too old) 'timeout' (delivery attempts: 21)"],
    ["soft_bounce", "smtp;554 5.4.7 exceeded max time; 421 4.7.0 later"],
    ["hard_bounce", "450-4.2.1 later 450 4.2.1 later 550-5.1.1 gone 550 5.1.1 gone"],
    ["soft_bounce", "550 5.1.1 user unknown; 552 5.2.2 mailbox full"],
    ["hard_bounce", "552 5.2.2 mailbox full; 550 5.1.1 user unknown"],
    ["hard_bounce", "\u2022 421 4.7.0 busy \u2022 550 5.1.1 unknown user"],
    ["hard_bounce", "421 4.7.0 busy\t550 5.1.1 unknown user"],
    ["hard_bounce", "421 4.7.0 busy => 550 5.1.1 unknown user"],
    ["hard_bounce", "421 busy => 550 unknown user"],
    ["hard_bounce", "5.1.1 421 busy 550 unknown user"],
    ["hard_bounce", "421 busy 550 unknown user"],
    ["soft_bounce", "421 busy, rate 512 exceeded"],
    ["soft_bounce", "5.0.0 451 greylisted, tried 511 hosts"],
    ["soft_bounce", "421 later 550 blocked using Spamhaus"],
  ])("%s: %j", (kind, said) => {
    expect(permanentBounce(said)).toBe(kind)
  })
})

test("the last reply of a long history is read", () => {
  const said = `5.1.1 smtp; ${"421 4.7.0 try again later; ".repeat(200)}550 5.1.1 user unknown`
  expect(permanentBounce(said)).toBe("hard_bounce")
})

test("one reply after a long report is read", () => {
  expect(permanentBounce(`${"The mail was tried. ".repeat(200)} 550 5.7.1 blocked using Spamhaus`)).toBe("soft_bounce")
  expect(permanentBounce(`${"The mail was tried. ".repeat(200)} 550 5.1.1 user unknown`)).toBe("hard_bounce")
})

describe("a reply that quotes another host's reply", () => {
  test.each([
    ["soft_bounce", "550 Sender verify failed for <us@d0302.test>: host mx.d0302.test said: 550 5.1.1 user unknown"],
    [
      "soft_bounce",
      "550-Verification failed for <us@d0302.test>\n550-Called: 192.0.2.1\n550-Response: 550 no such user\n550 Sender verify failed",
    ],
    ["hard_bounce", "550 5.1.1 <a@d0301.test>: rejected: host 127.0.0.1 said: 554 5.7.1 recipient verify failed"],
    ["hard_bounce", "450 4.1.1 <a@d0301.test>: unverified address: host mx.test said: 550 5.1.1 user unknown"],
  ])("is one reply, %s: %j", (kind, said) => {
    expect(permanentBounce(said)).toBe(kind)
  })
})

describe("a bounce that is called neither permanent nor temporary", () => {
  test.each([
    ["hard_bounce", "5.1.1 smtp; 550 5.1.1 user unknown"],
    ["hard_bounce", "550 5.2.1 The email account that you tried to reach is inactive"],
    ["soft_bounce", "550 5.7.1 blocked using Spamhaus"],
    ["soft_bounce", "451 4.7.1 greylisted"],
    ["soft_bounce", "550"],
    ["soft_bounce", "5.4.7"],
    ["soft_bounce", "something went wrong"],
    ["soft_bounce", ""],
  ])("is %s only by a reply about the mailbox: %j", (kind, said) => {
    expect(undeclaredBounce(said)).toBe(kind)
  })
})
