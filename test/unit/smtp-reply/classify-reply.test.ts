import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { SMTP_STAGES, type SmtpStage } from "../../../schema/vocabulary.ts"
import { classifyLine, isInvalid, readReplies } from "../../../scripts/bench/verdicts/labelled-replies.ts"
import { classifyReply, REPLY_RULES } from "../../../src/domain/smtp-reply/classify-reply.ts"
import { foldAccents } from "../../../src/domain/smtp-reply/fold-text.ts"
import { compilePattern } from "../../../src/domain/smtp-reply/reply-rule.ts"
import { superLinearParts } from "../../support/source/regular-expressions.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

const replies = [
  ...readReplies("provider-replies.tsv"),
  ...readReplies("replies.tsv"),
  ...readReplies("replies-unseen.tsv"),
  ...readReplies("replies-about-us.tsv"),
]
const rules = REPLY_RULES
const stage = fc.constantFrom(...SMTP_STAGES)
const knownLine = fc.constantFrom(...replies.map(({ line }) => line))
const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 3_000 }), fc.string({ maxLength: 300 }), knownLine)
const enhanced = fc.option(fc.constantFrom("5.1.1", "4.2.2", "5.2.1", "5.7.1", "2.1.5", "5.1.10", "4.4.1"), {
  nil: null,
})
const aboutMailbox = ["mailbox_missing", "mailbox_disabled", "mailbox_full"]

describe("rules", () => {
  test("have unique ids, and a reason only in class refuses_us", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
    for (const rule of rules) expect(rule.reason !== undefined, rule.id).toBe(rule.class === undefined)
  })

  const observed = rules.filter(({ seen }) => /^[45]\d\d[ -]/.test(seen))
  test.each(observed.map(({ id, seen }) => [id, seen]))("%s classifies its observed reply", (id, seen) => {
    expect(classifyLine(seen.replaceAll("\\n", "\n")).ruleId).toBe(id)
  })

  test("have patterns in folded form", () => {
    for (const { id, pattern } of rules) if (pattern) expect(foldAccents(pattern), id).toBe(pattern)
  })

  test("use only placeholders with a definition", () => {
    for (const { id, pattern } of rules) if (pattern) expect(compilePattern(pattern).source, id).not.toMatch(/\{[a-z]/)
  })

  test("have patterns that take linear time", () => {
    for (const { id, pattern } of rules) if (pattern) expect(superLinearParts(compilePattern(pattern)), id).toEqual([])
  })

  test.each([
    "user ",
    "a.",
    "mailbox user recipient ",
    "x@",
    "<",
    "5.1.1 ",
    "not ",
    "sender from your ip ",
    "sending to unknown ",
    "blocked for too many ",
    "accepts mail from your ",
    "not in the recipient's ",
    "your mail server is ",
    "no such sender address ",
    "unbekannter host ~ ",
    "unkown recipent not exits ",
    "\u0130",
    "-",
  ])("take no time that grows with their repetitions for a text of many %j", (part) => {
    const reply = { enhanced: null, text: part.repeat(2_000), stage: "rcpt" } as const
    for (const code of [450, 550]) runToTheEnd(() => classifyReply({ ...reply, code }))
  })
})

describe("any reply", () => {
  test("is classified without throwing, with a reason only in class refuses_us", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 1_000 }), enhanced, anyText, stage, (code, detail, text, at) => {
        const verdict = classifyReply({ code, enhanced: detail, text, stage: at })
        expect(verdict.reason !== null).toBe(verdict.class === "refuses_us")
        expect(verdict.retryAfterSeconds === null || verdict.retryAfterSeconds > 0).toBe(true)
      }),
    )
  })

  test("is accepted only with 250, 251 or 252 to RCPT", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), enhanced, anyText, stage, (code, detail, text, at) => {
        const accepted = classifyReply({ code, enhanced: detail, text, stage: at }).class === "accepted"
        expect(accepted).toBe(at === "rcpt" && code >= 250 && code <= 252)
      }),
    )
  })

  test("never marks a mailbox as invalid with a 4xx code", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 499 }), enhanced, anyText, (code, detail, text) => {
        expect(isInvalid(classifyReply({ code, enhanced: detail, text, stage: "rcpt" }).class)).toBe(false)
      }),
    )
  })

  test("describes the mailbox only at stage RCPT", () => {
    const other = fc.constantFrom(...SMTP_STAGES.filter((word) => word !== "rcpt"))
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), enhanced, anyText, other, (code, detail, text, at) => {
        expect(aboutMailbox).not.toContain(classifyReply({ code, enhanced: detail, text, stage: at }).class)
      }),
    )
  })

  test("has the same class in any letter case and with any line breaks", () => {
    fc.assert(
      fc.property(knownLine, fc.array(fc.nat(400), { maxLength: 6 }), fc.boolean(), (line, cuts, upper) => {
        const head = line.slice(0, 4)
        const words = line.slice(4).split(" ")
        const broken = words.map((word, at) => (cuts.includes(at) ? `\r\n${head}${word}` : word)).join(" ")
        const cased = upper ? broken.toUpperCase() : broken.toLowerCase()
        expect(classifyLine(head + cased)).toEqual(classifyLine(line))
      }),
    )
  })
})

