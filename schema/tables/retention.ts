/** How long rows of a table are kept. In this order: rows that are found through others go before them. */
export interface Retention {
  readonly table: string
  /** Rows that are past it; `:before` is the moment `days` ago, Unix milliseconds. */
  readonly past: string
  readonly days: number
  /** No index leads to the rows: the table is gone through, so many rows at once. */
  readonly scanned?: number
}

/** The interface promises 90 days for results ("Automatic deletion of results"); what tells of addresses goes with them. */
export const RETENTION_DAYS = 90
/** What is known of mail by keyed hashes only: a year of it, for the model. */
const FEEDBACK_DAYS = 365

/** Rows of a table without a fitting index that are looked at at once. */
const ROWS_AT_ONCE = 50_000

/** The months of accounts and keys stay, as they are what was billed; a network's count only while its month runs. */
const PAST_MONTH = "subject GLOB 'ip:*' AND period < strftime('%Y-%m', :before / 1000, 'unixepoch')"
const PAST_JOB = "job_id IN (SELECT job_id FROM jobs WHERE completed_at < :before)"
/** A job stays as long as anything is found through it: a run may leave part of a long list to the next. */
const OF_JOB = ["job_rows", "job_files", "job_chunks", "job_items"]
const PAST_AND_EMPTY = [
  "completed_at < :before",
  ...OF_JOB.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.job_id = jobs.job_id)`),
].join(" AND ")

export const RETENTION: readonly Retention[] = [
  { table: "results", past: "verified_at < :before", days: RETENTION_DAYS },
  { table: "verifications", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "pending_verifications", past: "created_at < :before", days: RETENTION_DAYS },
  ...OF_JOB.map((table) => ({ table, past: PAST_JOB, days: RETENTION_DAYS })),
  { table: "jobs", past: PAST_AND_EMPTY, days: RETENTION_DAYS },
  { table: "webhook_attempts", past: "started_at < :before", days: RETENTION_DAYS },
  { table: "outbound_events", past: "created_at < :before", days: RETENTION_DAYS },
  // A receiver that is named again and fails is disabled within days.
  { table: "webhook_endpoints", past: "disabled_at IS NULL AND failing_since < :before", days: RETENTION_DAYS },
  { table: "integration_events", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "integration_syncs", past: "completed_at < :before", days: RETENTION_DAYS },
  { table: "benchmarks", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "rechecks", past: "due_at < :before", days: RETENTION_DAYS },
  { table: "domains", past: "expires_at < :before", days: RETENTION_DAYS, scanned: ROWS_AT_ONCE },
  { table: "site_scrapes", past: "expires_at < :before", days: RETENTION_DAYS },
  { table: "feedback", past: "recorded_at < :before", days: FEEDBACK_DAYS },
  { table: "format_samples", past: "learned_at < :before", days: FEEDBACK_DAYS, scanned: ROWS_AT_ONCE },
  { table: "sign_in_links", past: "expires_at < :before", days: 1 },
  { table: "sessions", past: "expires_at < :before", days: 1 },
  { table: "breach_answers", past: "expires_at < :before", days: 1 },
  { table: "ledger", past: "state = 'settled' AND created_at < :before", days: RETENTION_DAYS },
  { table: "usage", past: PAST_MONTH, days: 31 },
  { table: "idempotency", past: "created_at < :before", days: 2 },
]

/** What work cut off in the middle may leave of accounts that are gone, and what may come in while they are erased. */
const OF_ACCOUNT = [
  ...["suppressions", "address_feedback"],
  ...["receivers", "integrations", "webhook_secrets", "fleet_nodes", "fleet_tokens"],
]

/** What is left of what is gone: nobody could ask for it or have it erased. */
export const ORPHANS = [
  ...OF_ACCOUNT.map((table) => ({
    table,
    where: `account_id <> '*' AND NOT EXISTS (SELECT 1 FROM accounts AS a WHERE a.account_id = ${table}.account_id)`,
  })),
  {
    table: "webhook_attempts",
    where: "NOT EXISTS (SELECT 1 FROM outbound_events AS e WHERE e.event_id = webhook_attempts.event_id)",
  },
].map((orphans) => ({ ...orphans, scanned: ROWS_AT_ONCE }))
