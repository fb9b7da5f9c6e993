/** [first step of the path, title, what the page is for] of each page of the operator. */
export const OPERATOR_PAGES: readonly (readonly [string, string, string])[] = [
  ["accounts", "Accounts", "Customers and their keys: search, change a plan, suspend, revoke, erase."],
  ["fleet", "Fleet", "Probe nodes: their state, reputation and findings. Drain a node before maintenance."],
  ["all-jobs", "All jobs", "Lists of every account, and verifications that you started yourself."],
  ["list-data", "Domain lists", "Disposable and other domains: version, updates and your own entries."],
  ["model", "Model", "What the score learned from feedback, and how well its probabilities hold."],
  ["metrics", "Metrics", "Results today, waiting work, and requests by route with their mean time."],
  ["errors", "Errors", "Answers that were errors, by route and status."],
  [
    "trail",
    "Service audit trail",
    "Changes by accounts and every use of the admin secret, and whether the chain is intact.",
  ],
  ["settings", "Settings", "Which settings are in use, by name and never by value."],
]
