import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { LIST_CLASSES, OVERRIDE_ORIGINS, REFRESH_OUTCOMES } from "../vocabulary.ts"

/** What the shipped lists do not say about a domain: the operator's word, and what public lists have agreed on since the build. */
export const listOverrides = sqliteTable(
  "list_overrides",
  {
    /** A-labels, lower case; a domain under it is meant too. */
    domain: text().notNull(),
    /** The operator's word stands above a fetched one. */
    origin: text({ enum: OVERRIDE_ORIGINS }).notNull(),
    class: text({ enum: LIST_CLASSES }).notNull(),
    /** Why, in the operator's words. */
    note: text(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.domain, table.origin] }),
    index("list_overrides_origin").on(table.origin, table.class, table.domain),
  ],
)

/** One row, id 1: moves with every change of the overrides, so that a look at it tells whether to read them again. */
export const listVersion = sqliteTable("list_version", {
  id: integer().primaryKey(),
  version: integer().notNull(),
})

/** Attempts to bring the lists up to date, and what became of them. */
export const listRefreshes = sqliteTable(
  "list_refreshes",
  {
    refreshId: integer().primaryKey({ autoIncrement: true }),
    /** Unix milliseconds. */
    at: integer().notNull(),
    class: text({ enum: LIST_CLASSES }).notNull(),
    outcome: text({ enum: REFRESH_OUTCOMES }).notNull(),
    forced: integer({ mode: "boolean" }).notNull(),
    added: integer().notNull(),
    removed: integer().notNull(),
    /** Agreed on by the sources, but protected. */
    leftOut: integer().notNull(),
    /** Why it was refused; null when it was not. */
    reason: text(),
    /** Name, names read and what went wrong, of each source. */
    sources: text({ mode: "json" }).$type<unknown>().notNull(),
  },
  (table) => [index("list_refreshes_class").on(table.class, table.refreshId)],
)
