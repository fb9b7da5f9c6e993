import { describe, expect, test } from "vitest"
import { readQuotedReplies } from "../../../src/domain/suppression/bounce.ts"

const codesIn = (said: string) => readQuotedReplies(said).map(({ code, enhanced }) => [code, enhanced])

describe("the replies that a text quotes", () => {
  test.each<[string, (number | string | null)[][]]>([
    [
      "5.1.1 smtp; 421 4.7.0 try again later; 550 5.1.1 user unknown",
      [
        [421, "4.7.0"],
        [550, "5.1.1"],
      ],
    ],
    [
      "421 try later | 550 no such user",
      [
        [421, null],
        [550, null],
      ],
    ],
    [
      "421 try later\r\n550 5.1.1 no such user\r\n",
      [
        [421, null],
        [550, "5.1.1"],
      ],
    ],
    [
      "Attempt 1: 421 timeout; Attempt 2: 550 unknown; Attempt: 451 later",
      [
        [421, null],
        [550, null],
        [451, null],
      ],
    ],
    ["smtp;550 user unknown", [[550, null]]],
    ["smtp; 550-5.1.1 No such user here. 550-5.1.1 Try 550 5.1.1 https://mail.example", [[550, "5.1.1"]]],
    ["550 5.7.1 Our system has 550 5.7.1 refused this mail", [[550, "5.7.1"]]],
    ["550-mailbox\n550-is\n550 gone", [[550, null]]],
    [
      "550 5.1.1 first; 550 5.1.1 second",
      [
        [550, "5.1.1"],
        [550, "5.1.1"],
      ],
    ],
    ["host mx.test[192.0.2.1]:25 said: 550 5.1.1 unknown (in reply to RCPT TO)", [[550, "5.1.1"]]],
    ["host mx.test said <450 4.2.1 busy>", [[450, "4.2.1"]]],
    ["#550 5.1.1 RESOLVER.ADR.RecipNotFound", [[550, "5.1.1"]]],
    ["failed (550)", [[550, null]]],
    [
      "the host gave 451 first and 550 later",
      [
        [451, null],
        [550, null],
      ],
    ],
    ["550 User unknown", [[550, null]]],
    ["550 Messages from this host are refused", [[550, null]]],
    [
      "5.1.1 smtp; 4.7.0 later; 5.1.1 unknown",
      [
        [550, "5.1.1"],
        [450, "4.7.0"],
        [550, "5.1.1"],
      ],
    ],
    ["", []],
    ["no code at all", []],
  ])("%j", (said, codes) => {
    expect(codesIn(said)).toEqual(codes)
  })

  test.each([
    "(port 465 refused)",
    "mx.test:587: connection refused",
    "port 550",
    "id: 550",
    "id=551, session 421",
    "request-550",
    "a 550-123456 b",
    "waited 450 seconds",
    "waited: 450 minutes",
    "in 500 ms",
    "line 512 is too long",
    "maximum 512 characters",
    "limit: 500 recipients",
    "(500 messages an hour)",
    "1,500 recipients",
    "years 1998 and 2026",
    "192.0.2.1 [198.51.100.42 421]",
    "rfc5321 4500 5500",
    "at 12:00:00.450 +0500",
    "HTTP 502",
    "more than 550",
    "a@550.test 550@a.test",
  ])("numbers in %j are no codes", (noise) => {
    expect(codesIn(noise)).toEqual([])
    expect(codesIn(`451 4.7.1 later; 550 5.1.1 user unknown, ${noise}`)).toEqual([
      [451, "4.7.1"],
      [550, "5.1.1"],
    ])
  })

  test("each reply has its own words", () => {
    expect(readQuotedReplies("5.1.1 smtp; 421 4.7.0 try later; attempt 2: 550 gone").map(({ text }) => text)).toEqual([
      "421 4.7.0 try later",
      "550 gone",
    ])
  })
})
