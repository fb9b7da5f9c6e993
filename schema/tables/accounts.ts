import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { CHARGE_SOURCES, CHARGE_STATES, OAUTH_GRANT_STATES, TIERS } from "../vocabulary.ts"

/** Owners of keys and data. An account without a verified address belongs to an unclaimed anonymous key. */
export const accounts = sqliteTable(
  "accounts",
  {
    accountId: text().primaryKey(),
    /** Verified by a sign-in link; null until then. */
    email: text().unique(),
    /** The plan in force: the higher one of `grantedTier` and the running subscriptions. */
    tier: text({ enum: TIERS }).notNull().default("free"),
    /** The operator's plan, which stays when a subscription ends. Null without one. */
    grantedTier: text({ enum: TIERS }),
    /** Remaining purchased credits, used after the monthly allowance; null if none were ever bought. */
    credits: integer(),
    /** Unix milliseconds, all three. */
    createdAt: integer().notNull(),
    /** When the operator suspended the account; null otherwise. */
    suspendedAt: integer(),
    /** When the erasure of the account began; null otherwise. A schedule erases what the first call left. */
    closedAt: integer(),
  },
  (table) => [index("accounts_closed").on(table.closedAt).where(sql`closed_at IS NOT NULL`)],
)

export const apiKeys = sqliteTable(
  "api_keys",
  {
    keyId: text().primaryKey(),
    /** HMAC-SHA256 of the secret under a pepper. The secret itself is not stored. */
    digest: text().notNull().unique(),
    /** Fingerprint of the digest's pepper, so that peppers can be rotated. */
    pepperId: text().notNull(),
    accountId: text().notNull(),
    ownerEmail: text().notNull(),
    name: text().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    isActive: integer({ mode: "boolean" }).notNull().default(true),
    rotatedTo: text(),
    /** The last four characters of the secret, so that its owner recognizes the key. */
    last4: text().notNull().default(""),
    /**
     * Network of an anonymous creator, cut to a /24 or /48, so that the mailbox's owner can judge the key. Null for other
     * keys, and once the key has joined an account or is revoked.
     */
    network: text(),
    /** Keyed hash of the anonymous creator's network, whose limits the key shares. Null as `network` is. */
    createdBy: text(),
    /** What the key may do: `KeyRestrictions` as JSON, read only as a whole. Null for a key without restrictions. */
    restrictions: text({ mode: "json" }),
    /** Unix milliseconds, all three. */
    createdAt: integer().notNull(),
    lastUsed: integer(),
    revokedAt: integer(),
  },
  (table) => [
    index("api_keys_account").on(table.accountId),
    index("api_keys_owner").on(table.ownerEmail).where(sql`is_active = 1`),
  ],
)

/** Credits used by a subject (account, key or anonymous client) per month. Can be recomputed from the ledger. */
export const usage = sqliteTable(
  "usage",
  {
    subject: text().notNull(),
    /** UTC month, "2026-11". */
    period: text().notNull(),
    used: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.subject, table.period] })],
)

/**
 * One row per charge: reserved before the work, settled with its actual cost; the difference is refunded. A lease is a
 * block of credits that a limiter spends for many calls (src/domain/accounts/lease-book.ts).
 */
export const ledger = sqliteTable(
  "ledger",
  {
    chargeId: text().primaryKey(),
    subject: text().notNull(),
    keyId: text(),
    period: text().notNull(),
    reserved: integer().notNull(),
    /** Payment source: the monthly allowance, or purchased credits. */
    source: text({ enum: CHARGE_SOURCES }).notNull().default("month"),
    /** Null while reserved. */
    settled: integer(),
    state: text({ enum: CHARGE_STATES }).notNull(),
    /** The id of the limiter (Durable Object) that holds a lease; null for other charges. */
    gate: text(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    index("ledger_subject").on(table.subject, table.period),
    index("ledger_open").on(table.state, table.createdAt),
    index("ledger_leases").on(table.subject).where(sql`state = 'lease'`),
  ],
)

/** Sessions of browsers and scripts. Only the SHA-256 of the token is stored. */
export const sessions = sqliteTable(
  "sessions",
  {
    tokenHash: text().primaryKey(),
    accountId: text().notNull(),
    /** The API key that requested the sign-in link in the same browser. Null without one. */
    signInKeyId: text(),
    /** Unix milliseconds, all three. */
    createdAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index("sessions_account").on(table.accountId), index("sessions_expires_at").on(table.expiresAt)],
)

/** One-time sign-in links, by the SHA-256 of their token. */
export const signInLinks = sqliteTable(
  "sign_in_links",
  {
    tokenHash: text().primaryKey(),
    email: text().notNull(),
    /** The API key of the request. Null without one. It joins no account by the link. */
    keyId: text(),
    /** SHA-256 of the id of the browser that requested the link. Null for a program. */
    browserHash: text(),
    /** Unix milliseconds, all three. */
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    usedAt: integer(),
  },
  (table) => [index("sign_in_links_expires_at").on(table.expiresAt)],
)

/** Sign-ins with an external provider, by the provider's user id. An email address may change owner, that id does not. */
export const identities = sqliteTable(
  "identities",
  { provider: text().notNull(), subject: text().notNull(), accountId: text().notNull() },
  (table) => [primaryKey({ columns: [table.provider, table.subject] })],
)

/**
 * Device codes (RFC 8628) and authorization codes (RFC 6749) of programs that sign in. A code works once and becomes a
 * restricted key. Clients have no rows, because a client's id holds its registration.
 */
export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    /** Keyed hash of the code. */
    codeDigest: text().primaryKey(),
    /** Keyed hash of the code that the user types. Null for an authorization code. */
    userCodeDigest: text().unique("oauth_grants_user_code"),
    state: text({ enum: OAUTH_GRANT_STATES }).notNull(),
    /** SHA-256 of the client's id. */
    clientHash: text().notNull(),
    /** What the program calls itself or its machine. The key gets this name. */
    name: text().notNull(),
    /** Scopes of the key, with spaces between them. */
    scopes: text().notNull(),
    /** Of an authorization code: where it was sent, and the S256 challenge (RFC 7636). Null for a device code. */
    redirectUri: text(),
    challenge: text(),
    /** The account that decided. Null while pending. */
    accountId: text(),
    /** The key that the code became. Null until then. */
    keyId: text(),
    /** Seconds that the program must wait between two polls. Each poll that is too early adds five. */
    intervalSeconds: integer().notNull(),
    /** Unix milliseconds, all three. */
    polledAt: integer(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index("oauth_grants_account").on(table.accountId), index("oauth_grants_expires_at").on(table.expiresAt)],
)

/** Responses to requests with an Idempotency-Key, stored for 24 hours. Caller and key are stored only as a keyed hash. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    requestKey: text().primaryKey(),
    /** SHA-256 of method, path and content. The same key with a different request is an error. */
    requestHash: text().notNull(),
    /** Null while the first request is running. */
    status: integer(),
    body: text(),
    /** Unix milliseconds, both. A request that is still running after `heldUntil` counts as failed. */
    createdAt: integer().notNull(),
    heldUntil: integer().notNull(),
  },
  (table) => [index("idempotency_created_at").on(table.createdAt)],
)
