import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** DNS facts of a domain, shared by all its addresses. */
export const domains = sqliteTable("domains", {
  domain: text().primaryKey(),
  facts: text({ mode: "json" }).$type<unknown>().notNull(),
  /** Unix milliseconds, both. */
  checkedAt: integer().notNull(),
  expiresAt: integer().notNull(),
})
