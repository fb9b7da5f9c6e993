import { HOUR_MS, MINUTE_MS } from "../time.ts"

/** A limit that grows with the caller's credits. It bounds one list or one answer, so nothing is counted. */
export interface CreditShare {
  readonly perCredit: number
  /** Allowed in addition to the share of the credits. */
  readonly base?: number
  readonly atLeast?: number
  readonly atMost?: number
}

interface Described {
  /** The work as the documentation names it. */
  readonly work: string
  readonly countedFor: string
  readonly reason: string
}

interface Counted extends Described {
  /** The first part of the rate limiter's name. The subject is the second part. */
  readonly limiter: string
  /** The size of what counts as 1, where that is more than one thing. */
  readonly unit?: number
}

/** Counted exactly, by a Durable Object. */
interface CountedEverywhere extends Counted {
  readonly place: "everywhere"
  readonly limit: number
  readonly windowMs: number
}

/** Counted in memory by each isolate for itself. It needs no network call, and its only window is a minute. */
interface CountedInIsolate extends Counted {
  readonly place: "isolate"
  readonly limit: number | { readonly perRequest: number }
  readonly windowMs: typeof MINUTE_MS
}

/** Bounded within one request. */
interface Bounded extends Described {
  readonly place: "request"
  readonly limit: CreditShare
}

export type CountedRow = CountedEverywhere | CountedInIsolate
export type FreeWorkRow = CountedRow | Bounded

/** A batch's bounces count in groups of this size. */
const BOUNCE_GROUP = 20
const BOUNCE_GROUPS = 120

