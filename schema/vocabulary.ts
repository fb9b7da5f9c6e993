/** Every closed word list of the product, once. Tables, wire, domain, HTTP schemas and docs are all fed from here. */

/** Result values of a verification (spec "Verification status values"). */
export const STATUSES = ["valid", "invalid", "accept_all", "unknown", "invalid_syntax"] as const
export type Status = (typeof STATUSES)[number]

/** Statuses of variant B; a malformed address is plain `invalid` there. */
export const DELIVERABILITY_STATUSES = ["valid", "invalid", "accept_all", "unknown"] as const

export const SUB_STATUSES = [
  "mailbox_verified",
  "mailbox_not_found",
  "catch_all_address",
  "google_workspace_confirmed",
  "m365_confirmed",
  "greylisted",
  "connection_failed",
  "policy_rejection",
  "domain_not_found",
  "invalid_format",
] as const
export type SubStatus = (typeof SUB_STATUSES)[number]

export const SMTP_STATUSES = ["accepted", "rejected", "timeout", "error", "skipped"] as const
export type SmtpStatus = (typeof SMTP_STATUSES)[number]

export const GRADES = ["A", "B", "C", "D", "F"] as const
export type Grade = (typeof GRADES)[number]

/** Commands of an SMTP conversation at which a reply or a failure can arrive, in wire order. */
export const SMTP_STAGES = ["connect", "banner", "ehlo", "starttls", "mail", "rcpt", "rset", "quit"] as const
export type SmtpStage = (typeof SMTP_STAGES)[number]

/** Why a conversation ended without the reply it waited for. */
export const SMTP_FAILURES = [
  "dns", // the MX host has no usable address
  "blocked_address", // the MX host resolves to private, loopback or link-local space only
  "refused",
  "unreachable",
  "reset",
  "timeout",
  "deadline", // the caller's wall, not the server's slowness
  "tls",
  "protocol", // what came back is not SMTP
  "proxy",
  "smtputf8_unsupported", // RFC 6531: the address needs it, the server does not offer it
  "throttled", // the node's own pacing, circuit breaker or want of sockets held the probe back
  "shutdown",
] as const
export type SmtpFailure = (typeof SMTP_FAILURES)[number]

/** What a probe node examines about itself, in the order it is shown. */
export const DOCTOR_CHECKS = [
  "resolver",
  "clock",
  "proxy",
  "egress", // port 25 is open to the big providers
  "helo", // the HELO name points to the address we send from
  "ptr", // and that address's reverse name points back
  "sender", // the domain of MAIL FROM takes mail
  "spf",
  "blocklists",
] as const
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number]

/** `fail` makes a node unfit, `warn` costs it answers, `unknown` could not be found out. */
export const DOCTOR_RESULTS = ["ok", "warn", "fail", "unknown"] as const

/** How the fleet takes a probe node. Only `healthy` and `degraded` ones are asked. */
export const NODE_STATES = ["healthy", "degraded", "unfit", "quarantined", "gone"] as const
export type NodeState = (typeof NODE_STATES)[number]

/** What control addresses showed about a source IP at a mail operator; the `blanket` ones take the pair out. */
export const CANARY_FINDINGS = ["as_expected", "blanket_accept", "blanket_refuse", "unclear"] as const
export type CanaryFinding = (typeof CANARY_FINDINGS)[number]

/** What an SMTP reply means for the recipient it answers. */
export const REPLY_CLASSES = [
  "accepted",
  "mailbox_missing",
  "mailbox_disabled",
  "mailbox_full",
  "temporary",
  "greylisted",
  "refuses_us",
  "relay_denied",
  "protocol_error",
] as const
export type ReplyClass = (typeof REPLY_CLASSES)[number]

/** What about us was refused, for `refuses_us`. */
export type RefusalReason = "ip" | "helo" | "ptr" | "sender" | "rate" | "tls" | "policy"

/**
 * Who may call an endpoint. Declared per endpoint, enforced and tested in one place. `key` is an account by its key or
 * session; `key-or-admin` acts on the account's own data, with the admin secret on everybody's.
 */
export const ACCESS_WORDS = ["public", "key-optional", "key", "key-or-admin", "admin"] as const
export type AccessWord = (typeof ACCESS_WORDS)[number]

/** Key tiers, and the plans of accounts, the least first. */
export const TIERS = ["free", "starter", "pro", "enterprise"] as const
export type Tier = (typeof TIERS)[number]

/** `call` is settled when its answer goes out, `job` when the job ends; an open `call` is swept and refunded. */
export const CHARGE_STATES = ["reserving", "call", "job", "settled"] as const
export const CHARGE_SOURCES = ["month", "credits"] as const

/**
 * `receiving` is not shown to anybody: rows are still coming in, and nothing is left of it when they do not come to an
 * end. `complete`, `failed` and `cancelled` are final.
 */
export const JOB_STATUSES = ["receiving", "queued", "running", "complete", "failed", "cancelled"] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** `turbo` finishes in the background what a turbo call had no time for, `reverify` is the operator's; nobody sees them. */
export const JOB_KINDS = ["async", "upload", "retry", "turbo", "reverify"] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** `leased` waits in the queue, `running` is being worked on; both fall back when their lease ends. */
export const CHUNK_STATES = ["waiting", "leased", "running", "done"] as const

/** What webhooks tell of (Standard Webhooks event types). */
export const EVENT_TYPES = ["job.completed", "job.failed", "verification.completed", "reverify.completed"] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** `pending` is due at its time, whatever its attempts; `delivered`, `failed` and `disabled` are final. */
export const EVENT_STATES = ["pending", "delivered", "failed", "disabled"] as const
export type EventState = (typeof EVENT_STATES)[number]

