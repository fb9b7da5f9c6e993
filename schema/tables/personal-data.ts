import { OPERATOR_ERASURE } from "./compliance.ts"

/**
 * Where personal data is stored, and how the rows of one person are found, shown and erased. Listed in erasure order: rows
 * that are found through others come before them. A test checks this list against the tables.
 *
 * Conditions are SQL over the table's own columns. They may use these parameters (lists are JSON): `:key`, the cache key of
 * an address; `:spellings`, its letter cases beyond ASCII; `:mentions`, its spellings in a text, lower-case within ASCII,
 * each also escaped for GLOB; `:ends`, the ends of those; `:before`, the characters before them; `:domain`; `:hashes`,
 * `:breach_digests`, `:sample_digests`, `:domain_hashes`, keyed hashes; `:account`; `:erased`, the evidence after erasure.
 */
export interface PersonalTable {
  readonly table: string
  /** Columns with personal data. */
  readonly columns: readonly string[]
  /** Condition for the rows about one address; null when there are only rows about a domain. */
  readonly address: string | null
  /** Condition for the rows about a domain's addresses; null when the domain is unknown. */
  readonly domain: string | null
  /** Condition for the rows of one account. Missing: the rows belong to no account, and only the operator erases them. */
  readonly account?: string
  /** For rows without an account: those that an account requested, which it may see and erase. */
  readonly isRequestedBy?: string
  /** For rows without an account: those that another account requested, which an account's erasure leaves in place. */
  readonly isRequestedByOthers?: string
  /** SQL that blanks a row which other rows depend on. Missing: the row is deleted. */
  readonly blank?: string
  /** Which rows are blanked instead of deleted, and how to recognize rows that are already blank. */
  readonly staying?: { readonly where: string; readonly unlessBlank: string }
  /** Never exported: secrets, and hashes without a meaning outside. */
  readonly hidden?: readonly string[]
  /** Columns with data of several people. An export for one address omits the others. */
  readonly lists?: readonly string[]
  /** A column in the form of src/adapters/verification/evidence-codec.ts. An export unpacks it. */
  readonly packed?: string
  /** A row may be several megabytes. */
  readonly isBulky?: true
  /** Searches without an index: the table is scanned with this many rows at a time. */
  readonly scanned?: { readonly address?: number; readonly domain?: number; readonly ownDomain?: number }
}

/** Rows per scan, by row size: the database answers within three seconds. */
const [NARROW, WIDE, LISTS] = [50_000, 20_000, 200]

/**
 * Whether a text contains an address as a whole word. A full stop may follow it, and quotes may enclose it. GLOB alone is
 * thirty times slower, so it runs only on texts that contain the address.
 */
const WORDS = (column: string) => {
  const found = "(m.value ->> 1)"
  const patterns = [`${found} || '[^a-z0-9.-]*'`, `${found} || '.[^a-z0-9-]*'`, `'''' || ${found} || '''*'`]
  const globs = patterns.map((pattern) => `(' ' || lower(${column}) || ' ') GLOB '*' || :before || ${pattern}`)
  return `(EXISTS (SELECT 1 FROM json_each(:ends) AS e WHERE instr(lower(${column}), e.value)) AND
    EXISTS (SELECT 1 FROM json_each(:mentions) AS m
      WHERE instr(lower(${column}), m.value ->> 0) AND (${globs.join(" OR ")})))`
}
const SAME = (column: string) => `${column} COLLATE NOCASE IN (SELECT value FROM json_each(:spellings))`
const OF_JOB = "job_id IN (SELECT job_id FROM jobs WHERE account_id = :account)"
const ITEM_OF_DOMAIN = "job_id IN (SELECT job_id FROM jobs) AND domain = :domain"
/** Addresses that accounts requested, although the row names no account. @param accounts `=` or `<>`, of `:account` */
const REQUESTED_BY = (accounts: "=" | "<>", address: string) => `(EXISTS (SELECT 1 FROM verified_addresses AS a
    WHERE a.domain = :domain AND a.address = lower(${address}) AND a.account_id ${accounts} :account)
  OR EXISTS (SELECT 1 FROM verifications AS v
    WHERE v.domain = :domain AND v.address = ${address} COLLATE NOCASE AND v.account_id ${accounts} :account)
  OR EXISTS (SELECT 1 FROM job_items AS i JOIN jobs AS j ON j.job_id = i.job_id
    WHERE i.mailbox = lower(${address}) AND j.account_id ${accounts} :account))`
