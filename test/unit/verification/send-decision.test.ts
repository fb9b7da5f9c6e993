import { describe, expect, test } from "vitest"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { storedBrief } from "../../../src/domain/verification/checks.ts"
import { allowsSending, maySend, storedDecision } from "../../../src/domain/verification/send-decision.ts"
import { withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

describe("the send decision", () => {
  test.each([
    [60, "valid", null, true],
    [59, "valid", null, false],
    [100, "accept_all", "catch_all", true],
    [60, "unknown", "not_probed", true],
    [100, "unknown", "mailbox_full", false],
    [100, "invalid", "mailbox_missing", false],
    [100, "invalid", "hard_bounce", false],
    [100, "invalid_syntax", "malformed", false],
  ] as const)("of %i points, %s and the finding %s is %s", (score, status, finding, expected) => {
    expect(allowsSending(score, { status, finding })).toBe(expected)
  })

  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ isReceived: true }, false, false],
    [{ isReceived: true }, true, true],
    [{ isSuppressed: true }, true, false],
    [{ hasBounced: true }, true, false],
    [{ hasComplained: true }, true, false],
  ])("of an account with %j, where every account may: %s, is %s", (flags, allowed, expected) => {
    expect(maySend(allowed, { ...NO_ACCOUNT_FLAGS, ...flags })).toBe(expected)
  })

  test.each([
    [true, "unknown", 40, true],
    [false, "valid", 90, false],
    [null, "valid", 60, true],
    [null, "valid", 59, false],
    [null, "invalid", 90, false],
    [null, "invalid_syntax", 90, false],
  ] as const)("stored as %s for %s with %i points is %s", (canSend, status, score, expected) => {
    expect(storedDecision({ canSend, status, score })).toBe(expected)
  })
})

const FULL = verificationOf("ann@example.org", {
  domain: domainFacts({
    spf: { kind: "valid", all: "-", lookups: 0 },
    dmarc: { kind: "record", foundAt: "example.org", policy: "reject", hasReports: true },
  }),
  mailbox: mailbox(rcpt(552, "5.2.2 mailbox full")),
})

describe("a full mailbox", () => {
  test("cannot be sent to, also after mail from it was received", () => {
    const received = withAccountFlags(FULL, { ...NO_ACCOUNT_FLAGS, isReceived: true })
    expect([FULL.canSend, received.canSend]).toEqual([false, false])
    expect(received.score.total).toBeGreaterThan(60)
  })

  test("cannot be sent to in a brief, whatever its stored score is", () => {
    const stored = { status: "unknown", score: 84, canSend: false } as const
    const address = parseAddress("ann@example.org") as ValidAddress
    expect(storedBrief(address, stored, NO_ACCOUNT_FLAGS)).toMatchObject({ canSend: false, score: 84 })
  })

  // An older version stored no decision, so `storedDecision` relies on it.
  test("has at most 59 points without an account's reports", () => {
    expect(FULL.verdict.finding).toBe("mailbox_full")
    expect(FULL.score.total).toBe(59)
  })
})
