/**
 * Where addresses are, and how those of one person are found, shown and taken away. In this order: what is looked up
 * through other rows goes before them. A test holds this list against the tables themselves.
 *
 * Conditions are SQL over the table's own columns. They may name: `:key`, the cache key of an address; `:spellings`, its
 * letter cases beyond ASCII; `:mentions`, how it may be written in a text, lower-case as far as ASCII goes, each also as
 * GLOB wants it, with `:ends`, how those end, and `:before`, what may stand before them; `:domain`; `:hashes`,
 * `:breach_digests` and `:sample_digests`, its keyed hashes; `:account`; `:erased`, what is left of evidence. Lists are JSON.
 */
export interface PersonalTable {
  readonly table: string
  /** Columns that name a person or tell of one. */
  readonly columns: readonly string[]
  /** The rows about one address; null when only a whole domain has any. */
  readonly address: string | null
  /** The rows about a domain's addresses; null when nothing tells their domain. */
  readonly domain: string | null
  /** The rows of one account. Missing: the rows are nobody's, and only the operator takes them away. */
  readonly account?: string
  /** For rows that are nobody's: those that an account asked about, which it may have taken away. */
  readonly askedBy?: string
  /** What is left of a row that others count on. Missing: the row goes. */
  readonly blank?: string
  /** Which rows are left as `blank` says, and how those are told that are blank already; all other rows go. */
  readonly staying?: { readonly where: string; readonly unlessBlank: string }
  /** Never shown: secrets, and hashes that mean nothing outside. */
  readonly hidden?: readonly string[]
  /** Columns with lists of people, or another one: who asks for an address's data is shown nobody else's. */
  readonly lists?: readonly string[]
  /** A row may have megabytes. */
  readonly isBulky?: true
  /** No index leads to the rows of an address, of a domain, or of one account's domain: all are gone through, so many at once. */
  readonly scanned?: { readonly address?: number; readonly domain?: number; readonly ownDomain?: number }
}

/** Rows gone through at once, by how long they can be: the database answers within three seconds. */
const [NARROW, WIDE, LISTS] = [50_000, 20_000, 200]

/**
 * Whether an address stands in a text as a word of its own; a full stop may end a sentence, and quotes may enclose it. GLOB
 * alone takes thirty times as long: it is asked only about texts in which the address is found.
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
/** What an account asked about, though the row names nobody who did. */
const ASKED = (address: string) => `(EXISTS (SELECT 1 FROM verifications AS v
    WHERE v.domain = :domain AND v.address = ${address} COLLATE NOCASE AND v.account_id = :account)
  OR EXISTS (SELECT 1 FROM job_items AS i JOIN jobs AS j ON j.job_id = i.job_id
    WHERE i.mailbox = lower(${address}) AND j.account_id = :account))`
const OWNERS = "account_id IN (SELECT account_id FROM accounts WHERE email = :key)"
const OWNERS_AT_DOMAIN = "account_id IN (SELECT account_id FROM accounts WHERE email LIKE '%@' || :domain)"

export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: "results",
    columns: ["address", "evidence"],
    address: "address = :key",
    domain: "domain = :domain",
    askedBy: ASKED("results.address"),
  },
  {
    // Or the result would come back with the next turn.
    table: "rechecks",
    columns: ["address"],
    address: SAME("address"),
    domain: "address LIKE '%@' || :domain",
    askedBy: ASKED("rechecks.address"),
    scanned: { address: NARROW, domain: NARROW },
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
    // Also in a row about somebody else, as who recommended them: there its own cell alone is blanked.
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
    // An open item stays in its place, or its chunk would never come to an end.
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
    // What a mailbox or its owner said goes on protecting them: by the hash alone.
    table: "suppressions",
    columns: ["address", "address_hash", "source"],
    // By the address, too: its hash may be under a pepper that is honoured no more.
    address: `address_hash IN (SELECT value FROM json_each(:hashes)) OR ${SAME("address")}`,
    domain: "address LIKE '%@' || :domain",
    account: "account_id = :account",
    blank: "address = NULL, source = NULL",
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
    address: "digest IN (SELECT value FROM json_each(:breach_digests))",
    domain: null,
    hidden: ["digest"],
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
    hidden: ["token_hash"],
    scanned: { address: NARROW, domain: NARROW },
  },
  { table: "sessions", columns: [], address: OWNERS, domain: OWNERS_AT_DOMAIN, hidden: ["token_hash"] },
  { table: "identities", columns: ["subject"], address: OWNERS, domain: OWNERS_AT_DOMAIN },
  {
    table: "api_keys",
    columns: ["owner_email"],
    address: SAME("owner_email"),
    domain: "owner_email LIKE '%@' || :domain",
    blank: "owner_email = ''",
    hidden: ["digest", "pepper_id"],
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

/** Columns whose names or kinds sound personal and are not, with the reason. */
export const NOT_PERSONAL: Readonly<Record<string, string>> = {
  "api_keys.digest": "of a key's secret",
  "audit_trail.details": "ids, counts and keyed hashes only",
  "audit_trail.subject": "an id or a keyed hash",
  "domains.facts": "about a domain, shared by all its addresses",
  "feedback.source": "a provider's name or a caller's word for one; its row goes with the address",
  "fleet_health.listings": "blocklists of our own IPs",
  "fleet_health.report": "a node's examination of itself",
  "fleet_nodes.public_keys": "a node's own",
  "fleet_nodes.source_ips": "a node's own",
  "fleet_outcomes.source_ip": "a node's own",
  "fleet_pairs.source_ip": "a node's own",
  "fleet_sender_domains.findings": "about our own sender domains",
  "fleet_tokens.digest": "of a token's secret",
  "format_samples.source": "what kind of page or list it came from",
  "integrations.settings": "what to do where at a provider; neither secrets nor contacts",
  "job_files.header": "names of columns",
  "ledger.source": "what credits came from",
  "ledger.subject": "an account, a key, or a keyed hash of a network",
  "list_overrides.note": "the operator's words about a domain",
  "list_refreshes.sources": "names of public lists",
  "models.report": "sums over samples",
  "models.weights": "sums over samples",
  "training_runs.report": "sums over samples",
  "usage.subject": "an account, a key, or a keyed hash of a network",
}
