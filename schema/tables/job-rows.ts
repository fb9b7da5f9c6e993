import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** What a job's list came from: an uploaded file and what was found in it. */
export const jobFiles = sqliteTable("job_files", {
  jobId: text().primaryKey(),
  /** Names of the file's columns; "column_1" and so on where it has none. */
  header: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  /** Where its addresses are, from 0. */
  emailColumn: integer().notNull(),
  rows: integer().notNull(),
})

/** A row of an uploaded file as it came, for the download. */
export const jobRows = sqliteTable(
  "job_rows",
  {
    jobId: text().notNull(),
    /** Place in the file, from 0. */
    row: integer().notNull(),
    cells: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** The item that was made of it, if it is left; a duplicate's result is that of its mailbox. Null: without an address. */
    idx: integer(),
    mailbox: text(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.row] }),
    index("job_rows_mailbox").on(table.mailbox, table.jobId),
  ],
)
