import { plain } from "../../words.ts"

/** Kinds of stored data in the words of an account, by the API's names. Several names may be one kind. */
const KINDS: Readonly<Record<string, string>> = {
  results: "Results of verifications",
  verified_addresses: "Which addresses you verified",
  account_erasures: "Records that keep erased data hidden",
  verifications: "History of single verifications",
  pending_verifications: "Verifications in the background",
  job_rows: "Lists, with their rows and results",
  job_files: "Lists, with their rows and results",
  job_chunks: "Lists, with their rows and results",
  job_items: "Lists, with their rows and results",
  jobs: "Lists, with their rows and results",
  webhook_attempts: "Attempts to deliver webhooks",
  outbound_events: "Events for your webhooks",
  webhook_endpoints: "Counts about webhook URLs that keep failing (your webhooks stay)",
  integration_events: "Events of integrations",
  integration_syncs: "Runs of integration syncs",
  benchmarks: "Accuracy tests",
  rechecks: "Planned new checks",
  domains: "DNS facts of domains",
  site_scrapes: "Addresses on company pages",
  feedback: "Reports about mail, without addresses",
  feedback_domains: "Reports about mail, without addresses",
  address_feedback: "Reports about an address",
  format_samples: "Address formats of companies",
  suppressions: "Suppression list",
  payment_offers: "Payments in the name of your mailbox",
  sign_in_links: "Sign-in links, once expired",
  sessions: "Sessions, once expired",
  breach_answers: "Results of breach searches",
  ledger: "Single credit charges (the totals of each month stay)",
  usage: "Counts of callers without an account",
  idempotency: "Answers for repeated requests",
}

export const kindOf = (table: string): string => KINDS[table] ?? plain(table)
