import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { casesAt, checkCase } from "../support/mail/mta-cases.ts"
import { type OpenSmtpd, type OpenSmtpdService, startOpenSmtpd } from "../support/mail/mta-opensmtpd.ts"
import { examine } from "../support/mail/mta-probe.ts"
import { hasMailServers, testInstalled } from "../support/mail/mta-root.ts"
import { sendWithoutWaiting } from "../support/mail/raw-smtp-client.ts"

let smtpd: OpenSmtpd

testInstalled("OpenSMTPD")
if (hasMailServers)
  describe("OpenSMTPD", () => {
    beforeAll(async () => {
      smtpd = await startOpenSmtpd()
    })
    afterAll(() => smtpd?.stop())

    test.for(casesAt("OpenSMTPD"))("$service from $from: $address: $summary", (one, context) =>
      checkCase(one, smtpd.at(one.service as OpenSmtpdService), context),
    )

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
