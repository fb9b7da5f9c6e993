/** All enumerations of the product. Tables, wire formats, domain, HTTP schemas and docs use these lists. */

/** Result values of a verification (spec "Verification status values"). */
export const STATUSES = ["valid", "invalid", "accept_all", "unknown", "invalid_syntax"] as const
export type Status = (typeof STATUSES)[number]

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

/** Ends the id of the account that test keys act for, after the id of their owner's account. All other ids end in a digit. */
export const TEST_ACCOUNT_SUFFIX = "_test"

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
  "deadline", // the caller's deadline passed
  "tls",
  "protocol", // the response is not SMTP
  "proxy",
  "smtputf8_unsupported", // RFC 6531: the address needs it, the server does not support it
  "throttled", // the node's own rate limit, circuit breaker or lack of sockets stopped the probe
  "shutdown",
] as const
export type SmtpFailure = (typeof SMTP_FAILURES)[number]

/** Self-checks of a probe node, in display order. */
export const DOCTOR_CHECKS = [
  "resolver",
  "clock",
  "proxy",
  "egress", // port 25 is open to the large providers
  "helo", // the HELO name resolves to the source IP
  "ptr", // the reverse name of the source IP resolves back to it
  "sender", // the domain of MAIL FROM accepts mail
  "spf",
  "blocklists",
] as const
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number]

/** Why a probe node refuses a request, in its 401. `refused` is every other reason. */
export const REFUSALS = ["unknown_key", "wrong_signature", "clock", "refused"] as const
export type Refusal = (typeof REFUSALS)[number]

/** `fail` makes a node unfit, `warn` costs it answers, `unknown` is an inconclusive check. */
export const DOCTOR_RESULTS = ["ok", "warn", "fail", "unknown"] as const

/** Health of a probe node, from its health checks. */
export const HEALTH_STATES = ["healthy", "degraded", "unfit", "quarantined", "gone"] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** Result of a canary probe of a source IP at a mail operator. The `blanket` results exclude the route. */
export const CANARY_FINDINGS = ["as_expected", "blanket_accept", "blanket_refuse", "unclear"] as const
export type CanaryFinding = (typeof CANARY_FINDINGS)[number]

/** Meaning of an SMTP reply for its recipient. */
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

/** The refused property of the node, for `refuses_us`. */
export type RefusalReason = "ip" | "helo" | "ptr" | "sender" | "rate" | "tls" | "policy"

/** Tiers for customers: GET /plans lists them, and a payment buys one. The lowest first. */
export const LISTED_TIERS = ["free", "starter", "pro", "enterprise"] as const
/** Key tiers and account plans, the lowest first. Only the operator gives the last one, which has no limits. */
export const TIERS = [...LISTED_TIERS, "unlimited"] as const
export type Tier = (typeof TIERS)[number]

/** What the owner of a mailbox decided about a payment in its name. */
export const OFFER_DECISIONS = ["accepted", "declined"] as const
/** `ended`: the payment was refunded, or its subscription has ended, before a decision. */
export const OFFER_STATES = ["open", ...OFFER_DECISIONS, "ended"] as const
export type OfferState = (typeof OFFER_STATES)[number]

/** A device code begins as pending, an authorization code as approved. Used: it became a key. */
export const OAUTH_GRANT_STATES = ["pending", "approved", "denied", "used"] as const
export type OAuthGrantState = (typeof OAUTH_GRANT_STATES)[number]

/** `call` is settled with its response, `job` with the end of the job. An open `call` is refunded by a sweep. */
export const CHARGE_STATES = ["reserving", "call", "job", "lease", "settled"] as const
export const CHARGE_SOURCES = ["month", "credits"] as const
export type ChargeSource = (typeof CHARGE_SOURCES)[number]

/**
 * `receiving` is internal: rows are still arriving, and an incomplete upload is removed. `complete`, `failed` and
 * `cancelled` are final. The interface shows `cancelled` as `failed` with `cancelled_at`.
 */
export const JOB_STATUSES = ["receiving", "queued", "running", "complete", "failed", "cancelled"] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** `turbo` finishes an incomplete turbo call in the background, `reverify` is the operator's. Both are internal. */
export const JOB_KINDS = ["async", "upload", "retry", "turbo", "reverify"] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** `leased` waits in the queue, `running` is in progress. Both return to `waiting` when their lease ends. */
export const CHUNK_STATES = ["waiting", "leased", "running", "done"] as const

/** Events that a webhook endpoint of an account can get (Standard Webhooks event types). */
export const ENDPOINT_EVENTS = [
  "job.partial", // only retries are left
  "job.completed",
  "job.failed",
  "verification.completed",
  "usage.threshold", // 80 or 100 % of the month's credits are used
] as const
export type EndpointEvent = (typeof ENDPOINT_EVENTS)[number]

/** All events of webhooks. Of the last two, the first is the operator's and the second is sent on request. */
export const EVENT_TYPES = [...ENDPOINT_EVENTS, "reverify.completed", "webhook.test"] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** `pending` is due at its time, after any number of attempts. `delivered`, `failed` and `disabled` are final. */
export const EVENT_STATES = ["pending", "delivered", "failed", "disabled"] as const
export type EventState = (typeof EVENT_STATES)[number]

