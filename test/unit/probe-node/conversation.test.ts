import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Conversation } from "../../../probe-node/smtp/conversation.ts"
import { converse, converseInChunks, plan, Record } from "../../support/mail/scripted-conversation.ts"

const EHLO = "250-mx.test\r\n250-PIPELINING\r\n250-SIZE 1000\r\n250 ENHANCEDSTATUSCODES\r\n"
const PLAIN_EHLO = "250 mx.test\r\n"

const LONE = ["anna@a.test", "random@a.test"]

describe("conversation", () => {
  test("a single probe sends EHLO and one group of commands", () => {
    const { record, conversation } = converse(plan(LONE), [
      "220 mx.test\r\n",
      EHLO,
      "250 ok\r\n250 ok\r\n550 5.1.1 no\r\n221 bye\r\n",
    ])
    expect(record.sent).toEqual([
      "EHLO probe.test\r\n",
      "MAIL FROM:<me@probe.test>\r\nRCPT TO:<anna@a.test>\r\nRCPT TO:<random@a.test>\r\nQUIT\r\n",
    ])
    expect([...record.answers.values()]).toEqual(["rcpt 250", "rcpt 550"])
    expect(record.outcome).toBe("done")
    expect(conversation.extensions).toEqual(["PIPELINING", "SIZE 1000", "ENHANCEDSTATUSCODES"])
  })

  test("sends QUIT separately to Exim, and still ends at the last answer", () => {
    const banner = "220-mx.test ESMTP Exim 4.96 Sat, 21 Nov 2026 08:12:23 +0000\r\n220 No spam\r\n"
    const { record } = converse(plan(LONE), [banner, EHLO, "250 ok\r\n250 ok\r\n550 no\r\n"])
    expect(record.sent.slice(1)).toEqual([
      "MAIL FROM:<me@probe.test>\r\nRCPT TO:<anna@a.test>\r\nRCPT TO:<random@a.test>\r\n",
      "QUIT\r\n",
    ])
    expect(record.outcome).toBe("done")
  })

  test("ends at the last answer, before the reply to QUIT", () => {
    const { record } = converse(plan(LONE), ["220 mx\r\n", EHLO, "250 ok\r\n250 ok\r\n550 no\r\n"])
    expect(record.outcome).toBe("done")
    expect(record.goodbyes).toBe(0)
  })

  test.each([
    ["the server does not offer PIPELINING", plan(LONE), PLAIN_EHLO],
    ["the playbook forbids it", plan(LONE, { pipelining: false }), EHLO],
  ])("sends one command at a time when %s", (_, planned, ehlo) => {
    const { record } = converse(planned, ["220 mx\r\n", ehlo, "250 ok\r\n", "250 ok\r\n", "550 no\r\n", "221 bye\r\n"])
    expect(record.sent).toEqual([
      "EHLO probe.test\r\n",
      "MAIL FROM:<me@probe.test>\r\n",
      "RCPT TO:<anna@a.test>\r\n",
      "RCPT TO:<random@a.test>\r\n",
      "QUIT\r\n",
    ])
    expect([...record.answers.values()]).toEqual(["rcpt 250", "rcpt 550"])
  })

  test("sends nothing before the banner is complete", () => {
    const { record } = converse(plan(LONE), ["220-mx.test please wait\r\n", "220-still\r\n220"])
    expect(record.sent).toEqual([])
    expect(converse(plan(LONE), ["220-wait\r\n", "220 go\r\n"]).record.sent).toEqual(["EHLO probe.test\r\n"])
  })

  test("separates domains by RSET", () => {
    const { record } = converse(plan(["anna@a.test", "bob@b.test"]), ["220 mx\r\n", EHLO])
    expect(record.sent[1]).toBe(
      "MAIL FROM:<me@probe.test>\r\nRCPT TO:<anna@a.test>\r\nRSET\r\nMAIL FROM:<me@probe.test>\r\nRCPT TO:<bob@b.test>\r\nQUIT\r\n",
    )
  })

  test("has at most 25 commands in flight", () => {
    const many = Array.from({ length: 60 }, (_, at) => `u${at}@a.test`)
    const { record } = converse(plan(many), [
      "220 mx\r\n",
      EHLO,
      "250 ok\r\n".repeat(25),
      "250 ok\r\n".repeat(25),
      "250 ok\r\n".repeat(11),
    ])
    expect(record.sent.slice(1).map((group) => group.split("\r\n").length - 1)).toEqual([25, 25, 12])
    expect(record.answers.size).toBe(60)
    expect(record.outcome).toBe("done")
  })

  describe("a limit of recipients in one transaction", () => {
    const NAMES = ["a", "b", "c"].map((name) => `${name}@a.test`)
    const MAIL = "MAIL FROM:<me@probe.test>\r\n"
    const FULL = "452 4.5.3 too many\r\n"
    const rcpt = (address: string) => `RCPT TO:<${address}>\r\n`

    test("moves the rest to the next transaction", () => {
      const ok = "250 ok\r\n"
      const { record } = converse(plan(NAMES), [
        "220 mx\r\n",
        PLAIN_EHLO,
        ok,
        ok,
        FULL,
        ok,
        ok,
        ok,
        ok,
        ok,
        "550 no\r\n",
      ])
      expect(record.sent.slice(1)).toEqual([
        ...[MAIL, rcpt("a@a.test"), rcpt("b@a.test"), "RSET\r\n"],
        ...[MAIL, rcpt("b@a.test"), "RSET\r\n", MAIL, rcpt("c@a.test"), "QUIT\r\n"],
      ])
      expect([record.outcome, ...record.answers.values()]).toEqual(["done", "rcpt 250", "rcpt 250", "rcpt 550"])
    })

    test("applies to the following groups", () => {
      const many = Array.from({ length: 60 }, (_, at) => `u${at}@a.test`)
      const { record } = converse(plan(many), ["220 mx\r\n", EHLO, "250 ok\r\n".repeat(11) + FULL.repeat(14)])
      const group = (from: number) =>
        MAIL +
        many
          .slice(from, from + 10)
          .map(rcpt)
          .join("")
      expect(record.sent[2]).toBe(`RSET\r\n${group(10)}RSET\r\n${group(20)}RSET\r\n`)
    })

    test("that is known in advance applies from the start", () => {
      const { record } = converse(plan(LONE, { recipientsPerTransaction: 1 }), ["220 mx\r\n", EHLO])
      expect(record.sent[1]).toBe(`${MAIL}${rcpt(LONE[0]!)}RSET\r\n${MAIL}${rcpt(LONE[1]!)}QUIT\r\n`)
    })

    test("at the first recipient of a later transaction is a limit of the session", () => {
      const ok = "250 ok\r\n"
      const { record } = converse(plan(NAMES), ["220 mx\r\n", PLAIN_EHLO, ok, ok, FULL, ok, ok, FULL])
      expect([record.sent.at(-1), record.outcome, ...record.answers]).toEqual(["QUIT\r\n", "limit", [0, "rcpt 250"]])
      expect(record.end).toMatchObject({ reply: { code: 452 }, recipientsPerTransaction: 1 })
    })

    test("makes a refused MAIL the answer for its transaction and the unsent recipients", () => {
      const replies =
        "250 ok\r\n550 no\r\n250 ok\r\n451 4.3.0 later\r\n503 mail first\r\n250 ok\r\n250 ok\r\n250 ok\r\n"
      const { record } = converse(plan(NAMES, { recipientsPerTransaction: 1 }), ["220 mx\r\n", EHLO, replies])
      expect([record.outcome, ...record.answers.values()]).toEqual(["done", "rcpt 550", "mail 451", "rcpt 250"])
    })
  })

  const REFUSALS: readonly [name: string, replies: string[], outcome: string, answers: string[]][] = [
    ["a refusing banner", ["554 5.7.1 no\r\n"], "refused banner 554", []],
    ["a busy banner", ["421 4.3.2 later\r\n"], "refused banner 421", []],
    ["a banner that is no greeting", ["250 hello\r\n"], "failed banner protocol", []],
    ["a refused EHLO", ["220 mx\r\n", "550 5.7.1 helo\r\n"], "refused ehlo 550", []],
    ["a second banner", ["220 mx\r\n220 mx\r\n"], "failed ehlo protocol", []],
    [
      "a refused sender",
      ["220 mx\r\n", EHLO, "550 5.1.8 sender\r\n503 mail first\r\n503 mail first\r\n"],
      "done",
      ["mail 550", "mail 550"],
    ],
    ["421 at MAIL", ["220 mx\r\n", EHLO, "421 4.7.0 rate\r\n"], "refused mail 421", []],
    ["421 in the middle", ["220 mx\r\n", EHLO, "250 ok\r\n250 ok\r\n421 bye\r\n"], "refused rcpt 421", ["rcpt 250"]],
    [
      "a limit of recipients",
      ["220 mx\r\n", EHLO, "250 ok\r\n250 ok\r\n452 4.5.3 too many\r\n"],
      "limit",
      ["rcpt 250"],
    ],
    [
      "the same without enhanced codes",
      ["220 mx\r\n", EHLO, "250 ok\r\n250 ok\r\n552 Too many recipients\r\n"],
      "limit",
      ["rcpt 250"],
    ],
    [
      "a limit at the first recipient",
      ["220 mx\r\n", EHLO, "250 ok\r\n452 4.5.3 no\r\n452 4.5.3 no\r\n"],
      "done",
      ["rcpt 452", "rcpt 452"],
    ],
    ["garbage", ["220 mx\r\n", "\u0000\u0001\r\n"], "failed ehlo protocol", []],
  ]
  test.each(REFUSALS)("reports %s", (_, replies, outcome, answers) => {
    const { record } = converse(plan(LONE), replies)
    expect(record.outcome).toBe(outcome)
    expect([...record.answers.values()]).toEqual(answers)
  })

  test("falls back to HELO if the server does not support EHLO", () => {
    const { record } = converse(plan(LONE), ["220 mx\r\n", "502 5.5.1 what\r\n", "250-mx\r\n250 PIPELINING\r\n"])
    expect(record.sent).toEqual(["EHLO probe.test\r\n", "HELO probe.test\r\n", "MAIL FROM:<me@probe.test>\r\n"])
  })

  test("probes non-ASCII mailboxes only if the server offers SMTPUTF8", () => {
    const planned = plan(["bücher@a.test"])
    expect([...converse(planned, ["220 mx\r\n", EHLO]).record.answers.values()]).toEqual(["smtputf8_unsupported"])
    const { record } = converse(planned, ["220 mx\r\n", "250-mx\r\n250-SMTPUTF8\r\n250 PIPELINING\r\n"])
    expect(record.sent[1]).toBe("MAIL FROM:<me@probe.test> SMTPUTF8\r\nRCPT TO:<bücher@a.test>\r\nQUIT\r\n")
  })

  describe("STARTTLS", () => {
    const TLS_EHLO = "250-mx.test\r\n250-PIPELINING\r\n250 STARTTLS\r\n"

    test("sends EHLO again and discards the earlier extensions", () => {
      const { record } = converse(plan(LONE), ["220 mx\r\n", TLS_EHLO, "220 go\r\n", PLAIN_EHLO])
      expect(record.sent).toEqual([
        "EHLO probe.test\r\n",
        "STARTTLS\r\n",
        "EHLO probe.test\r\n",
        "MAIL FROM:<me@probe.test>\r\n",
      ])
    })

    test("discards plaintext after the reply", () => {
      const injected = "220 go\r\n250-mx\r\n250 PIPELINING\r\n250 ok\r\n250 ok\r\n250 ok\r\n"
      const { record } = converse(plan(LONE), ["220 mx\r\n", TLS_EHLO, injected])
      expect(record.sent.at(-1)).toBe("EHLO probe.test\r\n")
      expect(record.answers.size).toBe(0)
    })

    test("ignores input during the handshake", () => {
      const record = new Record()
      const conversation = new Conversation(plan(LONE), record)
      for (const text of ["220 mx\r\n", TLS_EHLO, "220 go\r\n", "250 injected\r\n"])
        conversation.receive(Buffer.from(text), 1)
      conversation.secured()
      expect(conversation.stage).toBe("ehlo")
    })

    test.each([
      ["refused", plan(LONE), ["220 mx\r\n", TLS_EHLO, "454 4.7.0 no\r\n"]],
      ["not wanted", plan(LONE, { starttls: false }), ["220 mx\r\n", TLS_EHLO]],
    ])("continues in plaintext when it is %s", (_, planned, replies) => {
      const { record } = converse(planned, replies)
      expect(record.tlsStarted).toBe(0)
      expect(record.sent.at(-1)).toMatch(/^MAIL FROM/)
    })
  })

  test("a closed connection leaves the rest unanswered", () => {
    const { record, conversation } = converse(plan(LONE), ["220 mx\r\n", EHLO, "250 ok\r\n250 ok\r\n55"])
    conversation.fail("reset", "closed")
    expect(record.outcome).toBe("failed rcpt reset")
    expect([...record.answers]).toEqual([[0, "rcpt 250"]])
    expect(record.goodbyes).toBe(1)
  })

  const randomReplies = fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom("220 mx\r\n", EHLO, PLAIN_EHLO, "250 ok\r\n", "550 5.1.1 no\r\n", "221 bye\r\n"),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "421 bye\r\n",
          "452 4.5.3 many\r\n",
          "250-mx\r\n250 STARTTLS\r\n",
          "354 go\r\n",
          "502 what\r\n",
        ),
      },
      { weight: 1, arbitrary: fc.string() },
    ),
    { maxLength: 20 },
  )
  const addresses = fc.constantFrom(LONE, ["anna@a.test", "bob@b.test"], ["bücher@a.test", "anna@a.test"])

  test("random chunking never changes the outcome", () => {
    fc.assert(
      fc.property(
        randomReplies,
        addresses,
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 30 }),
        (replies, to, pipelining, places) => {
          const planned = plan(to, { pipelining, starttls: false })
          expect(converseInChunks(planned, replies, places)).toEqual(converseInChunks(planned, replies, []))
        },
      ),
      { numRuns: 500 },
    )
  })

  test("no input crashes it, each recipient has at most one answer, and `fail` always ends it", () => {
    fc.assert(
      fc.property(randomReplies, addresses, (replies, to) => {
        const { record, conversation } = converse(plan(to), replies)
        conversation.fail("reset", "closed")
        expect(record.end).not.toBeNull()
        expect(record.goodbyes).toBe(1)
        expect(
          record.sent
            .join("")
            .split("\r\n")
            .every((line) => !/[\r\n]/.test(line)),
        ).toBe(true)
        if (record.outcome === "done") expect(record.answers.size).toBe(to.length)
      }),
      { numRuns: 500 },
    )
  })
})
