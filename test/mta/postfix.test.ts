import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Postfix, startPostfix } from "../support/mail/mta-postfix.ts"
import { examine } from "../support/mail/mta-probe.ts"
import { hasMailServers, testInstalled } from "../support/mail/mta-root.ts"

const MAIN = {
  virtual_mailbox_domains: "list.test",
  virtual_mailbox_maps:
    "inline:{ alice@list.test=alice, full@list.test=full, over@list.test=over, off@list.test=off, jörg@list.test=joerg }",
  virtual_alias_domains: "catchall.test",
  virtual_alias_maps: "inline:{ @catchall.test=alice@list.test }",
  mydestination: "local.test",
  local_recipient_maps: "inline:{ alice=alice }",
  relay_domains: "relay.test",
  relay_recipient_maps: "inline:{ alice@relay.test=alice }",
  smtpd_recipient_restrictions: "check_recipient_access texthash:$home/recipients, permit",
}

const FILES = {
  recipients: [
    "full@list.test 452 4.2.2 The email account is over quota",
    "over@list.test 552 5.2.2 Mailbox full",
    "off@list.test 550 5.2.1 This account has been disabled",
    "busy@list.test DEFER",
  ].join("\n"),
}

const client = (restrictions: string) => ({ settings: { smtpd_client_restrictions: restrictions } })
const SERVICES = {
  plain: {},
  ascii: { settings: { smtputf8_enable: "no" } },
  soft: { settings: { soft_bounce: "yes" } },
  unverified: {
    settings: { smtpd_recipient_restrictions: "reject_unverified_recipient, permit", address_verify_poll_count: "1" },
  },
  denied: client("check_client_access static:REJECT"),
  listed: client("check_client_access static:{521 5.7.1 Blocked, see https://bl.test/?ip=127.0.0.1}"),
  nameless: {
    settings: { smtpd_client_restrictions: "reject_unknown_client_hostname", unknown_client_reject_code: "550" },
  },
  deferred: client("check_client_access static:{DEFER Too many connections}"),
  helo: { settings: { smtpd_helo_required: "yes", smtpd_helo_restrictions: "check_helo_access static:REJECT" } },
  heloAtOnce: { settings: { smtpd_delay_reject: "no", smtpd_helo_restrictions: "check_helo_access static:REJECT" } },
  atOnce: { settings: { smtpd_delay_reject: "no", smtpd_client_restrictions: "check_client_access static:REJECT" } },
  sender: { settings: { smtpd_sender_restrictions: "check_sender_access static:REJECT" } },
  senderDomain: { settings: { smtpd_sender_restrictions: "reject_unknown_sender_domain" } },
  senderAtOnce: {
    settings: { smtpd_delay_reject: "no", smtpd_sender_restrictions: "check_sender_access static:REJECT" },
  },
  policy: {
    settings: {
      smtpd_recipient_restrictions: "check_policy_service inet:127.0.0.1:1, permit",
      smtpd_policy_service_try_limit: "1",
    },
  },
} as const

type Service = keyof typeof SERVICES
/** Service, recipient, expected report and verdict, and text of Postfix's reply. */
const CASES: readonly (readonly [Service, string, string, RegExp])[] = [
  ["plain", "alice@list.test", "rcpt 250 / rcpt 550: valid", /Ok/],
  ["plain", "zed@list.test", "rcpt 550 / rcpt 550: invalid mailbox_missing", /unknown in virtual mailbox table/],
  ["plain", "alice@local.test", "rcpt 250 / rcpt 550: valid", /Ok/],
  ["plain", "zed@local.test", "rcpt 550 / rcpt 550: invalid mailbox_missing", /unknown in local recipient table/],
  ["plain", "alice@relay.test", "rcpt 250 / rcpt 550: valid", /Ok/],
  ["plain", "zed@relay.test", "rcpt 550 / rcpt 550: invalid mailbox_missing", /unknown in relay recipient table/],
  ["plain", "zed@catchall.test", "rcpt 250 / rcpt 250: accept_all catch_all", /Ok/],
  ["plain", "zed@other.test", "rcpt 554 / rcpt 554: unknown relay_denied", /Relay access denied/],
  ["plain", "full@list.test", "rcpt 452 / rcpt 550: unknown mailbox_full", /over quota/],
  ["plain", "over@list.test", "rcpt 552 / rcpt 550: unknown mailbox_full", /Mailbox full/],
  ["plain", "off@list.test", "rcpt 550 / rcpt 550: invalid mailbox_disabled", /disabled/],
  ["plain", "busy@list.test", "rcpt 450 / rcpt 550: unknown temporary_failure", /Recipient address rejected/],
  ["plain", "jörg@list.test", "rcpt 250 / rcpt 550: valid", /Ok/],
  ["plain", "jürgen@list.test", "rcpt 550 / rcpt 550: invalid mailbox_missing", /unknown in virtual mailbox table/],
  [
    "ascii",
    "jörg@list.test",
    "mail smtputf8_unsupported / mail smtputf8_unsupported: unknown smtputf8_unsupported",
    /SMTPUTF8/,
  ],
  ["soft", "zed@list.test", "rcpt 450 / rcpt 450: unknown temporary_failure", /unknown in virtual mailbox table/],
  ["unverified", "alice@list.test", "rcpt 450 / rcpt 450: unknown temporary_failure", /verification/],
  ["denied", "alice@list.test", "rcpt 554 / rcpt 554: unknown refused_probe", /Client host rejected/],
  ["denied", "zed@list.test", "rcpt 554 / rcpt 554: unknown refused_probe", /Client host rejected/],
  // It hangs up with its reply, and the node opens no new session for the catch-all probe alone.
  ["listed", "zed@list.test", "rcpt 521 / rcpt reset: unknown refused_probe", /Blocked/],
  ["nameless", "zed@list.test", "rcpt 550 / rcpt 550: unknown refused_probe", /cannot find your hostname/],
  ["deferred", "zed@list.test", "rcpt 450 / rcpt 450: unknown refused_probe", /Too many connections/],
  ["helo", "zed@list.test", "rcpt 554 / rcpt 554: unknown refused_probe", /Helo command rejected/],
  ["heloAtOnce", "zed@list.test", "ehlo 554 / ehlo 554: unknown refused_probe", /Helo command rejected/],
  ["atOnce", "zed@list.test", "banner 554 / banner 554: unknown refused_probe", /Client host rejected/],
  ["sender", "zed@list.test", "rcpt 554 / rcpt 554: unknown refused_probe", /Sender address rejected/],
  ["senderDomain", "zed@list.test", "rcpt 450 / rcpt 450: unknown refused_probe", /Domain not found/],
  ["senderAtOnce", "zed@list.test", "mail 554 / mail 554: unknown refused_probe", /Sender address rejected/],
  ["policy", "zed@list.test", "rcpt 451 / rcpt 451: unknown temporary_failure", /Server configuration problem/],
]

let postfix: Postfix<Service>

testInstalled("Postfix")
if (hasMailServers)
  describe("Postfix", () => {
    beforeAll(async () => {
      postfix = await startPostfix({ main: MAIN, services: SERVICES, files: FILES })
    })
    afterAll(() => postfix?.stop())

    test.each(CASES)("%s: %s", async (service, to, summary, text) => {
      const [finding] = await examine({ at: postfix.at[service], to: [to] })
      expect(finding!.replyText).toMatch(text)
      expect(finding!.summary).toBe(summary)
    })
  })