describe("names in a reply do not change its class", () => {
  const bait = [
    ["them@example.com", "unknown.user@spamhaus-fan.com"],
    ["them@example.com", "mailbox.full@no-such-user.example.com"],
    ["them@example.com", "sender-rejected+helo@greylist.org"],
    ["mx.example.com", "user-unknown.quota.example.net"],
    ["https://example.com/help", "http://www.spamhaus.org/query?reason=user+unknown"],
    ["192.0.2.7", "203.0.113.25"],
    ["192.0.2.7", "2001:db8::7"],
  ] as const
  const templates = [
    "550 5.1.1 <them@example.com>: Recipient address rejected: User unknown",
    "550 User them@example.com unknown at mx.example.com, see https://example.com/help",
    "554 5.7.1 <them@example.com>: Relay access denied",
    "550 5.7.1 mx.example.com: client [192.0.2.7] blocked, see https://example.com/help",
    "450 4.2.0 <them@example.com>: Recipient address rejected: Greylisted, see https://example.com/help",
    "552 5.2.2 them@example.com mailbox is full (mx.example.com)",
    "550 them@example.com",
    "550 mx.example.com (192.0.2.7) https://example.com/help",
    "550 5.2.1 [them@example.com] account disabled; mx.example.com",
    '550 "them"@example.com does not exist here',
  ]
  test.each(bait)("%s replaced by %s", (name, other) => {
    for (const line of templates) expect(classifyLine(line.replaceAll(name, other)), line).toEqual(classifyLine(line))
  })
})

describe("stage and code", () => {
  const cases: readonly [string, SmtpStage, string, string | null][] = [
    ["550 5.1.1 User unknown", "mail", "refuses_us", "policy"],
    ["550 No such user", "banner", "refuses_us", "policy"],
    ["552 5.2.2 Mailbox full", "mail", "refuses_us", "policy"],
    ["554 No SMTP service here", "banner", "refuses_us", "policy"],
    ["220 ready", "banner", "protocol_error", null],
    ["354 go ahead", "rcpt", "protocol_error", null],
    ["251 User not local; will forward", "rcpt", "accepted", null],
    ["252 Cannot VRFY user", "rcpt", "accepted", null],
    ["221 2.0.0 Bye", "rcpt", "protocol_error", null],
    ["220 mx.example.com ESMTP", "rcpt", "protocol_error", null],
    ["550", "rcpt", "refuses_us", "policy"],
    ["450", "rcpt", "temporary", null],
    ["550 5.1.1", "rcpt", "mailbox_missing", null],
  ]
  test.each(cases)("%s at %s is %s", (line, at, meaning, reason) => {
    expect(classifyLine(line, at)).toMatchObject({ class: meaning, reason })
  })

  test("a parsed enhanced code counts like one in the text, unless its class digit contradicts the code", () => {
    const reply = { code: 550, text: "", stage: "rcpt" } as const
    expect(classifyReply({ ...reply, enhanced: "5.1.1" }).class).toBe("mailbox_missing")
    expect(classifyReply({ ...reply, enhanced: "5.7.25" }).reason).toBe("ptr")
    expect(classifyReply({ ...reply, enhanced: "4.1.1" }).class).toBe("refuses_us")
    expect(classifyReply({ ...reply, enhanced: "4.1.1", text: "5.1.1 rejected" }).class).toBe("mailbox_missing")
    expect(classifyReply({ ...reply, enhanced: null, text: "host\n550-5.1.1 rejected" }).class).toBe("mailbox_missing")
  })
})

test("a repeated reply needs few searches for patterns, a new text fewer than there are rules", () => {
  const lines = replies.slice(0, 400).map(({ line }) => line)
  /** Searches for a pattern, for each line. */
  const searches = (run: () => void) => {
    const exec = vi.spyOn(RegExp.prototype, "exec")
    try {
      run()
      return exec.mock.calls.length / lines.length
    } finally {
      exec.mockRestore()
    }
  }
  let serial = 0
  const fresh = () => {
    for (const line of lines) classifyLine(`${line} queue ${serial++}`)
  }
  const repeated = () => {
    for (const line of lines) classifyLine(line)
  }
  repeated()
  expect(searches(repeated)).toBeLessThan(25)
  expect(searches(fresh)).toBeLessThan(rules.length)
})
