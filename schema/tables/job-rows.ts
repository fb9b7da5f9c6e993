import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** The uploaded file of a job. */
export const jobFiles = sqliteTable("job_files", {
  jobId: text().primaryKey(),
  /** Column names of the file; "column_1" and so on without a header. */
  header: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  /** Index of the address column, from 0. */
  emailColumn: integer().notNull(),
  rows: integer().notNull(),
  /** Separates the columns of a text file. Null for one column, and for a workbook. */
  delimiter: text().$type<"," | ";" | "\t" | "|" | "^" | "~" | ":">(),
  /** The file began with a byte order mark. */
  hasBom: integer({ mode: "boolean" }).notNull(),
})

/** An original row of an uploaded file, for the download. */
export const jobRows = sqliteTable(
  "job_rows",
  {
    jobId: text().notNull(),
    /** Index in the file, from 0. */
    row: integer().notNull(),
    cells: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** The item of this row; a duplicate has the result of its mailbox. Null for a row without an address. */
    idx: integer(),
    mailbox: text(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.row] }),
    index("job_rows_mailbox").on(table.mailbox, table.jobId),
  ],
)
