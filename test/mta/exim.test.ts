import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { casesAt, checkCase } from "../support/mail/mta-cases.ts"
import { type Exim, startExim } from "../support/mail/mta-exim.ts"
import { examine } from "../support/mail/mta-probe.ts"
import { hasMailServers, testInstalled } from "../support/mail/mta-root.ts"
import { sendWithoutWaiting } from "../support/mail/raw-smtp-client.ts"

/** The order of Debian's configuration: relaying first, then the recipient. */
const RECIPIENT = [
  "require message = relay not permitted",
  "        domains = +our_domains",
  "require verify = recipient",
]

const SERVICES = {
  plain: { rcpt: RECIPIENT },
  callout: { rcpt: ["require verify = recipient/callout=3s,no_cache"] },
  sender: { rcpt: ["require verify = sender", ...RECIPIENT] },
  senderCallout: { rcpt: ["require verify = sender/callout=3s,no_cache", ...RECIPIENT] },
  prohibited: { rcpt: ["deny"] },
  listed: {
    rcpt: [
      "deny message = rejected because $sender_host_address is in a black list at bl.test\\n https://bl.test/lookup",
    ],
  },
  helo: { rcpt: ["deny message = HELO name must be a fully qualified host name", "     condition = yes"] },
  quota: { rcpt: ["deny message = 552 5.2.2 Mailbox quota exceeded"] },
  heloAtOnce: { helo: ["deny message = Invalid HELO"] },
  atOnce: { connect: ["drop message = Your host is not welcome here"] },
  deferred: { rcpt: ["defer message = Greylisted, please try again in 300 seconds"] },
  rated: {
    rcpt: [
      "defer ratelimit = 0 / 1h / strict / per_rcpt / $sender_host_address",
      "     message = Sender rate overlimit - $sender_rate / $sender_rate_period",
    ],
  },
  limited: {
    rcpt: [
      "deny ratelimit = 1.5 / 1h / strict / per_conn / $sender_host_address",
      "     message = You have exceeded the rate limit of connections",
      ...RECIPIENT,
    ],
  },
  guarded: {
    rcpt: ["deny condition = TOO_MANY_UNKNOWN", "     message = Rejected for too many bad recipients", ...RECIPIENT],
  },
  slow: { connect: ["accept delay = 1s"], rcpt: RECIPIENT },
  lockstep: { rcpt: RECIPIENT },
} as const

type Service = keyof typeof SERVICES
let exim: Exim<Service>

testInstalled("Exim")
if (hasMailServers)
  describe("Exim", () => {
    beforeAll(async () => {
      exim = await startExim(SERVICES)
    })
    afterAll(() => exim?.stop())

    test.for(casesAt("Exim"))("$service from $from: $address: $summary", (one, context) =>
      checkCase(one, exim.at[one.service as Service], context),
    )

    // Exim delays the replies to a group that ends with QUIT until the kernel uncorks them after 200 ms. Its greeting
    // makes the probe send QUIT separately (test/unit/probe-node/conversation.test.ts).
    test("names itself in its greeting and offers PIPELINING", async () => {
      const { session } = (await examine({ at: exim.at.plain, to: ["alice@list.test"] }))[0]!.line
      expect(session?.greeting?.text).toMatch(/\bESMTP Exim\b/)
      expect(session?.extensions).toContain("PIPELINING")
    })

    test("probes recipients beyond the message limit in further sessions", async () => {
      const people = ["alice", "bob", "carol", "dave"].map((name) => `${name}@list.test`)
      const findings = await examine({ at: exim.at.plain, to: [...people, "zed@list.test"] })
      expect(findings.map(({ summary }) => summary)).toEqual([
        ...people.map(() => "rcpt 250 / rcpt 550: valid"),
        "rcpt 550 / rcpt 550: invalid mailbox_missing",
      ])
    })

    test("probes recipients after too many unknown ones in further transactions", async () => {
      const unknown = ["zed", "zoe", "zack", "zara", "zita"].map((name) => `${name}@list.test`)
      const findings = await examine({ at: exim.at.guarded, to: [...unknown, "alice@list.test"] })
      expect(findings.map(({ summary }) => summary)).toEqual([
        ...unknown.map(() => "rcpt 550 / rcpt 550: invalid mailbox_missing"),
        "rcpt 250 / rcpt 550: valid",
      ])
    })

    test("a rate limit in the second session does not make the mailbox invalid", async () => {
      const visit = async () => (await examine({ at: exim.at.limited, to: ["zed@list.test"] }))[0]!
      expect((await visit()).summary).toBe("rcpt 550 / rcpt 550: invalid mailbox_missing")
      const { replyText, summary } = await visit()
      expect(replyText).toMatch(/exceeded the rate limit/)
      expect(summary).toBe("rcpt 550 / rcpt 550: unknown refused_probe")
    })

    describe("with enforced synchronization", () => {
      test("the node waits for a slow greeting", async () => {
        const [finding] = await examine({ at: exim.at.slow, to: ["alice@list.test"] })
        expect(finding!.summary).toBe("rcpt 250 / rcpt 550: valid")
      })

      test("refuses early data, and groups without PIPELINING", async () => {
        const group = ["EHLO probe.test", "MAIL FROM:<me@probe.test>", "RCPT TO:<alice@list.test>"]
        expect(await sendWithoutWaiting(exim.at.slow, group)).toMatch(/^554 SMTP synchronization error/m)
        expect(await sendWithoutWaiting(exim.at.lockstep, group, { afterGreeting: true })).toMatch(
          /^220 .*\s+^554 SMTP synchronization error/m,
        )
      })
    })
  })
