import { describe, expect, test } from "vitest"
import { REPLY_CLASSES, STATUSES, SUB_STATUSES } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { Deliverability } from "../../../src/console/api/shapes.ts"
import { curlCommand } from "../../../src/console/pages/verification/examples.ts"
import { sentenceOf } from "../../../src/console/pages/verification/sentence.ts"
import { asSentence, SUB_STATUS_WORDS } from "../../../src/console/words.ts"
import { REPLY_RULES } from "../../../src/domain/smtp-reply/classify-reply.ts"
import { OWN_NAME_RULES } from "../../../src/domain/smtp-reply/reply-rules-own-names.ts"
import { type AccountFlags, NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import type { Evidence, MailRoute } from "../../../src/domain/verification/evidence.ts"
import { ruleWords } from "../../../src/domain/verification/ledger.ts"
import { type Verification, withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { presentDeliverability, presentExplanation } from "../../../src/routes/verification/present-deliverability.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const EMAIL = "ann@example.org"
const OK = rcpt(250, "Ok")
const NO_SUCH = rcpt(550, "5.1.1 no such user")
const UNKNOWN = "nothing is known about this mailbox."

const sayingOf = (verification: Verification) => {
  const explanation = presentExplanation(verification, NOW)
  const { says, tone, notes } = sentenceOf({ ...presentDeliverability(verification), explanation } as Deliverability)
  return { says, tone, notes }
}
const probed = (outcome: RecipientOutcome, random = NO_SUCH): Partial<Evidence> => ({
  domain: domainFacts(),
  mailbox: mailbox(outcome, random),
})
const failed = (failure: Extract<RecipientOutcome, { kind: "failure" }>["failure"]) =>
  probed({ kind: "failure", stage: "rcpt", failure, detail: "", ms: 1 })
const routed = (kind: "null_mx" | "no_such_domain" | "no_mail_host" | "dns_failure"): Partial<Evidence> => ({
  domain: domainFacts({ route: { kind } as MailRoute }),
})

type Row = [name: string, evidence: Partial<Evidence>, subStatus: string | null, tone: string, says: string]

const REPLIES: readonly Row[] = [
  ["accepted", probed(OK), "mailbox_verified", "valid", "The mail server confirmed the mailbox."],
  [
    "accepted, random recipient unclear",
    probed(OK, rcpt(451, "4.3.0 try later")),
    "mailbox_verified",
    "valid",
    "The server accepted this mailbox. Whether it accepts every address is unclear.",
  ],
  [
    "accepted, random recipient too",
    probed(OK, OK),
    "catch_all_address",
    "accept_all",
    "The domain accepts every address, so this mailbox cannot be confirmed.",
  ],
  [
    "550 no such user",
    probed(NO_SUCH),
    "mailbox_not_found",
    "invalid",
    "The server says that this mailbox does not exist.",
  ],
  [
    "550 disabled",
    probed(rcpt(550, "5.2.1 mailbox disabled")),
    "mailbox_not_found",
    "invalid",
    "The server says that this mailbox is disabled.",
  ],
  ...([452, 552] as const).map(
    (code): Row => [
      `${code} mailbox full`,
      probed(rcpt(code, `${Math.floor(code / 100)}.2.2 mailbox full`)),
      "greylisted",
      "unknown",
      "Mailbox full: the mailbox exists, but takes no mail now.",
    ],
  ),
  [
    "451 greylisted",
    probed(rcpt(451, "4.7.1 Greylisted for 5 minutes")),
    "greylisted",
    "unknown",
    "The server asked for a later retry (greylisting); nothing is known about this mailbox yet.",
  ],
  [
    "450 temporary",
    probed(rcpt(450, "4.3.2 system not accepting messages")),
    "greylisted",
    "unknown",
    "The server has a temporary failure; nothing is known about this mailbox yet.",
  ],
  [
    "500 at RCPT",
    probed(rcpt(500, "5.5.1 command unrecognized")),
    "connection_failed",
    "unknown",
    `The server did not follow the SMTP protocol; ${UNKNOWN}`,
  ],
  [
    "554 relay denied",
    probed(rcpt(554, "5.7.1 Relay access denied")),
    "policy_rejection",
    "unknown",
    `The server does not accept mail for this domain from us; ${UNKNOWN}`,
  ],
  ...(
    [
      [554, "5.7.1 Client host [192.0.2.2] blocked using zen.spamhaus.org", "The server blocked our IP"],
      [550, "5.7.25 reverse DNS missing", "The server refused the reverse name of our IP"],
      [550, "5.7.1 <probe.example.net>: Helo command rejected", "The server refused the name of our host"],
      [550, "5.1.8 sender address rejected", "The server refused our sender address"],
      [450, "4.7.1 too many connections from your host, rate limited", "The server limits our rate"],
      [530, "5.7.0 Must issue a STARTTLS command first", "The server requires encryption that we did not offer"],
      [550, "5.7.1 delivery not authorized", "The server refused our probe by its policy"],
    ] as const
  ).map(
    ([code, text, words]): Row => [
      `${code} ${text}`,
      probed(rcpt(code, text)),
      "policy_rejection",
      "unknown",
      `${words}; ${UNKNOWN}`,
    ],
  ),
]

const UNANSWERED: readonly Row[] = [
  ...(
    [
      ["dns", "The name of the mail server has no address"],
      ["blocked_address", "The mail server has a private address"],
      ["refused", "The mail server refused the connection"],
      ["unreachable", "The mail server could not be reached"],
      ["reset", "The mail server closed the connection"],
      ["timeout", "The mail server did not answer in time"],
      ["deadline", "The time limit passed before the mail server answered"],
      ["tls", "The encrypted connection to the mail server failed"],
      ["protocol", "The server did not follow the SMTP protocol"],
      ["proxy", "Our proxy did not reach the mail server"],
      ["smtputf8_unsupported", "The server does not support the letters of this address (SMTPUTF8)"],
      ["throttled", "Our own rate limit stopped the probe"],
      ["shutdown", "The probe node stopped before the mail server answered"],
    ] as const
  ).map(([failure, words]): Row => [failure, failed(failure), "connection_failed", "unknown", `${words}; ${UNKNOWN}`]),
  [
    "deadline before the probe",
    { domain: domainFacts(), probeProblem: "deadline" },
    "connection_failed",
    "unknown",
    `The time limit passed before the mail server answered; ${UNKNOWN}`,
  ],
  [
    "no probe node",
    { domain: domainFacts(), probeProblem: "no_node" },
    "connection_failed",
    "unknown",
    `No probe node was available, so the mail server was not contacted; ${UNKNOWN}`,
  ],
  ["not probed", { domain: domainFacts() }, null, "unknown", `The mail server was not probed; ${UNKNOWN}`],
]

const ROUTES: readonly Row[] = [
  ["null MX", routed("null_mx"), "domain_not_found", "invalid", "The domain declares that it accepts no mail."],
  [
    "no such domain",
    routed("no_such_domain"),
    "domain_not_found",
    "invalid",
    "The domain does not exist, so no mail can arrive.",
  ],
  [
    "no mail host",
    routed("no_mail_host"),
    "domain_not_found",
    "invalid",
    "The domain has no mail server, so no mail can arrive.",
  ],
  [
    "DNS failure",
    routed("dns_failure"),
    "connection_failed",
    "unknown",
    "DNS did not answer; this is not held against the address.",
  ],
]

describe("the verdict in one sentence", () => {
  test.each([...REPLIES, ...UNANSWERED, ...ROUTES])("%s", (_, evidence, subStatus, tone, says) => {
    const verification = verificationOf(EMAIL, evidence)
    expect(verification.verdict.subStatus).toBe(subStatus)
    expect(sayingOf(verification)).toEqual({ says, tone, notes: [] })
    const { ledger } = presentExplanation(verification, NOW)
    expect(ledger.filter(({ rule, means }) => (rule === null) !== (means === null))).toEqual([])
  })

  test.each(STATUSES.flatMap((status) => [...SUB_STATUSES, null].map((sub_status) => [status, sub_status] as const)))(
    "without an explanation, %s and %s agree with the general words",
    (status, sub_status) => {
      const plain = presentDeliverability(verificationOf(EMAIL, probed(OK))) as Deliverability
      const result = { ...plain, deliverability: "unknown" as const, sub_status, checks: { ...plain.checks, status } }
      const says = sub_status ? SUB_STATUS_WORDS[sub_status] : `The mail server was not probed; ${UNKNOWN}`
      expect(sentenceOf(result)).toEqual({ says, tone: status, notes: [] })
    },
  )

  test("has a row for each reply class", () => {
    const classes = new Set(
      REPLIES.map(([, evidence]) => verificationOf(EMAIL, evidence).verdict.reply?.class ?? "no reply"),
    )
    expect([...classes].toSorted()).toEqual([...REPLY_CLASSES].toSorted())
  })

  test.each([
    ["alice.mailbox.test", "it has no @ sign"],
    ["", "it is empty"],
    ["ann@example", "its domain has no dot"],
    ["ann@example..org", "its domain has two dots in a row, or begins with a dot"],
    ["ann@", "nothing follows the @ sign"],
  ])("of the malformed %j names the fault", (email, fault) => {
    const says = `This is not an email address: ${fault}.`
    expect(sayingOf(verificationOf(email))).toMatchObject({ says, tone: "invalid_syntax" })
    const syntax = presentExplanation(verificationOf(email), NOW).ledger.find((entry) => entry.fact === "syntax")
    expect(syntax!.means).toBe(says)
  })

  test.each<[string, Partial<AccountFlags>, Partial<Evidence>, { says?: string; tone: string; notes: string[] }]>([
    [
      "a hard bounce",
      { hasBounced: true },
      probed(OK),
      { says: "Your account reported a hard bounce: the mailbox does not exist.", tone: "invalid", notes: [] },
    ],
    [
      "received mail at a catch-all",
      { isReceived: true },
      probed(OK, OK),
      { says: "Your account received mail from this address, so the mailbox exists.", tone: "valid", notes: [] },
    ],
    [
      "a suppression of a valid address",
      { isSuppressed: true },
      probed(OK),
      { tone: "accept_all", notes: ["The address, or its whole domain, is on your suppression list."] },
    ],
    [
      "a complaint",
      { hasComplained: true },
      probed(OK),
      { tone: "accept_all", notes: ["Your account reported a spam complaint of this address."] },
    ],
  ])("with %s of the account", (_, flags, evidence, expected) => {
    const verification = withAccountFlags(verificationOf(EMAIL, evidence), { ...NO_ACCOUNT_FLAGS, ...flags })
    expect(sayingOf(verification)).toMatchObject(expected)
  })
})

test("every rule that reads a reply has an explanation", () => {
  const ids = [...REPLY_RULES, ...OWN_NAME_RULES].map(({ id }) => id)
  expect([...ids, "reply.accepted", "reply.unexpected"].filter((id) => ruleWords(id) === null)).toEqual([])
  expect(ruleWords("unheard-of")).toBeNull()
})

test("the cURL command quotes what a shell would read", () => {
  expect(curlCommand("https://api.example", { email: "o'neil@example.org" })).toBe(
    `curl -s 'https://api.example/validate' \\
  -H "X-API-Key: $MAILVERDICT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"o'\\''neil@example.org"}'`,
  )
})

test.each([
  ["john_doe@example.org is on your suppression list", "john_doe@example.org is on your suppression list."],
  ["recorded as received", "Recorded as received."],
  ["Recorded.", "Recorded."],
])("the message %j of the API reads %j", (message, words) => {
  expect(asSentence(message)).toBe(words)
})
