/** How long rows of a table are kept. In this order: rows that are found through others go before them. */
export interface Retention {
  readonly table: string
  /** Rows that are past it; `:before` is the moment `days` ago, Unix milliseconds. */
  readonly past: string
  readonly days: number
}

/** The interface promises 90 days for results ("Automatic deletion of results"); what tells of addresses goes with them. */
export const RETENTION_DAYS = 90
/** What is known of mail by keyed hashes only: a year of it, for the model. */
const FEEDBACK_DAYS = 365

const PAST_JOB = "job_id IN (SELECT job_id FROM jobs WHERE completed_at < :before)"

export const RETENTION: readonly Retention[] = [
  { table: "results", past: "verified_at < :before", days: RETENTION_DAYS },
  { table: "verifications", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "pending_verifications", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "job_rows", past: PAST_JOB, days: RETENTION_DAYS },
  { table: "job_files", past: PAST_JOB, days: RETENTION_DAYS },
  { table: "job_chunks", past: PAST_JOB, days: RETENTION_DAYS },
  { table: "job_items", past: PAST_JOB, days: RETENTION_DAYS },
  { table: "jobs", past: "completed_at < :before", days: RETENTION_DAYS },
  { table: "webhook_attempts", past: "started_at < :before", days: RETENTION_DAYS },
  { table: "outbound_events", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "integration_events", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "integration_syncs", past: "completed_at < :before", days: RETENTION_DAYS },
  { table: "benchmarks", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "rechecks", past: "due_at < :before", days: RETENTION_DAYS },
  { table: "domains", past: "expires_at < :before", days: RETENTION_DAYS },
  { table: "site_scrapes", past: "expires_at < :before", days: RETENTION_DAYS },
  { table: "feedback", past: "recorded_at < :before", days: FEEDBACK_DAYS },
  { table: "format_samples", past: "learned_at < :before", days: FEEDBACK_DAYS },
  { table: "sign_in_links", past: "expires_at < :before", days: 1 },
  { table: "sessions", past: "expires_at < :before", days: 1 },
  { table: "breach_answers", past: "expires_at < :before", days: 1 },
  { table: "idempotency", past: "created_at < :before", days: 2 },
]
