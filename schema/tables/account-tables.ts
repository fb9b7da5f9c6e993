import { TEST_ACCOUNT_SUFFIX } from "../vocabulary.ts"

/** Tables with an `account_id`: rows that move when an account is claimed, and are deleted when it is erased. */
export const ACCOUNT_TABLES = [
  "api_keys",
  "sessions",
  "identities",
  "oauth_grants",
  "verifications",
  "verified_addresses",
  "account_erasures",
  "daily_counts",
  "jobs",
  "pending_verifications",
  "outbound_events",
  "webhook_secrets",
  "webhook_endpoints",
  "webhook_subscriptions",
  "benchmarks",
  "integrations",
  "integration_syncs",
  "integration_events",
  "billing_customers",
  "alert_settings",
  "usage_alerts",
  "suppressions",
  "address_feedback",
  "feedback",
  "feedback_counts",
  "verdict_outcomes",
  "feedback_domains",
  "receivers",
  "fleet_nodes",
  "fleet_tokens",
] as const

/** Large tables without an index by account. They are scanned with this many rows at a time. */
export const SCANNED_FOR_ACCOUNT: Readonly<Record<string, number>> = { pending_verifications: 20_000 }

/** An account and the account of its test keys. */
const IDS = `(:account, :account || '${TEST_ACCOUNT_SUFFIX}')`
const OWN = `account_id IN ${IDS}`
const OF_JOB = `job_id IN (SELECT job_id FROM jobs WHERE ${OWN})`
const OF_NODE = `node_id IN (SELECT id FROM fleet_nodes WHERE ${OWN})`
const OF_KEY = "key_id IN (SELECT key_id FROM api_keys WHERE account_id = :account)"
const OF_SUBJECT = `(subject IN ${IDS} OR subject IN (SELECT key_id FROM api_keys WHERE account_id = :account))`

/** All rows of an account, the account itself last. Rows without an account id come before the rows that lead to them. */
export const ROWS_OF_ACCOUNT: readonly (readonly [table: string, condition: string])[] = [
  ["job_rows", OF_JOB],
  ["job_files", OF_JOB],
  ["job_chunks", OF_JOB],
  ["job_items", OF_JOB],
  ["fleet_health", OF_NODE],
  ["fleet_pairs", OF_NODE],
  ["fleet_drains", OF_NODE],
  ["subscriptions", "customer_id IN (SELECT customer_id FROM billing_customers WHERE account_id = :account)"],
  ["key_counts", OF_KEY],
  ["usage", OF_SUBJECT],
  ["ledger", OF_SUBJECT],
  ["sign_in_links", "email IN (SELECT email FROM accounts WHERE account_id = :account)"],
  // A closed account has no mailbox, so offers in its former name stay for the operator, without the mailbox.
  ["payment_offers", "email IN (SELECT email FROM accounts WHERE account_id = :account)"],
  ...[...ACCOUNT_TABLES, "accounts"].map((table) => [table, OWN] as const),
]
