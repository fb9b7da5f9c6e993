import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

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
