import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** What one address taught about its domain's formats. The address itself is not kept, only that it was counted. */
export const formatSamples = sqliteTable(
  "format_samples",
  {
    domain: text().notNull(),
    /** Keyed hash of the local part, so that an address counts once. */
    digest: text().notNull(),
    /** Share by format. */
    shares: text({ mode: "json" }).$type<Readonly<Record<string, number>>>().notNull(),
    source: text().notNull(),
    /** Unix milliseconds. */
    learnedAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.domain, table.digest] }),
    index("format_samples_age").on(table.domain, table.learnedAt),
  ],
)

/** The formats of each domain in short, for lists; recounted whenever the domain teaches something. */
export const domainFormats = sqliteTable(
  "domain_formats",
  {
    domain: text().primaryKey(),
    format: text().notNull(),
    confidence: real().notNull(),
    sampleCount: integer().notNull(),
    /** Unix milliseconds. */
    updatedAt: integer().notNull(),
  },
  (table) => [index("domain_formats_count").on(table.sampleCount)],
)

/** What a company's own pages show, kept for a week. */
export const siteScrapes = sqliteTable(
  "site_scrapes",
  {
    domain: text().primaryKey(),
    outcome: text().notNull(),
    pages: integer().notNull(),
    /** Addresses of the domain as the pages show them to everybody. */
    emails: text({ mode: "json" }).$type<readonly { email: string; writing: string; label: string }[]>().notNull(),
    /** Unix milliseconds, both. */
    fetchedAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index("site_scrapes_expires_at").on(table.expiresAt)],
)
