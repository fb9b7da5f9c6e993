import type { SmtpStatus, Status, SubStatus } from "../../schema/vocabulary.ts"

/** The expected result of a sandbox address, in API values of variant A. */
export interface SandboxExpectation {
  readonly status: Status
  readonly sub_status: SubStatus | null
  readonly smtp_status: SmtpStatus
  /** Code of the deciding reply; 0 when there was none. */
  readonly smtp_response_code: number
  /** Also false when it cannot be confirmed. */
  readonly is_catch_all: boolean
}

export interface SandboxAddress {
  readonly address: string
  readonly about: string
  readonly expect: SandboxExpectation
  /** The result after the greylisting time, for the same client, sender and recipient. */
  readonly later?: SandboxExpectation
}

const VALID: SandboxExpectation = {
  status: "valid",
  sub_status: "mailbox_verified",
  smtp_status: "accepted",
  smtp_response_code: 250,
  is_catch_all: false,
}
const ACCEPT_ALL: SandboxExpectation = {
  ...VALID,
  status: "accept_all",
  sub_status: "catch_all_address",
  is_catch_all: true,
}
const NO_MAIL_HOST: SandboxExpectation = {
  status: "invalid",
  sub_status: "domain_not_found",
  smtp_status: "skipped",
  smtp_response_code: 0,
  is_catch_all: false,
}
const MALFORMED: SandboxExpectation = { ...NO_MAIL_HOST, status: "invalid_syntax", sub_status: "invalid_format" }
const UNREACHABLE: SandboxExpectation = {
  status: "unknown",
  sub_status: "connection_failed",
  smtp_status: "error",
  smtp_response_code: 0,
  is_catch_all: false,
}
const DNS_FAILURE: SandboxExpectation = { ...UNREACHABLE, smtp_status: "skipped" }
const TIMEOUT: SandboxExpectation = { ...UNREACHABLE, smtp_status: "timeout" }

const missing = (code: number): SandboxExpectation => ({
  status: "invalid",
  sub_status: "mailbox_not_found",
  smtp_status: "rejected",
  smtp_response_code: code,
  is_catch_all: false,
})
const full = (code: number): SandboxExpectation => ({ ...missing(code), status: "unknown", sub_status: "greylisted" })
const deferred = (code: number): SandboxExpectation => ({ ...full(code), smtp_status: "error" })
/** The server refuses the client: at RCPT this counts as rejected, earlier as an error. */
const refusesClient = (code: number, stage: "rcpt" | "earlier"): SandboxExpectation => ({
  ...missing(code),
  status: "unknown",
  sub_status: "policy_rejection",
  smtp_status: stage === "rcpt" ? "rejected" : "error",
})

