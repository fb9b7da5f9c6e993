import { afterAll, beforeAll, describe, test } from "vitest"
import { casesAt, checkCase } from "../support/mail/mta-cases.ts"
import { type Postfix, startPostfix } from "../support/mail/mta-postfix.ts"
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
let postfix: Postfix<Service>

testInstalled("Postfix")
if (hasMailServers)
  describe("Postfix", () => {
    beforeAll(async () => {
      postfix = await startPostfix({ main: MAIN, services: SERVICES, files: FILES })
    })
    afterAll(() => postfix?.stop())

    test.for(casesAt("Postfix"))("$service from $from: $address: $summary", (one, context) =>
      checkCase(one, postfix.at[one.service as Service], context),
    )
  })
