import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type OpenSmtpd, type OpenSmtpdService, startOpenSmtpd } from "../support/mail/mta-opensmtpd.ts"
import { examine } from "../support/mail/mta-probe.ts"
import { hasMailServers, testInstalled } from "../support/mail/mta-root.ts"
import { sendWithoutWaiting } from "../support/mail/raw-smtp-client.ts"

const NAMED = "127.0.0.1"
const NAMELESS = "127.0.9.9"

/** Service, source address, recipient, expected report and verdict, and text of OpenSMTPD's reply. */
const CASES: readonly (readonly [OpenSmtpdService, string, string, string, RegExp])[] = [
  ["plain", NAMED, "alice@local.test", "rcpt 250 / rcpt 550: valid", /Recipient ok/],
  ["plain", NAMED, "zed@local.test", "rcpt 550 / rcpt 550: invalid mailbox_missing", /^Invalid recipient: </],
  ["plain", NAMED, "bob@local.test", "rcpt 424 / rcpt 550: unknown temporary_failure", /list expansion problem/],
  ["plain", NAMED, "alice@list.test", "rcpt 250 / rcpt 524: valid", /Recipient ok/],
  ["plain", NAMED, "zed@list.test", "rcpt 524 / rcpt 524: invalid mailbox_missing", /list expansion problem/],
  ["plain", NAMED, "zed@catchall.test", "rcpt 250 / rcpt 250: accept_all catch_all", /Recipient ok/],
  [
    "plain",
    NAMED,
    "jörg@list.test",
    "mail smtputf8_unsupported / mail smtputf8_unsupported: unknown smtputf8_unsupported",
    /SMTPUTF8/,
  ],
  ["connect", NAMELESS, "zed@list.test", "banner 554 / banner 554: unknown refused_probe", /has no name/],
  ["connect", NAMED, "alice@list.test", "rcpt 250 / rcpt 524: valid", /Recipient ok/],
  ["ehlo", NAMELESS, "zed@list.test", "ehlo 550 / ehlo 550: unknown refused_probe", /HELO name/],
  ["ehlo", NAMED, "alice@list.test", "rcpt 250 / rcpt 524: valid", /Recipient ok/],
  ["mail", NAMELESS, "zed@list.test", "mail 550 / mail 550: unknown refused_probe", /Sender address rejected/],
  ["rcpt", NAMELESS, "zed@list.test", "rcpt 550 / rcpt 550: unknown refused_probe", /Reverse DNS/],
  ["rcpt", NAMED, "busy@list.test", "rcpt 451 / rcpt 524: unknown temporary_failure", /Try again later/],
  ["rcpt", NAMED, "full@list.test", "rcpt 452 / rcpt 524: unknown mailbox_full", /Mailbox full/],
]

let smtpd: OpenSmtpd

testInstalled("OpenSMTPD")
if (hasMailServers)
  describe("OpenSMTPD", () => {
    beforeAll(async () => {
      smtpd = await startOpenSmtpd()
    })
    afterAll(() => smtpd?.stop())

    test.each(CASES)("%s from %s: %s: %s", async (service, from, to, summary, text) => {
      const [finding] = await examine({ at: smtpd.at(service), to: [to], engine: { sourceIps: [from] } })
      expect(finding!.replyText).toMatch(text)
      expect(finding!.summary).toBe(summary)
    })

    test("offers no PIPELINING, so the node sends one command at a time", async () => {
      expect(await sendWithoutWaiting(smtpd.at("plain"), ["EHLO probe.test", "QUIT"])).toMatch(
        /Pipelining not supported/,
      )
      const [finding] = await examine({ at: smtpd.at("plain"), to: ["alice@list.test"] })
      expect(finding!.line.session?.extensions).not.toContain("PIPELINING")
      expect(finding!.summary).toBe("rcpt 250 / rcpt 524: valid")
    })

    test("limits recipients with 451 4.5.3, and the node probes the others in further sessions", async () => {
      const people = ["alice", "carol", "dave"].map((name) => `${name}@list.test`)
      const findings = await examine({ at: smtpd.at("plain"), to: [...people, "zed@list.test"] })
      expect(findings.map(({ summary }) => summary)).toEqual([
        ...people.map(() => "rcpt 250 / rcpt 524: valid"),
        "rcpt 524 / rcpt 524: invalid mailbox_missing",
      ])
    })
  })
