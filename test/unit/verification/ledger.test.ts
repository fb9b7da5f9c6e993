import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { type LedgerEntry, ledgerOf } from "../../../src/domain/verification/ledger.ts"
import { maskOtherAddresses, transcriptOf } from "../../../src/domain/verification/transcript.ts"
import { withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { presentExplanation } from "../../../src/routes/verification/present-deliverability.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const SPF = { kind: "valid", all: "-", lookups: 0 } as const
const DMARC = { kind: "record", foundAt: "example.org", policy: "reject", hasReports: true } as const

const sum = (entries: readonly { points: number }[]) => entries.reduce((total, { points }) => total + points, 0)

describe("the ledger", () => {
  const OUTCOMES = [
    null,
    mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 no such user")),
    mailbox(rcpt(250, "Ok"), rcpt(250, "Ok")),
    mailbox(rcpt(250, "Ok"), rcpt(451, "try later")),
    mailbox(rcpt(550, "5.1.1 no such user")),
    mailbox(rcpt(554, "5.7.1 blocked")),
    mailbox({ kind: "failure", stage: "connect", failure: "refused", detail: "", ms: 1 }),
  ]
  const ROUTES = [
    { kind: "mx", hosts: [{ host: "mx.example.org", preference: 10 }] },
    { kind: "mx", hosts: [{ host: "mail.mailinator.com", preference: 10 }] },
    { kind: "null_mx" },
    { kind: "dns_failure", reason: "timeout" },
  ] as const
  const evidence = fc.record({
    email: fc.constantFrom("alice@example.org", "info@example.org", "bob@mailinator.com", "a..b@example.org"),
    mailbox: fc.constantFrom(...OUTCOMES),
    route: fc.constantFrom(...ROUTES, null),
    matched: fc.constantFrom([], ["zen.spamhaus.org"], ["zen.spamhaus.org", "bl.spamcop.net"]),
    spf: fc.constantFrom(SPF, { kind: "none" } as const, null),
    dmarc: fc.constantFrom(DMARC, { kind: "none" } as const, null),
  })

  test("adds up to the score for any evidence", () => {
    fc.assert(
      fc.property(evidence, ({ email, mailbox, route, matched, ...records }) => {
        const rbl = { checked: ["zen.spamhaus.org", "bl.spamcop.net"], matched, notConsulted: [] }
        const domain = route && domainFacts({ route, rbl, ...records })
        const found = verificationOf(email, { mailbox, domain })
        for (const [isReceived, isBounced] of [
          [false, false],
          [true, false],
          [false, true],
        ] as const) {
          const flags = { isReceived, isSuppressed: isReceived, hasBounced: isBounced, hasComplained: !isReceived }
          const verification = withAccountFlags(found, flags)
          const ledger = ledgerOf(verification)
          const uncapped = Object.values(verification.score.breakdown).reduce((total, points) => total + points, 0)
          expect(sum(ledger)).toBe(verification.score.total)
          expect(sum(ledger.filter(({ fact }) => fact !== "capped"))).toBe(uncapped)
          expect(ledger.some(({ fact }) => fact === "capped")).toBe(uncapped !== verification.score.total)
          expect(new Set(ledger.map(({ fact }) => fact)).size).toBe(ledger.length)
          const has = (name: string) => ledger.some(({ fact }) => fact === name)
          const reported = [has("received"), has("bounce_reported"), has("complaint_reported")]
          expect(reported).toEqual([isReceived && found.evidence.address.ok, isBounced, !isReceived])
        }
      }),
    )
  })

  const pointsOf = (entries: readonly LedgerEntry[]) =>
    Object.fromEntries(entries.filter(({ points }) => points !== 0).map(({ fact, points }) => [fact, points]))

  test.each([
    ["a verified mailbox", mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 no such user")), { rcpt: 31 }],
    ["a catch-all", mailbox(rcpt(250, "Ok"), rcpt(250, "Ok")), { rcpt: 11, catch_all: 6 }],
    ["a deferred mailbox", mailbox(rcpt(451, "try later")), {}],
  ])("has the points of %s where they arise", (_, found, expected) => {
    const domain = domainFacts({ spf: SPF, dmarc: DMARC })
    const ledger = ledgerOf(verificationOf("ann.smith@example.org", { domain, mailbox: found }))
    expect(pointsOf(ledger)).toEqual({ base: 50, route: 3, spf: 2, dmarc: 2, greeting: 2, ...expected })
  })

  test("a malformed address has 0 in the breakdown, in the ledger and as its score", () => {
    const verification = verificationOf("a..b@example.org")
    expect(Object.values(verification.score.breakdown).filter((points) => points !== 0)).toEqual([])
    expect(verification.score.total).toBe(0)
    expect(pointsOf(ledgerOf(verification))).toEqual({})
    expect(ledgerOf(verification)).toContainEqual(expect.objectContaining({ fact: "base", points: 0 }))
  })

  test("counts received mail once, and caps only where the score does", () => {
    const received = (outcome: number, text: string) =>
      ledgerOf(
        withAccountFlags(
          verificationOf("info@example.org", { domain: domainFacts(), mailbox: mailbox(rcpt(outcome, text)) }),
          { ...NO_ACCOUNT_FLAGS, isReceived: true },
        ),
      ).filter(({ points }) => points !== 0)
    const listOf = (entries: LedgerEntry[]) => entries.map(({ fact, points }) => [fact, points])
    expect(listOf(received(451, "try later"))).toEqual([
      ["base", 50],
      ["role_account", -10],
      ["route", 3],
      ["greeting", 2],
      ["received", 25],
    ])
    expect(listOf(received(550, "5.1.1 no such user"))).toEqual([
      ["base", 50],
      ["role_account", -10],
      ["route", 3],
      ["greeting", 2],
      ["received", 25],
      ["capped", -60],
    ])
  })

  test("names the rule of the deciding reply, the node and the age", () => {
    const verification = verificationOf("alice@example.org", {
      domain: domainFacts({ spf: { kind: "none" } }),
      mailbox: mailbox(rcpt(550, "5.1.1 no such user"), rcpt(550, "5.1.1 no such user")),
    })
    const { ledger } = presentExplanation(verification, NOW + 90_000)
    expect(ledger).toContainEqual(
      expect.objectContaining({
        fact: "rcpt",
        value: "mailbox_missing",
        node: "n-1",
        age_seconds: 90,
        rule: expect.any(String),
      }),
    )
    expect(ledger).toContainEqual(expect.objectContaining({ phase: "domain", fact: "spf", value: "none" }))
    expect(ledger.map(({ phase }) => phase).indexOf("domain")).toBeLessThan(
      ledger.findIndex(({ fact }) => fact === "rcpt"),
    )
  })

  test("an unknown fact is null, and a fact that was not requested is absent", () => {
    const ledger = ledgerOf(verificationOf("alice@example.org", { domain: domainFacts({ dmarc: null }) }))
    expect(ledger).toContainEqual(expect.objectContaining({ fact: "dmarc", value: null }))
    expect(ledger.some(({ fact }) => fact === "bimi")).toBe(false)
  })
})

describe("a disposable mail host makes the domain disposable", () => {
  const hosts = [{ host: "mail.mailinator.com", preference: 10 }]
  const { evidence, score } = verificationOf("alice@shop-example.org", {
    domain: domainFacts({ route: { kind: "mx", hosts } }),
  })
  test("in lists and score", () => {
    expect(evidence.lists).toMatchObject({ isDisposable: true, isCorporate: false })
    expect(score.breakdown.disposablePenalty).toBe(-40)
  })
})

describe("the transcript", () => {
  const session = mailbox(
    rcpt(250, "2.1.5 <alice@example.org> ok"),
    rcpt(550, "5.1.1 <qabcdefghij12345@example.org>: unknown, ask postmaster@example.org\nqabcdefghij12345 is nobody"),
  )
  const { evidence } = verificationOf("alice@example.org", { domain: domainFacts(), mailbox: session })
  const lines = transcriptOf(evidence).map(({ from, text }) => `${from === "client" ? "C" : "S"}: ${text}`)

  test("matches the wire, with the random recipient and other addresses masked", () => {
    expect(lines).toEqual([
      "S: 220 mx.example.org ESMTP",
      "C: EHLO probe.example.net",
      "S: 250-mx.example.org",
      "S: 250 PIPELINING",
      "C: MAIL FROM:<probe@example.net>",
      "S: 250 Ok",
      "C: RCPT TO:<alice@example.org>",
      "S: 250 2.1.5 <alice@example.org> ok",
      "C: RCPT TO:<***@example.org>",
      "S: 550-5.1.1 <***@example.org>: unknown, ask ***@example.org",
      "S: 550 *** is nobody",
    ])
  })

  test("is empty without a probe", () => {
    expect(transcriptOf(verificationOf("alice@example.org").evidence)).toEqual([])
  })

  test("masks every other address, whatever the characters around it", () => {
    const address = parseAddress("alice@example.org")
    const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,12}[a-z]$/).filter((local) => local !== "alice")
    const around = fc.constantFrom(" ", "<", ">", "(", '"', ",", ";", ":", "\n")
    fc.assert(
      fc.property(around, name, around, (before, local, after) => {
        const hidden = maskOtherAddresses(`x${before}${local}@example.org${after}y`, address)
        expect(hidden).not.toContain(`${local}@`)
        expect(maskOtherAddresses(`x${before}Alice@Example.org${after}y`, address)).toContain("Alice@Example.org")
      }),
    )
  })
})
