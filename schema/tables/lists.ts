import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { CHUNK_STATES, JOB_KINDS, JOB_STATUSES, STATUSES } from "../vocabulary.ts"

/** Lists under verification. Counters are exact: they change in the same write as the items. */
export const jobs = sqliteTable(
  "jobs",
  {
    jobId: text().primaryKey(),
    /** Null for background work of an anonymous caller. */
    accountId: text(),
    /** Queue key of the fair queue: the account, or one shared key for anonymous callers. */
    lane: text().notNull(),
    kind: text({ enum: JOB_KINDS }).notNull(),
    /** The job whose failed items this job retries. */
    parentId: text(),
    /** Name of the uploaded file. Null without a file, and when the name may be an address. */
    fileName: text(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    smtp: integer({ mode: "boolean" }).notNull(),
    deduplicate: integer({ mode: "boolean" }).notNull(),
    webhookUrl: text(),
    /** Seconds from `createdAt` until the job ends at the latest. Null: it ends with its last retry. */
    finishWithin: integer(),
    /** Addresses given, and addresses left after deduplication. */
    submitted: integer().notNull().default(0),
    total: integer().notNull().default(0),
    done: integer().notNull().default(0),
    valid: integer().notNull().default(0),
    invalid: integer().notNull().default(0),
    acceptAll: integer().notNull().default(0),
    unknown: integer().notNull().default(0),
    invalidSyntax: integer().notNull().default(0),
    /** Finished items from the store. */
    cached: integer().notNull().default(0),
    /** Finished items that failed all retries. They have the result `unknown`. */
    failed: integer().notNull().default(0),
    /** Failed items whose processing never finished, for internal reasons. */
    abandoned: integer().notNull().default(0),
    /** Finished items with `canSend`. Suppressions, which can change, do not count. */
    sendable: integer().notNull().default(0),
    /** Credits used so far. */
    credits: integer().notNull().default(0),
    /** Unix milliseconds, all four. `settledAt`: credits booked and event enqueued, or the list discarded. */
    createdAt: integer().notNull(),
    startedAt: integer(),
    completedAt: integer(),
    settledAt: integer(),
    /** Unix milliseconds, both: when only retries were left, and when the webhook of that was enqueued. */
    firstPassAt: integer(),
    partialNotifiedAt: integer(),
    /** Id of the completion event, set in the write that ends the job. */
    completedEventId: text(),
  },
  (table) => [
    index("jobs_account").on(table.accountId, table.createdAt),
    index("jobs_created").on(table.createdAt, table.jobId),
    index("jobs_status").on(table.status, table.createdAt),
    index("jobs_unsettled").on(table.completedAt).where(sql`completed_at IS NOT NULL AND settled_at IS NULL`),
  ],
)

/** One address of a job. `status` is null until it is final. Evidence of an inconclusive pass is stored for the next one. */
export const jobItems = sqliteTable(
  "job_items",
  {
    jobId: text().notNull(),
    /** Index in the list as given. */
    idx: integer().notNull(),
    email: text().notNull(),
    /** Empty for a malformed address. Items are processed in the order of their domains. */
    domain: text().notNull(),
    /** Cache key of the address, for deduplication and erasure. */
    mailbox: text().notNull(),
    isDuplicate: integer({ mode: "boolean" }).notNull(),
    status: text({ enum: STATUSES }),
    score: integer(),
    /** The send decision, without an account's flags. Null without a status, and for an item that an older version finished. */
    canSend: integer({ mode: "boolean" }),
    evidence: text({ mode: "json" }).$type<unknown>(),
    cached: integer({ mode: "boolean" }).notNull().default(false),
    /** Unix milliseconds. */
    verifiedAt: integer(),
    /** Number of probes, including those that no node could send. */
    attempts: integer().notNull().default(0),
    /** Why the item failed; null otherwise. */
    error: text(),
    /** The child job that retries a failed item. */
    retriedIn: text(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.idx] }),
    index("job_items_domain").on(table.jobId, table.domain, table.idx),
    index("job_items_mailbox").on(table.mailbox, table.jobId),
    index("job_items_failed").on(table.jobId, table.idx).where(sql`error IS NOT NULL`),
  ],
)

/** A range of a job's items in the order of (domain, idx). A queue message points to one chunk. */
export const jobChunks = sqliteTable(
  "job_chunks",
  {
    jobId: text().notNull(),
    chunk: integer().notNull(),
    /** Range: after the first position, up to and including the last one. */
    afterDomain: text().notNull(),
    afterIdx: integer().notNull(),
    lastDomain: text().notNull(),
    lastIdx: integer().notNull(),
    state: text({ enum: CHUNK_STATES }).notNull(),
    /** Unix milliseconds. Waiting: earliest dispatch time, also the order. Leased or running: end of the lease. */
    dueAt: integer().notNull(),
    /** Grows with each lease. A message with an old epoch is ignored. */
    epoch: integer().notNull().default(0),
    /** Leases among them that do not count towards the most: their message was not sent, or the storage failed. */
    uncounted: integer().notNull().default(0),
    /** Completed passes over the items. */
    passes: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.chunk] }),
    index("job_chunks_job").on(table.jobId, table.state, table.dueAt),
    index("job_chunks_due").on(table.state, table.dueAt),
  ],
)

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
