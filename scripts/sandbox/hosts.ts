/** The mail hosts of the sandbox and their replies at each step of a session. Data only. */

/** One action of a host. A string is a reply; a line break in it makes a multi-line reply (RFC 5321 §4.2.1). */
export type Step =
  | string
  | { readonly act: "hang" } // keeps the connection open and sends nothing more
  | { readonly act: "close" } // closes the connection without a reply
  | { readonly act: "reset" } // closes it by RST
  | { readonly act: "raw"; readonly bytes: string } // sends bytes that are not SMTP

/** The behavior of a scripted host. Missing parts follow a regular server. */
export interface HostScript {
  readonly greeting?: readonly Step[]
  /** Delay before the greeting, in ms. Early input of the client is recorded. */
  readonly greetingDelayMs?: number
  /** Reply instead of the greeting for a client that talks first. */
  readonly earlyTalk?: readonly Step[]
  readonly ehlo?: readonly Step[]
  readonly helo?: readonly Step[]
  readonly mail?: readonly Step[]
  /** Replies by local part, without subaddress and in lower case. */
  readonly mailboxes?: Readonly<Record<string, readonly Step[]>>
  readonly otherMailboxes?: readonly Step[]
  /** Every mailbox whose name starts with "user" exists. */
  readonly bulkMailboxes?: true
  /** Replaces the usual extensions. */
  readonly extensions?: readonly string[]
  /** Delay before each reply, in ms. */
  readonly replyDelayMs?: number
  /** Client addresses that get `with` instead of the greeting. */
  readonly refuses?: { readonly clients: readonly string[]; readonly with: readonly Step[] }
  /** Existing recipients are greylisted at first. */
  readonly greylists?: true
  /** Offers STARTTLS and breaks off the handshake. */
  readonly breaksTls?: true
}

export interface MailHost {
  readonly name: string
  readonly address: string
  readonly runs:
    | { readonly kind: "script"; readonly script: HostScript }
    /** Runs on npm smtp-server, with its own self-signed certificate. */
    | { readonly kind: "library"; readonly role: "starttls" | "starttls-only" | "inbox" }
    /** Has an address without a listener. */
    | { readonly kind: "nothing" }
}

export const SMTP_NETWORK = "127.42.0.0/16"
export const UNKNOWN_USER = "550 5.1.1 <{recipient}>: Recipient address rejected: User unknown in local recipient table"
export const RELAY_DENIED = "554 5.7.1 <{recipient}>: Relay access denied"
export const GREYLISTED =
  "451 4.7.1 <{recipient}>: Recipient address rejected: Greylisted, please try again in {seconds} seconds"
/** The numbered domains share these hosts. */
export const BULK_HOSTS = 20

const OK = ["250 2.1.5 Ok"]
const BASIC_EXTENSIONS = ["PIPELINING", "SIZE 10485760", "8BITMIME", "ENHANCEDSTATUSCODES"]
/** Ordinary mailboxes at mailbox.test. */
const PEOPLE = ["alice", "bob", "carol", "dave", "dora", "erika", "erin", "frank", "grace", "heidi", "ivan", "judy"]
/** Mailboxes at company.test, all in one address format. */
const STAFF = `alice.johnson peter.kowalski laura.fernandez thomas.becker elena.petrova hannah.weiss juergen.mueller
  xiaoming.wang dmitry.kuznetsov an.nguyen pieter.vanderberg`.split(/\s+/)
/** Mailboxes at namesakes.test: one with a first name alone, two with full names. */
const NAMESAKES = ["alice", "alice.smith", "alice.zuckerbaum"]
const ALICE = { mailboxes: { alice: OK } }