/** Outcome of a webhook delivery attempt; only `delivered` is a success. */
export const ATTEMPT_OUTCOMES = [
  "delivered",
  "refused", // a response that is not 2xx
  "redirected", // 3xx, never followed
  "gone", // 410: the receiver unsubscribed
  "timeout",
  "unreachable",
  "blocked", // the URL or an address of its host is not public
] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** State of a verification from /verify/quick. `complete` and `failed` are final. */
export const PENDING_STATES = ["queued", "running", "complete", "failed"] as const
export type PendingState = (typeof PENDING_STATES)[number]

/** Reason of a suppression. */
export const SUPPRESSION_REASONS = ["hard_bounce", "soft_bounce", "spam_complaint", "unsubscribe", "manual"] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** What later reports say about a verdict. `undecided`: no report so far proves it right or wrong. */
export const VERDICT_OUTCOMES = ["correct", "incorrect", "undecided"] as const
export type VerdictOutcome = (typeof VERDICT_OUTCOMES)[number]

/** Kinds of feedback about mail, or about a verdict, as senders report it. */
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

/** Providers behind the placeholders of the API specification, in paths and everywhere else. */
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

/** Email-sending providers whose events are accepted. */
export const INBOUND_PROVIDERS = [
  PLACEHOLDERS.esp_a,
  PLACEHOLDERS.esp_b,
  PLACEHOLDERS.esp_c,
  PLACEHOLDERS.esp_d,
] as const
export type InboundProvider = (typeof INBOUND_PROVIDERS)[number]

/** Providers with contacts, which are read, and to which findings are written back. */
export const SYNC_PROVIDERS = [
  PLACEHOLDERS.crm_a,
  PLACEHOLDERS.crm_b,
  PLACEHOLDERS.tool_a,
  PLACEHOLDERS.tool_b,
] as const
export type SyncProvider = (typeof SYNC_PROVIDERS)[number]

/** Providers that receive messages. */
export const SEND_PROVIDERS = [PLACEHOLDERS.tool_c, PLACEHOLDERS.tool_d] as const
export type SendProvider = (typeof SEND_PROVIDERS)[number]

/** Providers that an account can connect. */
export const INTEGRATION_PROVIDERS = [...SYNC_PROVIDERS, ...SEND_PROVIDERS] as const
export type IntegrationProvider = (typeof INTEGRATION_PROVIDERS)[number]

/**
 * `waiting` resumes at its time, after a rate limit or a connection failure. `out_of_credits` and `failed` resume at the
 * same position when the account restarts them. `complete` is final.
 */
export const SYNC_STATES = ["queued", "running", "waiting", "out_of_credits", "failed", "complete"] as const
export type SyncState = (typeof SYNC_STATES)[number]

/** Events in the log of an integration. */
export const INTEGRATION_EVENT_KINDS = [
  "connection_tested",
  "sync_started",
  "page_synced",
  "sync_stopped",
  "sync_completed",
  "message_sent",
] as const

/** Outcome of an integration event; only `ok` is a success. */
export const INTEGRATION_OUTCOMES = [
  "ok",
  "unauthorized", // the provider rejects the credentials
  "refused", // the provider rejects the request
  "rate_limited",
  "unreachable", // no response, or a server error
  "unreadable", // a response in another form than the provider publishes, such as an HTML page
  "out_of_credits",
] as const
export type IntegrationOutcome = (typeof INTEGRATION_OUTCOMES)[number]

/** Actions in the audit trail. Any other use of the admin secret is `admin.call`. */
export const AUDIT_ACTIONS = [
  ...["key.created", "key.rotated", "key.changed", "key.joined", "key.revoked"],
  ...["account.signed_in", "account.sessions_ended", "account.tier_changed", "account.suspended", "account.resumed"],
  ...["payment.accepted", "payment.declined"],
  ...["data.exported", "data.erased", "domain.erased", "customer.erased", "data.purged"],
  ...["node.enrolled", "node.drained", "node.resumed", "node.removed", "node.key_changed"],
  ...["lists.refreshed", "lists.override_set", "lists.override_removed"],
  ...["suppression.added", "suppression.removed", "admin.call"],
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Class that an operator or a fetched list gives a domain. `allow` only removes it from the disposable list. */
export const LIST_CLASSES = ["disposable", "relay", "free", "corporate", "allow"] as const
export type ListClass = (typeof LIST_CLASSES)[number]

/** Lists that a refresh fetches: classes of domains, and the top-level domains of the root zone. */
export const REFRESHED_LISTS = ["disposable", "free", "top_level"] as const
export type RefreshedList = (typeof REFRESHED_LISTS)[number]

/** Origin of an override. The operator's takes precedence over public lists. */
export const OVERRIDE_ORIGINS = ["operator", "fetched"] as const
export type OverrideOrigin = (typeof OVERRIDE_ORIGINS)[number]

/** Result of a refresh of the lists. */
export const REFRESH_OUTCOMES = ["updated", "unchanged", "refused"] as const
export type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number]

/** Purpose of a model: whether mail arrives at any domain, or at an accept-all domain. */
export const MODEL_KINDS = ["deliverability", "catch_all"] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** `trained`, `refused` and `failed` are final. */
export const TRAINING_STATES = ["queued", "running", "trained", "refused", "failed"] as const

/** Why a training produced no model. */
export const TRAINING_REFUSALS = [
  "too_few_samples",
  "too_few_accounts", // that agree (see ML_TRUSTED_ACCOUNTS)
  "one_outcome_only", // too few arrived or too few bounced samples
  "worse_than_current", // on held-out samples
  "one_account_dominates", // one account would move other accounts' scores too far
] as const
export type TrainingRefusal = (typeof TRAINING_REFUSALS)[number]
