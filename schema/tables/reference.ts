import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { LIST_CLASSES, OVERRIDE_ORIGINS, REFRESH_OUTCOMES, REFRESHED_LISTS } from "../vocabulary.ts"

/** Additions to the shipped lists: the operator's entries, and entries that public lists have agreed on since the build. */
export const listOverrides = sqliteTable(
  "list_overrides",
  {
    /** A-labels, lower case. Includes subdomains. A top-level domain has no dot. */
    domain: text().notNull(),
    /** The operator's entry takes precedence over a fetched one. */
    origin: text({ enum: OVERRIDE_ORIGINS }).notNull(),
    class: text({ enum: [...LIST_CLASSES, "top_level"] }).notNull(),
    /** The operator's reason. */
    note: text(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.domain, table.origin] }),
    index("list_overrides_origin").on(table.origin, table.class, table.domain),
  ],
)

/** One row, id 1. Changes with every change of the overrides, so that a reader knows when to reload. */
export const listVersion = sqliteTable("list_version", {
  id: integer().primaryKey(),
  version: integer().notNull(),
})

/** Refreshes of the lists and their results. */
export const listRefreshes = sqliteTable(
  "list_refreshes",
  {
    refreshId: integer().primaryKey({ autoIncrement: true }),
    /** Unix milliseconds. */
    at: integer().notNull(),
    class: text({ enum: REFRESHED_LISTS }).notNull(),
    outcome: text({ enum: REFRESH_OUTCOMES }).notNull(),
    forced: integer({ mode: "boolean" }).notNull(),
    added: integer().notNull(),
    removed: integer().notNull(),
    /** Agreed on by the sources, but protected. */
    leftOut: integer().notNull(),
    /** Reason of a refusal; null otherwise. */
    reason: text(),
    /** Name, number of entries and error of each source. */
    sources: text({ mode: "json" }).$type<unknown>().notNull(),
  },
  (table) => [index("list_refreshes_class").on(table.class, table.refreshId)],
)
