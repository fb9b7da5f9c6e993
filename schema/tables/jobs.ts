import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { CHUNK_STATES, JOB_KINDS, JOB_STATUSES, STATUSES } from "../vocabulary.ts"

/** A list under verification. Counters are exact: they move in the same write as the items they count. */
export const jobs = sqliteTable(
  "jobs",
  {
    jobId: text().primaryKey(),
    /** Null for work finished in the background for an anonymous caller. */
    accountId: text(),
    /** Whose turn it is when chunks are handed out: the account, or one for all who have none. */
    lane: text().notNull(),
    kind: text({ enum: JOB_KINDS }).notNull(),
    /** The job whose failed items these are. */
    parentId: text(),
    /** Of the file it came from. Null without one, and for a name that may be an address. */
    fileName: text(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    smtp: integer({ mode: "boolean" }).notNull(),
    deduplicate: integer({ mode: "boolean" }).notNull(),
    webhookUrl: text(),
    /** Addresses given, and how many of them are left without duplicates. */
    submitted: integer().notNull().default(0),
    total: integer().notNull().default(0),
    done: integer().notNull().default(0),
    valid: integer().notNull().default(0),
    invalid: integer().notNull().default(0),
    acceptAll: integer().notNull().default(0),
    unknown: integer().notNull().default(0),
    invalidSyntax: integer().notNull().default(0),
    /** Done items that came from the store. */
    cached: integer().notNull().default(0),
    /** Done items that failed all retries; they have a result too, `unknown`. */
    failed: integer().notNull().default(0),
    /** Failed items that were never worked on to an end, by no fault of theirs. */
    abandoned: integer().notNull().default(0),
    /** Credits the work came to so far. */
    credits: integer().notNull().default(0),
    /** Unix milliseconds, all four. `settledAt` is when credits were booked and the event was handed on, or the list given up. */
    createdAt: integer().notNull(),
    startedAt: integer(),
    completedAt: integer(),
    settledAt: integer(),
    /** Id of the one event that tells of the end; set in the write that ends the job. */
    completedEventId: text(),
  },
  (table) => [
    index("jobs_account").on(table.accountId, table.createdAt),
    index("jobs_status").on(table.status, table.createdAt),
    index("jobs_unsettled").on(table.completedAt).where(sql`completed_at IS NOT NULL AND settled_at IS NULL`),
  ],
)

/** One address of a job. `status` is null until it is done; evidence of a pass that settled nothing stays for the next. */
export const jobItems = sqliteTable(
  "job_items",
  {
    jobId: text().notNull(),
    /** Place in the list as it was given. */
    idx: integer().notNull(),
    email: text().notNull(),
    /** Empty when malformed; items are worked on in the order of their domains. */
    domain: text().notNull(),
    /** Cache key of the address: what makes two items duplicates, and what an erasure looks for. */
    mailbox: text().notNull(),
    isDuplicate: integer({ mode: "boolean" }).notNull(),
    status: text({ enum: STATUSES }),
    score: integer(),
    evidence: text({ mode: "json" }).$type<unknown>(),
    cached: integer({ mode: "boolean" }).notNull().default(false),
    /** Unix milliseconds. */
    verifiedAt: integer(),
    /** Times a mail server was, or should have been, asked. */
    attempts: integer().notNull().default(0),
    /** Why the item failed; null when it did not. */
    error: text(),
    /** The child job that took a failed item over. */
    retriedIn: text(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.idx] }),
    index("job_items_domain").on(table.jobId, table.domain, table.idx),
    index("job_items_mailbox").on(table.mailbox, table.jobId),
    index("job_items_failed").on(table.jobId, table.idx).where(sql`error IS NOT NULL`),
  ],
)

/** A run of a job's items in the order of (domain, idx): what one queue message points to. */
export const jobChunks = sqliteTable(
  "job_chunks",
  {
    jobId: text().notNull(),
    chunk: integer().notNull(),
    /** The items behind the first position up to the last one, inclusive. */
    afterDomain: text().notNull(),
    afterIdx: integer().notNull(),
    lastDomain: text().notNull(),
    lastIdx: integer().notNull(),
    state: text({ enum: CHUNK_STATES }).notNull(),
    /** Unix milliseconds. Waiting: may go out from then on, earlier ones first. Leased or running: the lease ends. */
    dueAt: integer().notNull(),
    /** Grows with each lease; a message of an older one does nothing. */
    epoch: integer().notNull().default(0),
    /** Passes over the items that came to an end. */
    passes: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.chunk] }),
    index("job_chunks_job").on(table.jobId, table.state, table.dueAt),
    index("job_chunks_due").on(table.state, table.dueAt),
  ],
)