/** How a try to deliver a webhook ended; only `delivered` is a success. */
export const ATTEMPT_OUTCOMES = [
  "delivered",
  "refused", // an answer that is not 2xx
  "redirected", // 3xx: never followed
  "gone", // 410: the receiver wants no more
  "timeout",
  "unreachable",
  "blocked", // the URL or an address behind its name is not public
] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** A verification asked for with /verify/quick; `complete` and `failed` are final. */
export const PENDING_STATES = ["queued", "running", "complete", "failed"] as const
export type PendingState = (typeof PENDING_STATES)[number]

/** Why an address is not to be sent to. */
export const SUPPRESSION_REASONS = ["hard_bounce", "soft_bounce", "spam_complaint", "unsubscribe", "manual"] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** What can have happened to mail, or to a verdict of ours, as senders report it. */
export const FEEDBACK_KINDS = [
  "hard_bounce",
  "soft_bounce",
  "spam_complaint",
  "unsubscribe",
  "delivered",
  "received",
  "opened",
  "clicked",
  "report_correct",
  "report_incorrect",
] as const
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number]

/** What the interface's placeholders stand for, in paths and everywhere else. */
export const PLACEHOLDERS = {
  esp_a: "sendgrid",
  esp_b: "mailgun",
  esp_c: "postmark",
  esp_d: "ses",
  crm_a: "hubspot",
  crm_b: "salesforce",
  tool_a: "mailchimp",
  tool_b: "klaviyo",
  tool_c: "slack",
  tool_d: "zapier",
  idp: "google",
  payment_processor: "stripe",
} as const

/** Email-sending providers whose events are taken. */
export const INBOUND_PROVIDERS = [
  PLACEHOLDERS.esp_a,
  PLACEHOLDERS.esp_b,
  PLACEHOLDERS.esp_c,
  PLACEHOLDERS.esp_d,
] as const
export type InboundProvider = (typeof INBOUND_PROVIDERS)[number]

/** Services with contacts of their own: these are read, and what was found is written back. */
export const SYNC_PROVIDERS = [
  PLACEHOLDERS.crm_a,
  PLACEHOLDERS.crm_b,
  PLACEHOLDERS.tool_a,
  PLACEHOLDERS.tool_b,
] as const
export type SyncProvider = (typeof SYNC_PROVIDERS)[number]

/** Services that take messages. */
export const SEND_PROVIDERS = [PLACEHOLDERS.tool_c, PLACEHOLDERS.tool_d] as const
export type SendProvider = (typeof SEND_PROVIDERS)[number]

/** What an account can connect. */
export const INTEGRATION_PROVIDERS = [...SYNC_PROVIDERS, ...SEND_PROVIDERS] as const
export type IntegrationProvider = (typeof INTEGRATION_PROVIDERS)[number]

/**
 * `waiting` goes on at its time: the provider asked for it, or could not be reached. `out_of_credits` and `failed` go on
 * from where they stopped when they are started again; `complete` is final.
 */
export const SYNC_STATES = ["queued", "running", "waiting", "out_of_credits", "failed", "complete"] as const
export type SyncState = (typeof SYNC_STATES)[number]

/** What the log of an integration tells of. */
export const INTEGRATION_EVENT_KINDS = [
  "connection_tested",
  "sync_started",
  "page_synced",
  "sync_stopped",
  "sync_completed",
  "message_sent",
] as const

/** How it went; only `ok` is a success. */
export const INTEGRATION_OUTCOMES = [
  "ok",
  "unauthorized", // the provider does not accept the credentials
  "refused", // it does not do what it was asked to
  "rate_limited",
  "unreachable", // no answer, or one that says the provider is in trouble
  "out_of_credits",
] as const
export type IntegrationOutcome = (typeof INTEGRATION_OUTCOMES)[number]

/** What stands in the audit trail; whatever else is done with the admin secret is `admin.call`. */
export const AUDIT_ACTIONS = [
  "key.created",
  "key.rotated",
  "key.revoked",
  "account.signed_in",
  "account.tier_changed",
  "data.exported",
  "data.erased",
  "domain.erased",
  "customer.erased",
  "data.purged",
  "lists.refreshed",
  "lists.override_set",
  "lists.override_removed",
  "suppression.added",
  "suppression.removed",
  "admin.call",
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What an operator or a fetched list may say about a domain; `allow` only takes it off the disposable list. */
export const LIST_CLASSES = ["disposable", "relay", "free", "corporate", "allow"] as const
export type ListClass = (typeof LIST_CLASSES)[number]

/** Whose word an override is; the operator's stands above the public lists'. */
export const OVERRIDE_ORIGINS = ["operator", "fetched"] as const
export type OverrideOrigin = (typeof OVERRIDE_ORIGINS)[number]

/** What became of a refresh of the lists. */
export const REFRESH_OUTCOMES = ["updated", "unchanged", "refused"] as const
export type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number]

/** What a model predicts: whether mail arrives, at any domain, or at one that accepts every recipient. */
export const MODEL_KINDS = ["deliverability", "catch_all"] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** `trained`, `refused` and `failed` are final. */
export const TRAINING_STATES = ["queued", "running", "trained", "refused", "failed"] as const

/** Why a training came to no model. */
export const TRAINING_REFUSALS = [
  "too_few_samples",
  "too_few_accounts", // that agree: see ML_TRUSTED_ACCOUNTS
  "one_outcome_only", // too little that arrived, or too little that bounced
  "worse_than_current", // on samples held out
  "one_account_dominates", // leaving one account out would move others' scores too far
] as const
export type TrainingRefusal = (typeof TRAINING_REFUSALS)[number]