/** One address for each outcome of a verification. `npm start` prints them, end-to-end tests verify them. */
export const SANDBOX_ADDRESSES: readonly SandboxAddress[] = [
  { address: "alice@mailbox.test", about: "an ordinary mailbox", expect: VALID },
  { address: "alice+news@mailbox.test", about: "the same mailbox with a subaddress", expect: VALID },
  { address: "support@mailbox.test", about: "a role account", expect: VALID },
  { address: "nobody@mailbox.test", about: "no such mailbox", expect: missing(550) },
  { address: "disabled@mailbox.test", about: "a disabled mailbox", expect: missing(550) },
  { address: "full@mailbox.test", about: "mailbox full, temporary reply", expect: full(452) },
  { address: "overquota@mailbox.test", about: "mailbox full, permanent reply", expect: full(552) },
  { address: "alice@alias.test", about: "the domain is a CNAME of mailbox.test", expect: VALID },
  { address: "alice@xn--bcher-kva.test", about: "an internationalized domain (bücher.test)", expect: VALID },
  { address: "anyone@catch-all.test", about: "the domain accepts every recipient", expect: ACCEPT_ALL },
  { address: "alice@catch-all-unclear.test", about: "catch-all is unclear: others get a 451", expect: VALID },
  { address: "alice@greylist.test", about: "greylisted at first, accepted later", expect: deferred(451), later: VALID },
  { address: "alice@tempfail.test", about: "temporary failure of the server", expect: deferred(450) },
  {
    address: "alice@client-refused.test",
    about: "the client's IP is refused at RCPT",
    expect: refusesClient(554, "rcpt"),
  },
  { address: "alice@not-authorized.test", about: "5.7.1 delivery not authorized", expect: refusesClient(550, "rcpt") },
  { address: "alice@relay-denied.test", about: "the server does not relay for us", expect: refusesClient(554, "rcpt") },
  { address: "alice@banner-refusal.test", about: "refused by the greeting", expect: refusesClient(554, "earlier") },
  { address: "alice@ehlo-refusal.test", about: "the HELO name is refused", expect: refusesClient(550, "earlier") },
  { address: "alice@sender-refusal.test", about: "MAIL FROM is refused", expect: refusesClient(550, "earlier") },
  { address: "alice@one-ip.test", about: "refuses 127.0.0.1 but not 127.0.0.2: valid after a retry", expect: VALID },
  { address: "alice@tarpit.test", about: "answers everything, slowly", expect: VALID },
  { address: "alice@slow-greeting.test", about: "greets late and refuses clients that talk first", expect: VALID },
  { address: "alice@no-pipelining.test", about: "rejects pipelining, which it does not offer", expect: VALID },
  { address: "alice@helo-only.test", about: "supports HELO but not EHLO", expect: VALID },
  { address: "alice@hang.test", about: "accepts the connection, never greets", expect: TIMEOUT },
  { address: "alice@hang-at-rcpt.test", about: "never answers RCPT", expect: TIMEOUT },
  { address: "alice@garbage.test", about: "greets with something that is not SMTP", expect: UNREACHABLE },
  { address: "alice@refused.test", about: "connection refused", expect: UNREACHABLE },
  { address: "alice@drop.test", about: "connection closed after the greeting", expect: UNREACHABLE },
  { address: "alice@reset.test", about: "connection reset at RCPT", expect: UNREACHABLE },
  { address: "alice@starttls.test", about: "STARTTLS with a self-signed certificate, long expired", expect: VALID },
  { address: "alice@starttls-only.test", about: "accepts MAIL only after STARTTLS", expect: VALID },
  { address: "alice@tls-broken.test", about: "the TLS handshake fails, plain text is refused", expect: UNREACHABLE },
  { address: "alice@backup.test", about: "the first MX is down, the second works", expect: VALID },
  { address: "alice@busy.test", about: "the first MX answers 421, the second works", expect: VALID },
  { address: "alice@many-mx.test", about: "25 MX hosts, more than fit into a small UDP answer", expect: VALID },
  { address: "alice@dual-stack.test", about: "the mail host also has an IPv6 address, which is down", expect: VALID },
  { address: "alice@mx-unresolvable.test", about: "the MX host does not exist", expect: UNREACHABLE },
  { address: "alice@mx-private.test", about: "the MX host has a private address", expect: UNREACHABLE },
  { address: "alice@implicit-mx.test", about: "no MX, mail goes to the A record", expect: VALID },
  { address: "josé@utf8.test", about: "non-ASCII local part, the host offers SMTPUTF8", expect: VALID },
  { address: "josé@no-utf8.test", about: "non-ASCII local part, the host lacks SMTPUTF8", expect: UNREACHABLE },
  { address: "alice.mailbox.test", about: "malformed: no at sign", expect: MALFORMED },
  { address: "alice@null-mx.test", about: "null MX: the domain accepts no mail", expect: NO_MAIL_HOST },
  { address: "alice@no-such-domain.test", about: "the domain does not exist", expect: NO_MAIL_HOST },
  { address: "alice@no-mail-host.test", about: "the domain has neither MX nor A", expect: NO_MAIL_HOST },
  { address: "alice@dangling.test", about: "the domain is a CNAME of a missing domain", expect: NO_MAIL_HOST },
  { address: "alice@servfail.test", about: "DNS answers SERVFAIL", expect: DNS_FAILURE },
  { address: "alice@cname-loop.test", about: "the domain is part of a CNAME loop", expect: DNS_FAILURE },
  { address: "alice@dns-timeout.test", about: "DNS does not answer", expect: DNS_FAILURE },
  { address: "someone@inbox.test", about: "stores its mail, see /sandbox/inbox", expect: ACCEPT_ALL },
  { address: "user1@d0042.test", about: "one of the domains d0000.test to d1999.test", expect: VALID },
  { address: "no-1@d0042.test", about: "no such mailbox at that domain", expect: missing(550) },
]
