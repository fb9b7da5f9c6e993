import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isRecipientLimit, REPLY_BOUNDS, type Reply, ReplyParser } from "../../../probe-node/smtp/reply.ts"

function parse(chunks: readonly Buffer[]): { replies: Reply[]; problem: string | null } {
  const parser = new ReplyParser()
  const replies: Reply[] = []
  for (const chunk of chunks) {
    const reused = Buffer.from(chunk)
    parser.feed(reused)
    reused.fill(0x58)
    for (let reply = parser.next(); reply; reply = parser.next()) replies.push(reply)
  }
  return { replies, problem: parser.problem }
}

/** Splits bytes at the given positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at]!, end))
}

const TABLE: readonly [
  name: string,
  input: string,
  replies: [number, string | null, string][],
  problem: RegExp | null,
][] = [
  ["a plain line", "250 ok\r\n", [[250, null, "ok"]], null],
  ["a code without text", "250\r\n", [[250, null, ""]], null],
  ["an enhanced code", "550 5.1.1 no such user\r\n", [[550, "5.1.1", "5.1.1 no such user"]], null],
  ["an enhanced code without text", "550 5.1.1\r\n", [[550, "5.1.1", "5.1.1"]], null],
  ["no enhanced code in an IP address", "554 5.1.1.7 refused\r\n", [[554, null, "5.1.1.7 refused"]], null],
  ["several lines", "250-a\r\n250-b\r\n250 c\r\n", [[250, null, "a\nb\nc"]], null],
  ["an enhanced code on the first line", "550-5.7.1 no\r\n550 see\r\n", [[550, "5.7.1", "5.7.1 no\nsee"]], null],
  ["the last line's code", "250-a\r\n451 b\r\n", [[451, null, "a\nb"]], null],
  [
    "bare line feeds",
    "220 a\n250 b\n",
    [
      [220, null, "a"],
      [250, null, "b"],
    ],
    null,
  ],
  [
    "a long text broken without codes",
    "550-5.1.1 the\r\nuser is gone\r\n550 bye\r\n",
    [[550, "5.1.1", "5.1.1 the\nuser is gone\nbye"]],
    null,
  ],
  [
    "several replies",
    "250 a\r\n550 b\r\n",
    [
      [250, null, "a"],
      [550, null, "b"],
    ],
    null,
  ],
  ["an unfinished reply", "250-a\r\n250 b", [], null],
  ["UTF-8", "550 Postfach gelöscht\r\n", [[550, null, "Postfach gelöscht"]], null],
  ["control characters", "550 a\u0000b\u001b[2J\r\n", [[550, null, "a?b?[2J"]], null],
  ["HTTP", "HTTP/1.1 400 Bad Request\r\n", [], /not an SMTP reply/],
  ["SSH", "SSH-2.0-OpenSSH_9.2\r\n", [], /not an SMTP reply/],
  ["a code out of range", "650 ok\r\n", [], /not an SMTP reply/],
  ["a hyphen missing", "250ok\r\n", [], /not an SMTP reply/],
  ["an empty line", "\r\n", [], /not an SMTP reply/],
  ["garbage after a reply", "250 ok\r\n\u0001\u0002\r\n250 b\r\n", [[250, null, "ok"]], /not an SMTP reply: \?\?/],
]

describe("reply parser", () => {
  test.each(TABLE)("reads %s", (_, input, expected, problem) => {
    const { replies, problem: found } = parse([Buffer.from(input)])
    expect(replies.map(({ code, enhanced, text }) => [code, enhanced, text])).toEqual(expected)
    if (problem) expect(found).toMatch(problem)
    else expect(found).toBeNull()
  })

  test("reads ISO 8859-1 if the text is not UTF-8", () => {
    expect(parse([Buffer.from("550 gelöscht\r\n", "latin1")]).replies[0]?.text).toBe("gelöscht")
  })

  test("truncates long text, and uses the code of the last line", () => {
    const { replies } = parse([Buffer.from(`${"550-x".padEnd(900, "y")}\r\n`.repeat(5)), Buffer.from("550 end\r\n")])
    expect(replies).toHaveLength(1)
    expect(replies[0]?.text).toHaveLength(REPLY_BOUNDS.textChars)
  })

  test.each([
    ["line", Buffer.from(`250 ${"x".repeat(REPLY_BOUNDS.lineChars)}`)],
    ["reply", Buffer.from("250-again\r\n".repeat(REPLY_BOUNDS.replyChars / 9 + 1))],
  ])("gives up on an endless %s", (what, bytes) => {
    expect(parse([bytes])).toEqual({
      replies: [],
      problem: `a ${what === "line" ? "reply line" : "reply"} does not end`,
    })
  })

  test("discards unread input", () => {
    const parser = new ReplyParser()
    parser.feed(Buffer.from("220 go ahead\r\n250-injected\r\n250 by"))
    expect(parser.next()?.code).toBe(220)
    parser.discard()
    parser.feed(Buffer.from("250 real\r\n"))
    expect(parser.next()).toMatchObject({ code: 250, text: "real" })
    expect(parser.next()).toBeNull()
  })

  const smtpish = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "250 ok\r\n",
          "250-a\r\n",
          "550 5.1.1 no\r\n",
          "\r\n",
          "\n",
          "\r",
          "25",
          "421 4.3.2 ",
          "ö",
          "x".repeat(9_000),
        ),
        fc.string(),
      ),
      { maxLength: 30 },
    )
    .map((parts) => Buffer.from(parts.join("")))

  test("chunking never changes the result", () => {
    fc.assert(
      fc.property(smtpish, fc.array(fc.nat(), { maxLength: 20 }), (bytes, places) => {
        expect(parse(cut(bytes, places))).toEqual(parse([bytes]))
      }),
    )
  })

  test("no bytes crash it, and its replies fit the protocol", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        for (const { code, text, enhanced } of parse([Buffer.from("250-"), Buffer.from(bytes)]).replies) {
          expect(code).toBeGreaterThanOrEqual(200)
          expect(code).toBeLessThan(600)
          expect(text.length).toBeLessThanOrEqual(REPLY_BOUNDS.textChars)
          expect(text.isWellFormed()).toBe(true)
          expect(enhanced ?? "5.1.1").toMatch(/^[245]\.\d{1,3}\.\d{1,3}$/)
        }
      }),
    )
  })
})

test.each([
  [452, "4.5.3", "Error", true],
  [550, "5.5.3", "Error", true],
  [250, "2.5.3", "too many recipients", false],
  [452, "4.2.2", "mailbox full, too many recipients wrote", false],
  [452, null, "Too many RCPTs", true],
  [552, null, "too many recipients this session", true],
  [552, null, "mailbox full", false],
  [550, null, "too many recipients", false],
  [550, null, "Rejected for too many bad recipients", true],
  [250, null, "ok, too many bad recipients", false],
])("%i %s %s: a limit of recipients is %j", (code, enhanced, text, isLimit) => {
  expect(isRecipientLimit({ code, enhanced, text })).toBe(isLimit)
})
