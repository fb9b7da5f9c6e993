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
export const BASIC_EXTENSIONS = ["PIPELINING", "SIZE 10485760", "8BITMIME", "ENHANCEDSTATUSCODES"]
/** Ordinary mailboxes at mailbox.test. */
const PEOPLE = ["alice", "bob", "carol", "dave", "dora", "erika", "erin", "frank", "grace", "heidi", "ivan", "judy"]
/** Mailboxes at company.test, all in one address format. */
const STAFF = `alice.johnson peter.kowalski laura.fernandez thomas.becker elena.petrova hannah.weiss juergen.mueller
  xiaoming.wang dmitry.kuznetsov an.nguyen pieter.vanderberg`.split(/\s+/)
/** Mailboxes at namesakes.test: one with a first name alone, two with full names. */
const NAMESAKES = ["alice", "alice.smith", "alice.zuckerbaum"]
const existing = (names: readonly string[]) => ({ mailboxes: Object.fromEntries(names.map((name) => [name, OK])) })
const ALICE = existing(["alice"])

const SCRIPTS: Readonly<Record<string, HostScript & { readonly lastByte: number }>> = {
  "mx.mailbox.test": {
    lastByte: 10,
    mailboxes: {
      ...existing(PEOPLE).mailboxes,
      support: OK,
      postmaster: OK,
      disabled: [
        "550 5.2.1 The email account that you tried to reach is disabled.\n<{recipient}> cannot receive mail.",
      ],
      full: ["452 4.2.2 <{recipient}>: Mailbox full, quota exceeded\nPlease try again later"],
      overquota: ["552 5.2.2 <{recipient}>: Mailbox size limit exceeded, user is over quota"],
    },
  },
  "mx.catch-all.test": { lastByte: 11, otherMailboxes: OK },
  "mx.catch-all-unclear.test": {
    lastByte: 12,
    ...ALICE,
    otherMailboxes: ["451 4.3.0 <{recipient}>: Temporary lookup failure"],
  },
  "mx.greylist.test": { lastByte: 13, mailboxes: { alice: OK, bob: OK, carol: OK }, greylists: true },
  "mx.client-refused.test": {
    lastByte: 14,
    otherMailboxes: ["554 5.7.1 Service unavailable; Client host [{client}] blocked using bl.sandbox.test"],
  },
  "mx.not-authorized.test": {
    lastByte: 15,
    otherMailboxes: ["550 5.7.1 Delivery not authorized, message refused\n[{host}] see your administrator"],
  },
  "mx.relay-denied.test": { lastByte: 16, otherMailboxes: [RELAY_DENIED] },
  "mx.banner-refusal.test": {
    lastByte: 17,
    greeting: ["554 {host} No SMTP service here\nYour IP [{client}] is on our block list", { act: "close" }],
  },
  "mx.ehlo-refusal.test": {
    lastByte: 18,
    ehlo: ["550 5.7.1 <{helo}>: Helo command rejected: Access denied"],
    helo: ["550 5.7.1 <{helo}>: Helo command rejected: Access denied"],
  },
  "mx.sender-refusal.test": {
    lastByte: 19,
    ...ALICE,
    mail: ["550 5.7.1 <{sender}>: Sender address rejected: not welcome here"],
  },
  "mx.one-ip.test": {
    lastByte: 20,
    ...ALICE,
    refuses: {
      clients: ["127.0.0.1"],
      with: ["554 5.7.1 {host} Client host [{client}] blocked, poor reputation", { act: "close" }],
    },
  },
  "mx.tarpit.test": {
    lastByte: 21,
    mailboxes: { alice: OK, dave: OK, erin: OK },
    greetingDelayMs: 1_000,
    replyDelayMs: 700,
  },
  "mx.hang.test": { lastByte: 22, greeting: [{ act: "hang" }] },
  "mx.garbage.test": {
    lastByte: 23,
    greeting: [{ act: "raw", bytes: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }],
  },
  "mx.drop.test": { lastByte: 25, greeting: ["220 {host} ESMTP", { act: "close" }] },
  "mx.tls-broken.test": { lastByte: 28, ...ALICE, breaksTls: true, mail: [{ act: "close" }] },
  "implicit-mx.test": { lastByte: 29, ...ALICE },
  "mx2.backup.test": { lastByte: 31, ...ALICE },
  "mx1.busy.test": { lastByte: 32, greeting: ["421 4.7.0 {host} Too many connections, try again later"] },
  "mx2.busy.test": { lastByte: 33, ...ALICE },
  "mx.utf8.test": { lastByte: 34, mailboxes: { josé: OK, alice: OK }, extensions: [...BASIC_EXTENSIONS, "SMTPUTF8"] },
  "mx.no-utf8.test": { lastByte: 35, ...ALICE },
  "mx.slow-greeting.test": {
    lastByte: 36,
    ...ALICE,
    greetingDelayMs: 400,
    earlyTalk: ["554 5.5.1 {host} Protocol error: you talk too soon", { act: "close" }],
  },
  "mx.no-pipelining.test": { lastByte: 37, ...ALICE, extensions: ["SIZE 10485760", "8BITMIME"] },
  "mx.helo-only.test": { lastByte: 38, ...ALICE, ehlo: ["502 5.5.1 Command not implemented"] },
  "mx.hang-at-rcpt.test": { lastByte: 40, otherMailboxes: [{ act: "hang" }] },
  "mx.tempfail.test": {
    lastByte: 41,
    otherMailboxes: ["450 4.3.2 System not accepting network messages, try again later"],
  },
  "mx.dual-stack.test": { lastByte: 42, ...ALICE },
  "mx.reset.test": { lastByte: 43, otherMailboxes: [{ act: "reset" }] },
  "mx.listed.test": { lastByte: 44, ...ALICE },
  "mx.company.test": { lastByte: 60, ...existing(STAFF), replyDelayMs: 60 },
  "mx.one-alice.test": { lastByte: 62, ...ALICE },
  "mx.namesakes.test": { lastByte: 61, ...existing(NAMESAKES) },
  "mx.facts.test": { lastByte: 45, ...existing(PEOPLE) },
  "mx.counted.test": { lastByte: 46, ...existing(PEOPLE) },
}

const OTHERS: readonly (readonly [lastByte: number, name: string, runs: MailHost["runs"]])[] = [
  [24, "mx.refused.test", { kind: "nothing" }],
  [26, "mx.starttls.test", { kind: "library", role: "starttls" }],
  [27, "mx.starttls-only.test", { kind: "library", role: "starttls-only" }],
  [30, "mx1.backup.test", { kind: "nothing" }],
  [39, "mx.inbox.test", { kind: "library", role: "inbox" }],
]

/** Every mail host has its own address, so that pacing and refusals of one host do not affect the others. */
export const MAIL_HOSTS: readonly MailHost[] = [
  ...Object.entries(SCRIPTS).map(([name, { lastByte, ...script }]) => ({
    name,
    address: address(lastByte),
    runs: { kind: "script", script } as const,
  })),
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
