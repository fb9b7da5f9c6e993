import { describe, expect, test } from "vitest"
import { permanentBounce } from "../../../src/domain/feedback/bounce.ts"

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
