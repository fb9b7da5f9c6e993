import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Name format of one address of a domain. Only the fact that it was counted is stored, not the address. */
export const formatSamples = sqliteTable(
  "format_samples",
  {
    domain: text().notNull(),
    /** Keyed hash of the local part, so that each address counts once. */
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

/** Summary of each domain's name formats, for lists. Recomputed with each new sample. */
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

/** Results of scraping a company's own pages, cached for a week. */
export const siteScrapes = sqliteTable(
  "site_scrapes",
  {
    domain: text().primaryKey(),
    outcome: text().notNull(),
    pages: integer().notNull(),
    /** Addresses of the domain that the pages publish. */
    emails: text({ mode: "json" }).$type<readonly { email: string; writing: string; label: string }[]>().notNull(),
    /** Unix milliseconds, both. */
    fetchedAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index("site_scrapes_expires_at").on(table.expiresAt)],
)
