/**
 * Tables with an `account_id`: what moves when an account is claimed, and what goes when a customer's data is erased.
 * A test holds this list against the tables themselves.
 */
export const ACCOUNT_TABLES = [
  "api_keys",
  "sessions",
  "identities",
  "verifications",
  "daily_counts",
  "jobs",
  "pending_verifications",
  "outbound_events",
  "webhook_secrets",
  "webhook_endpoints",
  "benchmarks",
  "integrations",
  "integration_syncs",
  "integration_events",
  "billing_customers",
  "suppressions",
  "address_feedback",
  "feedback",
  "feedback_counts",
  "feedback_domains",
  "receivers",
  "fleet_nodes",
  "fleet_tokens",
] as const

/** Those of them that may be long and have no index by account: they are gone through, so many rows at once. */
export const SCANNED_FOR_ACCOUNT: Readonly<Record<string, number>> = { pending_verifications: 20_000 }

const OF_JOB = "job_id IN (SELECT job_id FROM jobs WHERE account_id = :account)"
const OF_NODE = "node_id IN (SELECT id FROM fleet_nodes WHERE account_id = :account)"
const SUBJECTS = "(SELECT :account UNION SELECT key_id FROM api_keys WHERE account_id = :account)"

/** Every row of an account, itself included and last: those that do not name it go before what they are found through. */
export const ROWS_OF_ACCOUNT: readonly (readonly [table: string, condition: string])[] = [
  ["job_rows", OF_JOB],
  ["job_files", OF_JOB],
  ["job_chunks", OF_JOB],
  ["job_items", OF_JOB],
  ["fleet_health", OF_NODE],
  ["fleet_pairs", OF_NODE],
  ["subscriptions", "customer_id IN (SELECT customer_id FROM billing_customers WHERE account_id = :account)"],
  ["usage", `subject IN ${SUBJECTS}`],
  ["ledger", `subject IN ${SUBJECTS}`],
  ["sign_in_links", "email IN (SELECT email FROM accounts WHERE account_id = :account)"],
  ...[...ACCOUNT_TABLES, "accounts"].map((table) => [table, "account_id = :account"] as const),
]
