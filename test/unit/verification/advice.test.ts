import { expect, test } from "vitest"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { advise, withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const accepted = rcpt(250, "Ok")
const missing = rcpt(550, "5.1.1 no such user")
const domain = domainFacts({
  spf: { kind: "valid", all: "-", lookups: 1 },
  dmarc: { kind: "record", foundAt: "example.org", policy: "reject", hasReports: true },
})
const alone = domainFacts()
const probed = (
  outcome: Parameters<typeof mailbox>[0],
  control?: Parameters<typeof mailbox>[1],
): Partial<Evidence> => ({
  domain,
  mailbox: mailbox(outcome, control),
})

const listed = (matched: readonly string[], control: Parameters<typeof mailbox>[1]): Partial<Evidence> => ({
  domain: domainFacts({ rbl: { checked: matched, matched, notConsulted: [] } }),
  mailbox: mailbox(accepted, control),
})

type Row = [
  string,
  string,
  Partial<Evidence>,
  [total: number, grade: string, canSend: boolean, string, string | null, string],
]

test.each<Row>([
  ["valid", "ann@example.org", probed(accepted, missing), [90, "A", true, "send", null, "corporate"]],
  [
    "valid, without SPF or DMARC",
    "ann@example.org",
    { domain: alone, mailbox: mailbox(accepted, missing) },
    [86, "B", true, "send", null, "corporate"],
  ],
  ["free", "ann@gmail.com", probed(accepted, missing), [90, "A", true, "send", null, "free"]],
  ["relay", "ann@duck.com", probed(accepted, missing), [90, "A", true, "send", "relay_address", "relay"]],
  ["role", "info@example.org", probed(accepted, missing), [80, "B", true, "send", "role_account", "role"]],
  [
    "catch-all probe inconclusive",
    "ann@example.org",
    probed(accepted),
    [82, "B", true, "send", "catch_all_inconclusive", "corporate"],
  ],
  [
    "catch-all, a person's name",
    "ann.smith@example.org",
    probed(accepted, accepted),
    [76, "B", true, "send", "catch_all", "corporate"],
  ],
  [
    "catch-all, a short word",
    "ann@example.org",
    probed(accepted, accepted),
    [59, "D", false, "do_not_send", "catch_all", "corporate"],
  ],
  [
    "catch-all, random letters",
    "xq7zk2vv@example.org",
    probed(accepted, accepted),
    [57, "D", false, "do_not_send", "catch_all", "corporate"],
  ],
  [
    "catch-all role",
    "info@example.org",
    probed(accepted, accepted),
    [62, "C", true, "send_with_caution", "catch_all", "role"],
  ],
  [
    "disposable",
    "ann@mailinator.com",
    probed(accepted, missing),
    [50, "D", false, "do_not_send", "disposable", "disposable"],
  ],
  ["missing", "ann@example.org", probed(missing), [10, "F", false, "do_not_send", "mailbox_missing", "corporate"]],
  [
    "blocklisted",
    "ann@example.org",
    listed(["truncate.gbudb.net", "zen.spamhaus.org"], missing),
    [66, "C", true, "send_with_caution", "blocklisted:zen.spamhaus.org", "corporate"],
  ],
  [
    "blocklisted catch-all",
    "john.smith@example.org",
    listed(["bl.example.net"], accepted),
    [67, "C", true, "send_with_caution", "blocklisted:bl.example.net", "corporate"],
  ],
  [
    "blocklisted and disposable",
    "ann@mailinator.com",
    listed(["zen.spamhaus.org"], missing),
    [31, "F", false, "do_not_send", "disposable", "disposable"],
  ],
  [
    "no mail host",
    "ann@example.org",
    { domain: domainFacts({ route: { kind: "no_such_domain" } }) },
    [10, "F", false, "do_not_send", "no_mail_host", "corporate"],
  ],
  ["malformed", "a..b@example.org", {}, [0, "F", false, "do_not_send", "malformed", "unknown"]],
  [
    "greylisted",
    "ann@example.org",
    probed(rcpt(451, "4.7.1 Greylisted, try again later")),
    [59, "D", false, "retry_later", "greylisted", "corporate"],
  ],
  [
    "probe refused",
    "ann@example.org",
    probed(rcpt(554, "5.7.1 blocked")),
    [59, "D", false, "retry_later", "refused_probe", "corporate"],
  ],
  [
    "full",
    "ann@example.org",
    probed(rcpt(552, "5.2.2 mailbox full")),
    [59, "D", false, "retry_later", "mailbox_full", "corporate"],
  ],
  [
    "no probe node",
    "ann@example.org",
    { domain, probeProblem: "no_node" },
    [57, "D", false, "retry_later", "no_probe_node", "corporate"],
  ],
  ["not probed", "ann@example.org", { domain }, [57, "D", false, "do_not_send", "not_probed", "corporate"]],
  // No later answer of the server makes it sendable.
  [
    "disposable and greylisted",
    "ann@mailinator.com",
    probed(rcpt(451, "4.7.1 Greylisted, try again later")),
    [19, "F", false, "do_not_send", "disposable", "disposable"],
  ],
])("%s", (_, email, evidence, expected) => {
  const verification = verificationOf(email, evidence)
  const { gradeWithPlus, recommendation, primaryRisk, emailType } = advise(verification)
  const { score, canSend } = verification
  expect([score.total, gradeWithPlus, canSend, recommendation, primaryRisk, emailType]).toEqual(expected)
})

const SUPPRESSED = { ...NO_ACCOUNT_FLAGS, isSuppressed: true }
const RECEIVED = { ...NO_ACCOUNT_FLAGS, isReceived: true }
const BOUNCED = { ...NO_ACCOUNT_FLAGS, hasBounced: true }
const COMPLAINED = { ...NO_ACCOUNT_FLAGS, hasComplained: true }
const later = rcpt(451, "4.7.1 Greylisted, try again later")
const full = rcpt(552, "5.2.2 mailbox full")

test.each([
  ["suppressed", SUPPRESSED, probed(accepted, missing), [90, "A", false, "deliverable", "do_not_send", "suppressed"]],
  ["received from", RECEIVED, probed(accepted, missing), [100, "A+", true, "deliverable", "send", null]],
  ["received from, catch-all", RECEIVED, probed(accepted, accepted), [100, "A+", true, "deliverable", "send", null]],
  ["received from, unclear", RECEIVED, probed(accepted), [100, "A+", true, "deliverable", "send", null]],
  ["received from, greylisted", RECEIVED, probed(later), [84, "B", true, "deliverable", "send", "greylisted"]],
  ["received from, full", RECEIVED, probed(full), [84, "B", false, "unknown", "retry_later", "mailbox_full"]],
  [
    "received from, gone",
    RECEIVED,
    probed(missing),
    [10, "F", false, "undeliverable", "do_not_send", "mailbox_missing"],
  ],
  ["bounced", BOUNCED, probed(accepted, missing), [10, "F", false, "undeliverable", "do_not_send", "hard_bounce"]],
  ["bounced, greylisted", BOUNCED, probed(later), [10, "F", false, "undeliverable", "do_not_send", "hard_bounce"]],
  ["bounced, gone", BOUNCED, probed(missing), [10, "F", false, "undeliverable", "do_not_send", "hard_bounce"]],
  [
    "bounced and suppressed",
    { ...BOUNCED, isSuppressed: true },
    probed(accepted, accepted),
    [10, "F", false, "undeliverable", "do_not_send", "hard_bounce"],
  ],
  [
    "complained",
    COMPLAINED,
    probed(accepted, missing),
    [90, "A", false, "deliverable", "do_not_send", "spam_complaint"],
  ],
  ["complained, greylisted", COMPLAINED, probed(later), [59, "D", false, "unknown", "do_not_send", "spam_complaint"]],
  [
    "complained, catch-all, received from",
    { ...COMPLAINED, isReceived: true },
    probed(accepted, accepted),
    [100, "A+", false, "deliverable", "do_not_send", "spam_complaint"],
  ],
])("%s", (_, flags, evidence, expected) => {
  const verification = withAccountFlags(verificationOf("ann@example.org", evidence), flags)
  const { gradeWithPlus, deliverability, recommendation, primaryRisk } = advise(verification)
  const { score, canSend } = verification
  expect([score.total, gradeWithPlus, canSend, deliverability, recommendation, primaryRisk]).toEqual(expected)
})