const SCRIPTS: readonly (readonly [lastByte: number, name: string, script: HostScript])[] = [
  [
    10,
    "mx.mailbox.test",
    {
      mailboxes: {
        ...Object.fromEntries(PEOPLE.map((name) => [name, OK])),
        support: OK,
        postmaster: OK,
        disabled: [
          "550 5.2.1 The email account that you tried to reach is disabled.\n<{recipient}> cannot receive mail.",
        ],
        full: ["452 4.2.2 <{recipient}>: Mailbox full, quota exceeded\nPlease try again later"],
        overquota: ["552 5.2.2 <{recipient}>: Mailbox size limit exceeded, user is over quota"],
      },
    },
  ],
  [11, "mx.catch-all.test", { otherMailboxes: OK }],
  [
    12,
    "mx.catch-all-unclear.test",
    { ...ALICE, otherMailboxes: ["451 4.3.0 <{recipient}>: Temporary lookup failure"] },
  ],
  [13, "mx.greylist.test", { mailboxes: { alice: OK, bob: OK, carol: OK }, greylists: true }],
  [
    14,
    "mx.client-refused.test",
    { otherMailboxes: ["554 5.7.1 Service unavailable; Client host [{client}] blocked using bl.sandbox.test"] },
  ],
  [
    15,
    "mx.not-authorized.test",
    { otherMailboxes: ["550 5.7.1 Delivery not authorized, message refused\n[{host}] see your administrator"] },
  ],
  [16, "mx.relay-denied.test", { otherMailboxes: [RELAY_DENIED] }],
  [
    17,
    "mx.banner-refusal.test",
    { greeting: ["554 {host} No SMTP service here\nYour IP [{client}] is on our block list", { act: "close" }] },
  ],
  [
    18,
    "mx.ehlo-refusal.test",
    {
      ehlo: ["550 5.7.1 <{helo}>: Helo command rejected: Access denied"],
      helo: ["550 5.7.1 <{helo}>: Helo command rejected: Access denied"],
    },
  ],
  [
    19,
    "mx.sender-refusal.test",
    { ...ALICE, mail: ["550 5.7.1 <{sender}>: Sender address rejected: not welcome here"] },
  ],
  [
    20,
    "mx.one-ip.test",
    {
      ...ALICE,
      refuses: {
        clients: ["127.0.0.1"],
        with: ["554 5.7.1 {host} Client host [{client}] blocked, poor reputation", { act: "close" }],
      },
    },
  ],
  [21, "mx.tarpit.test", { mailboxes: { alice: OK, dave: OK, erin: OK }, greetingDelayMs: 1_000, replyDelayMs: 700 }],
  [22, "mx.hang.test", { greeting: [{ act: "hang" }] }],
  [
    23,
    "mx.garbage.test",
    { greeting: [{ act: "raw", bytes: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }] },
  ],
  [25, "mx.drop.test", { greeting: ["220 {host} ESMTP", { act: "close" }] }],
  [28, "mx.tls-broken.test", { ...ALICE, breaksTls: true, mail: [{ act: "close" }] }],
  [29, "implicit-mx.test", ALICE],
  [31, "mx2.backup.test", ALICE],
  [32, "mx1.busy.test", { greeting: ["421 4.7.0 {host} Too many connections, try again later"] }],
  [33, "mx2.busy.test", ALICE],
  [34, "mx.utf8.test", { mailboxes: { josé: OK, alice: OK }, extensions: [...BASIC_EXTENSIONS, "SMTPUTF8"] }],
  [35, "mx.no-utf8.test", ALICE],
  [
    36,
    "mx.slow-greeting.test",
    {
      ...ALICE,
      greetingDelayMs: 400,
      earlyTalk: ["554 5.5.1 {host} Protocol error: you talk too soon", { act: "close" }],
    },
  ],
  [37, "mx.no-pipelining.test", { ...ALICE, extensions: ["SIZE 10485760", "8BITMIME"] }],
  [38, "mx.helo-only.test", { ...ALICE, ehlo: ["502 5.5.1 Command not implemented"] }],
  [40, "mx.hang-at-rcpt.test", { otherMailboxes: [{ act: "hang" }] }],
  [41, "mx.tempfail.test", { otherMailboxes: ["450 4.3.2 System not accepting network messages, try again later"] }],
  [42, "mx.dual-stack.test", ALICE],
  [43, "mx.reset.test", { otherMailboxes: [{ act: "reset" }] }],
  [44, "mx.listed.test", ALICE],
  [60, "mx.company.test", { mailboxes: Object.fromEntries(STAFF.map((name) => [name, OK])), replyDelayMs: 60 }],
  [62, "mx.one-alice.test", ALICE],
  [61, "mx.namesakes.test", { mailboxes: Object.fromEntries(NAMESAKES.map((name) => [name, OK])) }],
  [45, "mx.facts.test", { mailboxes: Object.fromEntries(PEOPLE.map((name) => [name, OK])) }],
  [46, "mx.counted.test", { mailboxes: Object.fromEntries(PEOPLE.map((name) => [name, OK])) }],
]

const OTHERS: readonly (readonly [lastByte: number, name: string, runs: MailHost["runs"]])[] = [
  [24, "mx.refused.test", { kind: "nothing" }],
  [26, "mx.starttls.test", { kind: "library", role: "starttls" }],
  [27, "mx.starttls-only.test", { kind: "library", role: "starttls-only" }],
  [30, "mx1.backup.test", { kind: "nothing" }],
  [39, "mx.inbox.test", { kind: "library", role: "inbox" }],
]

/** Every mail host has its own address, so that pacing and refusals of one host do not affect the others. */
export const MAIL_HOSTS: readonly MailHost[] = [
  ...SCRIPTS.map(([at, name, script]) => ({ name, address: address(at), runs: { kind: "script", script } as const })),
  ...OTHERS.map(([at, name, runs]) => ({ name, address: address(at), runs })),
  ...Array.from({ length: BULK_HOSTS }, (_, n) => ({
    name: bulkHostName(n),
    address: address(200 + n),
    runs: { kind: "script", script: { bulkMailboxes: true } } as const,
  })),
]

/** The host of a numbered domain. d0000.test, d0020.test, d0040.test … share the first host. */
export function bulkHostName(domain: number): string {
  return `mx${String(domain % BULK_HOSTS).padStart(2, "0")}.bulk.test`
}

function address(lastByte: number): string {
  return `127.42.0.${lastByte}`
}
