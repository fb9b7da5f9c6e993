import { TEST_ACCOUNT_SUFFIX } from "../vocabulary.ts"
import { OPERATOR_ERASURE } from "./compliance.ts"

/** Retention of a table. Listed in deletion order: rows that are found through others come before them. */
export interface Retention {
  readonly table: string
  /** Condition of expired rows; `:before` is the time `days` ago, Unix milliseconds. */
  readonly past: string
  readonly days: number
  /** The rows have no index: the table is scanned with this many rows at a time. */
  readonly scanned?: number
}

/** The API promises deletion of results after 90 days ("Automatic deletion of results"). Rows with addresses follow. */
export const RETENTION_DAYS = 90
/** Feedback, which contains keyed hashes only: one year, for the model. */
const FEEDBACK_DAYS = 365
/** Payments that no account accepted: time for the owner's decision, and for the operator's about the money. */
const OFFER_DAYS = 365

/** Rows per scan of a table without a matching index. */
const ROWS_AT_ONCE = 50_000

/** Months of accounts and keys are billing records and stay. A network's count lasts for its month. */
const PAST_MONTH = "subject GLOB 'ip:*' AND period < strftime('%Y-%m', :before / 1000, 'unixepoch')"
const PAST_JOB = "job_id IN (SELECT job_id FROM jobs WHERE completed_at < :before)"
/** A job stays while rows depend on it: one run may delete only a part of a long list. */
const OF_JOB = ["job_rows", "job_files", "job_chunks", "job_items"]
const PAST_AND_EMPTY = [
  "completed_at < :before",
  ...OF_JOB.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.job_id = jobs.job_id)`),
].join(" AND ")

export const RETENTION: readonly Retention[] = [
  { table: "results", past: "verified_at < :before", days: RETENTION_DAYS },
  { table: "verified_addresses", past: "verified_at < :before", days: RETENTION_DAYS, scanned: ROWS_AT_ONCE },
  // By then the retention has removed every result that the row hides. A row without an end stays.
  { table: "account_erasures", past: "hides_until < :before", days: RETENTION_DAYS, scanned: ROWS_AT_ONCE },
  { table: "account_erasures", past: `account_id = '${OPERATOR_ERASURE}' AND erased_at < :before`, days: 1 },
  { table: "verifications", past: "created_at < :before", days: RETENTION_DAYS },
  { table: "pending_verifications", past: "created_at < :before", days: RETENTION_DAYS },
  ...OF_JOB.map((table) => ({ table, past: PAST_JOB, days: RETENTION_DAYS })),
  { table: "jobs", past: PAST_AND_EMPTY, days: RETENTION_DAYS },
  { table: "webhook_attempts", past: "started_at < :before", days: RETENTION_DAYS },
  { table: "outbound_events", past: "created_at < :before", days: RETENTION_DAYS },
  // A receiver that is used again and still fails is disabled within days.
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
  { table: "oauth_grants", past: "expires_at < :before", days: 1 },
  { table: "sessions", past: "expires_at < :before", days: 1 },
  {
    table: "payment_offers",
    past: "coalesce(decided_at, created_at) < :before",
    days: OFFER_DAYS,
    scanned: ROWS_AT_ONCE,
  },
  { table: "breach_answers", past: "expires_at < :before", days: 1 },
  { table: "ledger", past: "state = 'settled' AND created_at < :before", days: RETENTION_DAYS },
  { table: "usage", past: PAST_MONTH, days: 31 },
  { table: "idempotency", past: "created_at < :before", days: 2 },
]

/** Tables that may contain rows of deleted accounts, from interrupted work or from writes during the erasure. */
const OF_ACCOUNT = [
  ...["suppressions", "address_feedback", "account_erasures", "verified_addresses"],
  ...["receivers", "integrations", "webhook_secrets", "webhook_subscriptions", "fleet_nodes", "fleet_tokens"],
]

/** Rows without their parent row, which no account can request or erase. */
export const ORPHANS = [
  ...OF_ACCOUNT.map((table) => ({
    table,
    where: `account_id NOT IN ('*', '${OPERATOR_ERASURE}') AND NOT EXISTS (SELECT 1 FROM accounts AS a
      WHERE a.account_id = replace(${table}.account_id, '${TEST_ACCOUNT_SUFFIX}', ''))`,
  })),
  {
    table: "webhook_attempts",
    where: "NOT EXISTS (SELECT 1 FROM outbound_events AS e WHERE e.event_id = webhook_attempts.event_id)",
  },
].map((orphans) => ({ ...orphans, scanned: ROWS_AT_ONCE }))