/** The limits on work that costs no credit. docs/api.md and docs/decisions/limits.md repeat them (tested). */
export const FREE_WORK = {
  adminFailures: {
    work: "wrong admin secrets",
    limiter: "admin",
    place: "everywhere",
    countedFor: "network",
    limit: 10,
    windowMs: MINUTE_MS,
    reason: "Guessing the secret takes too long.",
  },
  refusedCredentials: {
    work: "refused keys, sessions, sign-in links and tokens",
    limiter: "refused",
    place: "isolate",
    countedFor: "network",
    limit: 300,
    windowMs: MINUTE_MS,
    reason: "Each look-up is a query. Credentials that this isolate has accepted are not counted.",
  },
  refusedOfUnknownClients: {
    work: "refused credentials of clients without a known network",
    limiter: "refused",
    place: "isolate",
    countedFor: "all such clients",
    limit: 1_200,
    windowMs: MINUTE_MS,
    reason: "All of them share it, so it is higher: 20 look-ups a second.",
  },
  signInsOfNetwork: {
    work: "sign-in mails",
    limiter: "sign-in",
    place: "everywhere",
    countedFor: "network",
    limit: 5,
    windowMs: MINUTE_MS,
    reason: "With a limit by key, a new key each day could mail strangers.",
  },
  signInsOfUnknownClients: {
    work: "sign-in mails to clients without a known network",
    limiter: "sign-in",
    place: "everywhere",
    countedFor: "all such clients",
    limit: 60,
    windowMs: MINUTE_MS,
    reason: "With five, one client could lock out all others. Mail services allow more (Resend: five a second).",
  },
  signInsOfMailbox: {
    work: "sign-in mails to a mailbox",
    limiter: "sign-in",
    place: "everywhere",
    countedFor: "mailbox",
    limit: 5,
    windowMs: 15 * MINUTE_MS,
    reason: "A link works as long, so a refused mailbox has a working link.",
  },
  signInsOfKnownBrowsers: {
    work: "sign-in mails to a mailbox, requested in browsers that signed in to it before",
    limiter: "sign-in-known",
    place: "everywhere",
    countedFor: "mailbox",
    limit: 5,
    windowMs: 15 * MINUTE_MS,
    reason: "Strangers cannot use it up. The three limits above do not apply.",
  },
  strangerKeys: {
    work: "keys created without a key",
    limiter: "keys",
    place: "everywhere",
    countedFor: "network",
    limit: 5,
    windowMs: HOUR_MS,
    reason: "Each key is a new account with its own free month.",
  },
  deviceCodes: {
    work: "codes of programs that sign in",
    limiter: "device-codes",
    place: "everywhere",
    countedFor: "network",
    limit: 20,
    windowMs: 15 * MINUTE_MS,
    reason: "Each code is a row, which any program can create. A code works as long.",
  },
  deviceCodesOfUnknownClients: {
    work: "codes of programs without a known network",
    limiter: "device-codes",
    place: "everywhere",
    countedFor: "all such clients",
    limit: 60,
    windowMs: MINUTE_MS,
    reason: "With 20, one client could lock out all others for 15 minutes.",
  },
  codeExchanges: {
    work: "polls and exchanges of programs' codes",
    limiter: "code-exchanges",
    place: "isolate",
    countedFor: "network",
    limit: 300,
    windowMs: MINUTE_MS,
    reason: "Each is a query, and a poll may be a write. The 20 codes of a network need 240 polls a minute.",
  },
  codeExchangesOfUnknownClients: {
    work: "polls and exchanges of programs' codes without a known network",
    limiter: "code-exchanges",
    place: "isolate",
    countedFor: "all such clients",
    limit: 3_000,
    windowMs: MINUTE_MS,
    reason: "All of them share it, so it is higher: 250 programs can wait at once.",
  },
  userCodes: {
    work: "typed codes of programs",
    limiter: "user-codes",
    place: "everywhere",
    countedFor: "account",
    limit: 30,
    windowMs: 15 * MINUTE_MS,
    reason: "Guessing a code of 34 bits takes too long (RFC 8628 5.1).",
  },
  accountExports: {
    work: "exports of an account",
    limiter: "account-exports",
    place: "everywhere",
    countedFor: "account",
    limit: 10,
    windowMs: HOUR_MS,
    reason: "An export reads every row of the account.",
  },
  paymentPages: {
    work: "pages of the payment processor",
    limiter: "payment-pages",
    place: "everywhere",
    countedFor: "account or network",
    limit: 20,
    windowMs: HOUR_MS,
    reason: "The processor limits the calls of the whole service.",
  },
  secrets: {
    work: "keys, rotated keys and node tokens",
    limiter: "secrets",
    place: "everywhere",
    countedFor: "account",
    limit: 100,
    windowMs: HOUR_MS,
    reason: "A key's row is permanent.",
  },
  unconfirmedKeys: {
    work: "unconfirmed keys joined or revoked",
    limiter: "unconfirmed-keys",
    place: "everywhere",
    countedFor: "account",
    limit: 100,
    windowMs: HOUR_MS,
    reason: "A key that joins moves all data of its account.",
  },
  domainIntel: {
    work: "domain descriptions",
    limiter: "domain-intel",
    place: "everywhere",
    countedFor: "network",
    limit: 60,
    windowMs: MINUTE_MS,
    reason: "They require no key.",
  },
  integrationMessages: {
    work: "messages",
    limiter: "integration",
    place: "everywhere",
    countedFor: "integration",
    limit: 60,
    windowMs: MINUTE_MS,
    reason: "Slack accepts at most one message a second.",
  },
  integrationChecks: {
    work: "checks of credentials",
    limiter: "integration-check",
    place: "everywhere",
    countedFor: "account",
    limit: 30,
    windowMs: MINUTE_MS,
    reason: "Stolen tokens cannot be tested here.",
  },
  bounceGroups: {
    work: "groups of bounces in a provider's batches",
    limiter: "events",
    place: "everywhere",
    countedFor: "account",
    limit: BOUNCE_GROUPS,
    unit: BOUNCE_GROUP,
    windowMs: MINUTE_MS,
    reason: "Each bounce, complaint or unsubscription is a write at the edge.",
  },
  singleBounces: {
    work: "bounces that a provider sends one by one",
    limiter: "events",
    place: "isolate",
    countedFor: "account",
    limit: BOUNCE_GROUP * BOUNCE_GROUPS,
    windowMs: MINUTE_MS,
    reason: "The same number as in batches, without a limiter call for each.",
  },
  writes: {
    work: "single reports, single suppressions and uses of an `Idempotency-Key`",
    limiter: "writes",
    place: "isolate",
    countedFor: "account or network",
    limit: { perRequest: 100 },
    windowMs: MINUTE_MS,
    reason: "Senders report each message, so a report is no request. The limit stops floods.",
  },
  historyAnswers: {
    work: "free answers stored in the history",
    limiter: "answers",
    place: "isolate",
    countedFor: "account",
    limit: { perRequest: 6 },
    windowMs: MINUTE_MS,
    reason: "An answer takes 3 KB. Answers beyond the limit are only counted.",
  },
  formAnswers: {
    work: "answers to forms",
    limiter: "forms",
    place: "isolate",
    countedFor: "account",
    limit: { perRequest: 12 },
    windowMs: MINUTE_MS,
    reason: "The owner of a key chooses its budget and makes new keys, so limits of a key do not limit DNS queries.",
  },
  readBytes: {
    work: "bytes read of files and lists beyond their paid rows",
    limiter: "read-bytes",
    place: "isolate",
    countedFor: "account or network",
    limit: 2_500,
    unit: 10_000,
    windowMs: MINUTE_MS,
    reason: "1 MB takes 40 to 110 ms of CPU. The largest file fits, and the accounts of an isolate share its thread.",
  },
  readRows: {
    work: "rows read of files beyond their paid rows",
    limiter: "read-rows",
    place: "isolate",
    countedFor: "account or network",
    limit: 1_200,
    unit: 1_000,
    windowMs: MINUTE_MS,
    reason: "A preview takes 2 us of CPU for each row. A file has at most a million.",
  },
  listText: {
    work: "blocks of characters of lists beyond their credits",
    limiter: "lists",
    place: "everywhere",
    countedFor: "account",
    limit: 60,
    unit: 1_000_000,
    windowMs: HOUR_MS,
    reason: "Free lines are stored too.",
  },
  testAddresses: {
    work: "addresses of test mode in lists",
    limiter: "test-addresses",
    place: "everywhere",
    countedFor: "account or network",
    limit: 10_000,
    windowMs: HOUR_MS,
    reason: "They are verified and stored like others. A limit of credits does not bound them.",
  },
  listLines: {
    work: "lines of a list",
    place: "request",
    countedFor: "list",
    limit: { perCredit: 20, atLeast: 10_000 },
    reason: "Duplicates and malformed lines are free and stored.",
  },
  listCharacters: {
    work: "characters stored of a list",
    place: "request",
    countedFor: "list",
    limit: { perCredit: 3_000 },
    reason: "Characters beyond it count against the account's hour.",
  },
  answerCharacters: {
    work: "characters of an answer stored for an `Idempotency-Key`",
    place: "request",
    countedFor: "answer",
    limit: { perCredit: 3_000, base: 50_000, atMost: 3_000_000 },
    reason: "A list of malformed texts is not stored for the price of one address.",
  },
} as const satisfies Record<string, FreeWorkRow>