const OWNERS = "account_id IN (SELECT account_id FROM accounts WHERE email = :key)"
const OWNERS_AT_DOMAIN = "account_id IN (SELECT account_id FROM accounts WHERE email LIKE '%@' || :domain)"

export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: "results",
    columns: ["address", "evidence"],
    packed: "evidence",
    address: "address = :key",
    domain: "domain = :domain",
    isRequestedBy: REQUESTED_BY("=", "results.address"),
    isRequestedByOthers: REQUESTED_BY("<>", "results.address"),
  },
  {
    // Otherwise the next recheck would store the result again.
    table: "rechecks",
    columns: ["address"],
    address: SAME("address"),
    domain: "address LIKE '%@' || :domain",
    isRequestedBy: REQUESTED_BY("=", "rechecks.address"),
    isRequestedByOthers: REQUESTED_BY("<>", "rechecks.address"),
    scanned: { address: NARROW, domain: NARROW },
  },
  {
    table: "verified_addresses",
    columns: ["address"],
    address: "domain = :domain AND address = :key",
    domain: "domain = :domain",
    account: "account_id = :account",
    scanned: { ownDomain: WIDE },
  },
  {
    table: "verifications",
    columns: ["address", "checks"],
    address: `(domain = :domain AND ${SAME("address")}) OR (domain = '' AND ${WORDS("address")})`,
    domain: `domain = :domain OR (domain = '' AND ${WORDS("address")})`,
    account: "account_id = :account",
    scanned: { ownDomain: WIDE },
  },
  {
    table: "job_rows",
    columns: ["cells", "mailbox"],
    // Rows about another person may mention the address: there only its cell is blanked.
    address: `mailbox = :key OR ${WORDS("cells")}`,
    domain: `${WORDS("mailbox")} OR ${WORDS("cells")}`,
    account: OF_JOB,
    blank: `mailbox = CASE WHEN ${WORDS("mailbox")} THEN NULL ELSE mailbox END,
      cells = (SELECT json_group_array(CASE WHEN ${WORDS("job_rows.mailbox")} OR ${WORDS("json_quote(c.value)")} THEN '' ELSE c.value END)
        FROM json_each(job_rows.cells) AS c)`,
    lists: ["cells", "mailbox"],
    scanned: { address: WIDE, domain: WIDE },
  },
  {
    // An open item stays in place, otherwise its chunk would never finish.
    table: "job_items",
    columns: ["email", "mailbox", "evidence"],
    address: `mailbox = :key OR (job_id IN (SELECT job_id FROM jobs) AND domain = '' AND email <> '' AND ${WORDS("email")})`,
    domain: `${ITEM_OF_DOMAIN} AND email <> ''`,
    account: OF_JOB,
    blank: "email = '', mailbox = '', evidence = CASE WHEN status IS NULL THEN NULL ELSE :erased END",
  },
  {
    table: "pending_verifications",
    columns: ["email", "evidence"],
    address: `${SAME("email")} OR ${WORDS("email")}`,
    domain: WORDS("email"),
    account: "account_id = :account",
    scanned: { address: WIDE, domain: WIDE },
  },
  {
    table: "outbound_events",
    columns: ["payload"],
    address: WORDS("payload"),
    domain: WORDS("payload"),
    account: "account_id = :account",
    scanned: { address: WIDE, domain: WIDE },
  },
  {
    table: "idempotency",
    columns: ["body"],
    address: WORDS("body"),
    domain: WORDS("body"),
    hidden: ["request_key", "request_hash"],
    lists: ["body"],
    isBulky: true,
    scanned: { address: LISTS, domain: LISTS },
  },
  {
    table: "benchmarks",
    columns: ["expected", "report"],
    address: WORDS("expected"),
    domain: WORDS("expected"),
    account: "account_id = :account",
    lists: ["expected", "report"],
    isBulky: true,
    scanned: { address: LISTS, domain: LISTS },
  },
  {
    // Suppressions by the mailbox or its owner stay active after erasure, by the hash alone. An entry for a whole domain
    // is about no person: it has no local part, and stays.
    table: "suppressions",
    columns: ["address", "address_hash", "source", "note"],
    // Also by the address: its hash may be under a pepper that is no longer accepted.
    address: `address_hash IN (SELECT value FROM json_each(:hashes)) OR ${SAME("address")}`,
    domain: "address LIKE '_%@' || :domain",
    account: "account_id = :account",
    blank: "address = NULL, source = NULL, note = NULL",
    staying: { where: "reason IN ('hard_bounce', 'spam_complaint')", unlessBlank: "address IS NOT NULL" },
    scanned: { address: NARROW, domain: NARROW },
  },
  {
    table: "address_feedback",
    columns: ["address_hash"],
    address: "address_hash IN (SELECT value FROM json_each(:hashes))",
    domain:
      "EXISTS (SELECT 1 FROM feedback AS f WHERE f.address_hash = address_feedback.address_hash AND f.domain = :domain)",
    account: "account_id = :account",
    hidden: ["address_hash"],
    scanned: { domain: WIDE },
  },
  {
    // An account's own erasure writes this row, and only the operator's removes it. The operator's own stays for a day.
    table: "account_erasures",
    columns: ["subject_hash"],
    address: `subject_hash IN (SELECT value FROM json_each(:hashes)) AND account_id <> '${OPERATOR_ERASURE}'`,
    domain: `domain_hash IN (SELECT value FROM json_each(:domain_hashes)) AND account_id <> '${OPERATOR_ERASURE}'`,
    account: "account_id = :account",
    hidden: ["subject_hash", "domain_hash"],
  },
  {
    table: "feedback",
    columns: ["address_hash", "snapshot"],
    address: "address_hash IN (SELECT value FROM json_each(:hashes))",
    domain: "domain = :domain",
    account: "account_id = :account",
    hidden: ["event_key", "batch", "address_hash"],
    scanned: { domain: WIDE },
  },
  {
    table: "feedback_domains",
    columns: [],
    address: null,
    domain: "domain = :domain",
    account: "account_id = :account",
  },
  {
    table: "breach_answers",
    columns: ["digest", "breaches"],
    domain: null,
    hidden: ["digest"],
    address: "digest IN (SELECT value FROM json_each(:breach_digests))",
  },
  {
    table: "breached_addresses",
    columns: ["digest"],
    address: "digest IN (SELECT value FROM json_each(:breach_digests))",
    domain: null,
    hidden: ["digest"],
  },
  {
    table: "format_samples",
    columns: ["digest", "shares"],
    address: "domain = :domain AND digest IN (SELECT value FROM json_each(:sample_digests))",
    domain: "domain = :domain",
    hidden: ["digest"],
  },
  {
    table: "site_scrapes",
    columns: ["emails"],
    address: `domain = :domain AND ${WORDS("emails")}`,
    domain: "domain = :domain",
    lists: ["emails"],
  },
  { table: "domain_formats", columns: [], address: null, domain: "domain = :domain" },
  { table: "domains", columns: [], address: null, domain: "domain = :domain" },
  {
    table: "sign_in_links",
    columns: ["email"],
    address: SAME("email"),
    domain: "email LIKE '%@' || :domain",
    hidden: ["token_hash", "browser_hash"],
    scanned: { address: NARROW, domain: NARROW },
  },
  {
    // The operator still decides about the money, so the row stays.
    table: "payment_offers",
    columns: ["email"],
    blank: "email = NULL",
    hidden: ["checkout_id", "customer_id"],
    address: "email = :key",
    domain: "email LIKE '%@' || :domain",
    scanned: { domain: NARROW },
  },
  { table: "sessions", columns: [], address: OWNERS, domain: OWNERS_AT_DOMAIN, hidden: ["token_hash"] },
  {
    table: "oauth_grants",
    columns: ["name"],
    account: "account_id = :account",
    address: OWNERS,
    domain: OWNERS_AT_DOMAIN,
    hidden: ["code_digest", "user_code_digest", "challenge"],
  },
  { table: "identities", columns: ["subject"], address: OWNERS, domain: OWNERS_AT_DOMAIN },
  {
    table: "api_keys",
    columns: ["owner_email", "network"],
    address: SAME("owner_email"),
    domain: "owner_email LIKE '%@' || :domain",
    blank: "owner_email = '', network = NULL, created_by = NULL",
    hidden: ["digest", "pepper_id", "created_by"],
    scanned: { address: NARROW, domain: NARROW },
  },
  {
    table: "accounts",
    columns: ["email"],
    address: "email = :key",
    domain: "email LIKE '%@' || :domain",
    blank: "email = NULL",
    scanned: { domain: NARROW },
  },
]
