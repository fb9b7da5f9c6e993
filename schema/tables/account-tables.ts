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
