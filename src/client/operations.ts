/** Made by `npm run build:client` from the published document. Change the service, not this file. */

export type UploadedJob = (SubmittedJob & {
file: {
format: ("csv" | "txt" | "xlsx")
encoding: (string | null)
delimiter: (string | null)
email_column: string
rows: number
rows_without_address: number
}
})
export type LearnedSite = (ScrapedSite & {
formats: DomainFormats
})
export type ModelStatsV2 = (ModelStats & {
/**
 * Predicted against observed shares; the interval is Wilson's, 95 %
 */
calibration: {
from: number
to: number
samples: number
predicted: number
observed: number
low: number
high: number
}[]
by_operator: {
operator: string
metrics: ModelMetrics
}[]
/**
 * Of mail to addresses of a score, as the rules alone give it; from 50 samples on
 */
bounce_by_score: {
/**
 * Null for all
 */
operator: (string | null)
score_from: number
score_to: number
samples: number
bounced: number
bounce_rate: number
low: number
high: number
}[]
largest_account: ({
share: number
influence_points: number
} | null)
weights: {
feature: string
weight: number
prior: number
}[]
/**
 * Newest first
 */
versions: {
version: number
trained_at: (string | null)
samples: number
metrics: ModelMetrics
in_use: boolean
}[]
})
export type ValidateByBodyInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Ask the mail server whether the mailbox exists
 */
smtp?: (boolean | null)
/**
 * Look the mail servers up on blocklists
 */
rbl?: (boolean | null)
/**
 * Look for a Gravatar
 */
gravatar?: (boolean | null)
/**
 * Look for known breaches; costs an extra credit
 */
breach?: (boolean | null)
/**
 * Look for a web site of the domain
 */
web_presence?: (boolean | null)
/**
 * Look up how old the domain is
 */
domain_age?: (boolean | null)
/**
 * Add the model's prediction and an activity score
 */
enrich?: (boolean | null)
/**
 * Respect the suppression list
 */
suppression?: (boolean | null)
/**
 * Add every fact, the points it brought and the SMTP conversation
 */
explain?: (boolean | null)
timeout_ms?: (number | null)
})
export type ValidateChecksByBodyInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Ask the mail server whether the mailbox exists
 */
smtp?: (boolean | null)
/**
 * Look the mail servers up on blocklists
 */
rbl?: (boolean | null)
/**
 * Look for a Gravatar
 */
gravatar?: (boolean | null)
/**
 * Look for known breaches; costs an extra credit
 */
breach?: (boolean | null)
/**
 * Look for a web site of the domain
 */
web_presence?: (boolean | null)
/**
 * Look up how old the domain is
 */
domain_age?: (boolean | null)
/**
 * Respect the suppression list
 */
suppression?: (boolean | null)
/**
 * Add every fact, the points it brought and the SMTP conversation
 */
explain?: (boolean | null)
timeout_ms?: (number | null)
view?: ("full" | "normalized" | null)
})
export type VerifyCatchAllResolveInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
timeout_ms?: (number | null)
})
export type ResolveCatchAllInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
timeout_ms?: (number | null)
})
export type BillingSignupInput = ({

} & {
email: string
plan: string
})
export type StripeWebhookInput = {

}
export type CreateKeyInput = ({

} & {
name: string
owner_email: string
/**
 * Up to the account's plan; with the admin secret any
 */
tier?: ("free" | "starter" | "pro" | "enterprise" | null)
})
export type RequestSignInInput = ({

} & {
email: string
})
export type SignInInput = ({

} & {
token: string
})
export type SignInWithGoogleAnswer = (Session & {
name: (string | null)
})
export type ValidateBulkInput = ({

} & {
/**
 * @minItems 1
 * @maxItems 100
 */
emails: string[]
/**
 * Ask the mail servers whether the mailboxes exist
 */
smtp?: (boolean | null)
/**
 * Leave out what stands in the list twice
 */
deduplicate?: (boolean | null)
/**
 * Say which of them are suppressed
 */
check_suppression?: (boolean | null)
/**
 * Addresses asked about at a time
 */
max_concurrent?: (number | null)
})
export type ValidateTurboInput = ({

} & {
/**
 * @minItems 1
 * @maxItems 5000
 */
emails: string[]
/**
 * Ask the mail servers whether the mailboxes exist
 */
smtp?: (boolean | null)
/**
 * Leave out what stands in the list twice
 */
deduplicate?: (boolean | null)
})
export type ValidateAsyncInput = ({

} & {
/**
 * Ask the mail servers whether the mailboxes exist
 */
smtp?: (boolean | null)
/**
 * Leave out what stands in the list twice
 */
deduplicate?: (boolean | null)
/**
 * Told when the job is over
 */
webhook_url?: (string | null)
/**
 * Verify a small sample only and project what the list is made of; no job is made
 */
sample?: (boolean | null)
/**
 * @minItems 1
 */
emails: string[]
})
export type ValidateAsyncAnswer = (SubmittedJob | SampleProjection)
export type WatchJobAnswer = string
export type DownloadResultsAnswer = string
export type DedupInput = ({

} & (string[] | {
/**
 * @minItems 1
 * @maxItems 100000
 */
emails: string[]
}))
export type AddSuppressionInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
reason: ("hard_bounce" | "soft_bounce" | "spam_complaint" | "unsubscribe" | "manual")
source?: (string | null)
/**
 * Left out: for good
 */
expires_in_days?: (number | null)
})
export type ExportSuppressionsAnswer = string
export type ReportBounceInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * `hard` is hard_bounce
 */
bounce_type: ("hard_bounce" | "soft_bounce" | "spam_complaint" | "hard")
bounce_code?: (string | null)
bounce_msg?: (string | null)
})
export type ReportReceivedBatchInput = ({

} & ReceivedBatch)
export type ReportVerdictInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Whether what we said about the address was right
 */
correct: boolean
})
export type CreateReceiverInput = ({

} & {
provider: ("sendgrid" | "mailgun" | "postmark" | "ses")
secret?: (string | null)
})
export type FindEmailInput = ({

} & {
/**
 * Given names, in any script
 */
first_name: string
/**
 * Family names, in any script
 */
last_name: string
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
})
export type ScrapeDomainFormatsInput = ({

} & {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
})
export type CheckCrossReferenceInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
first_name?: (string | null)
last_name?: (string | null)
company_name?: (string | null)
})
export type CheckMineEmailsInput = ({

} & {
text: string
/**
 * The site the text is from
 */
domain?: (string | null)
})
export type RunBenchmarkInput = ({

} & {
/**
 * @minItems 1
 * @maxItems 10000
 */
test_emails: {
email: string
expected_status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax" | "catch_all" | "risky" | "deliverable" | "undeliverable")
notes?: (string | null)
}[]
})
export type MetricsAnswer = string
export type UpgradeUserInput = ({
email: string
} & {
tier: ("free" | "starter" | "pro" | "enterprise")
})
export type SetOverrideInput = ({

} & {
domain: string
class: ("disposable" | "relay" | "free" | "corporate" | "allow")
note?: (string | null)
})
export type EraseInput = ({

} & {
/**
 * The address to look at, up to 254 octets
 */
email: string
})
export type EraseDomainInput = ({

} & {
domain: string
})
export type SetCanaryInput = ({

} & {
operator: string
existing: string
missing: string
})
export type EnrolNodeInput = ({

} & {
token: string
id: string
region: string
/**
 * Origin, public and https
 */
url: string
/**
 * Ed25519, `<key id>:<base64url>`
 */
public_key: string
/**
 * @maxItems 64
 */
source_ips?: string[]
/**
 * SMTP sessions at a time
 */
capacity?: number
version?: string
})
export type ChangeNodeKeyInput = ({
node_id: string
} & {
/**
 * Ed25519, `<key id>:<base64url>`
 */
public_key: string
})
export type CreateIntegrationInput = ({

} & (({
provider: "hubspot"
credentials: {
access_token: string
}
settings?: {
status_property?: string
score_property?: string
}
} | {
provider: "salesforce"
credentials: {
client_id: string
client_secret?: string
refresh_token?: string
/**
 * The organization's own, such as https://example.my.salesforce.com; needed without a refresh_token
 */
domain?: string
}
settings?: {
object?: ("Contact" | "Lead")
status_field?: string
score_field?: string
}
} | {
provider: "mailchimp"
credentials: {
api_key: string
}
settings: {
list_id: string
/**
 * What happens to unsafe members
 */
action?: ("tag" | "unsubscribe")
tag?: string
}
} | {
provider: "klaviyo"
credentials: {
api_key: string
}
settings: {
list_id: string
/**
 * Profiles get properties; with `suppress` the unsafe ones are suppressed too
 */
action?: ("properties" | "suppress")
status_property?: string
score_property?: string
}
} | {
provider: "slack"
credentials: {
webhook_url?: string
bot_token?: string
}
settings?: {
/**
 * Where a bot writes when the call names no channel
 */
channel?: string
}
} | {
provider: "zapier"
credentials: {
hook_url: string
}
settings?: {

}
}) & {
/**
 * Left out: the provider's name
 */
name?: (string | null)
verify?: (boolean | null)
}))
export type TestIntegrationInput = ({

} & ({
integration_id: string
} | {
provider: "hubspot"
credentials: {
access_token: string
}
settings?: {
status_property?: string
score_property?: string
}
} | {
provider: "salesforce"
credentials: {
client_id: string
client_secret?: string
refresh_token?: string
/**
 * The organization's own, such as https://example.my.salesforce.com; needed without a refresh_token
 */
domain?: string
}
settings?: {
object?: ("Contact" | "Lead")
status_field?: string
score_field?: string
}
} | {
provider: "mailchimp"
credentials: {
api_key: string
}
settings: {
list_id: string
/**
 * What happens to unsafe members
 */
action?: ("tag" | "unsubscribe")
tag?: string
}
} | {
provider: "klaviyo"
credentials: {
api_key: string
}
settings: {
list_id: string
/**
 * Profiles get properties; with `suppress` the unsafe ones are suppressed too
 */
action?: ("properties" | "suppress")
status_property?: string
score_property?: string
}
} | {
provider: "slack"
credentials: {
webhook_url?: string
bot_token?: string
}
settings?: {
/**
 * Where a bot writes when the call names no channel
 */
channel?: string
}
} | {
provider: "zapier"
credentials: {
hook_url: string
}
settings?: {

}
}))
export type SyncHubspotInput = ({

} & {
/**
 * Needed when the account has several of this provider
 */
integration_id?: (string | null)
/**
 * Begin anew although a sync that has stopped could go on
 */
restart?: (boolean | null)
})
export type SyncSalesforceInput = ({

} & {
/**
 * Needed when the account has several of this provider
 */
integration_id?: (string | null)
/**
 * Begin anew although a sync that has stopped could go on
 */
restart?: (boolean | null)
})
export type SyncMailchimpInput = ({

} & {
/**
 * Needed when the account has several of this provider
 */
integration_id?: (string | null)
/**
 * Begin anew although a sync that has stopped could go on
 */
restart?: (boolean | null)
})
export type SyncKlaviyoInput = ({

} & {
/**
 * Needed when the account has several of this provider
 */
integration_id?: (string | null)
/**
 * Begin anew although a sync that has stopped could go on
 */
restart?: (boolean | null)
})
export type SendSlackInput = ({

} & {
/**
 * Needed when the account has several of this provider
 */
integration_id?: (string | null)
/**
 * As Slack's mrkdwn
 */
text: string
/**
 * For a bot's token; a webhook has its own channel
 */
channel?: (string | null)
})
export type SendZapierInput = ({

} & {
/**
 * Needed when the account has several of this provider
 */
integration_id?: (string | null)
text?: (string | null)
/**
 * Whatever the Zap works with
 */
payload?: ({
[k: string]: unknown
} | null)
})

export interface Schemas {

}
export interface Deliverability {
email: string
status: ("valid" | "invalid" | "accept_all" | "unknown")
sub_status: ("mailbox_verified" | "mailbox_not_found" | "catch_all_address" | "google_workspace_confirmed" | "m365_confirmed" | "greylisted" | "connection_failed" | "policy_rejection" | "domain_not_found" | "invalid_format" | null)
confidence_score: number
deliverability: ("deliverable" | "undeliverable" | "risky" | "unknown")
deliverability_score: {
score: number
grade: string
band: ("excellent" | "good" | "fair" | "poor" | "bad")
can_send: boolean
recommendation: ("send" | "send_with_caution" | "retry_later" | "do_not_send")
primary_risk: (string | null)
email_type: ("disposable" | "relay" | "role" | "free" | "government" | "education" | "corporate" | "unknown")
breakdown: {
[k: string]: number
}
}
/**
 * Local part
 */
account: string
domain: string
mx_found: boolean
mx_records: string[]
smtp_provider: string
/**
 * Empty when there was no reply
 */
smtp_response_code: string
catch_all: boolean
is_disposable: boolean
is_role: boolean
is_free: boolean
did_you_mean: (string | null)
checks: Checks
enrichment?: Enrichment
explanation?: Explanation
}
export interface Checks {
/**
 * Normalized address; as given when it is malformed
 */
email: string
/**
 * The mail server accepted the recipient
 */
deliverable: boolean
can_send: boolean
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
score: number
grade: ("A" | "B" | "C" | "D" | "F")
score_breakdown: ScoreBreakdown
/**
 * False also where it could not be settled
 */
is_catch_all: boolean
is_role_account: boolean
is_disposable: boolean
is_free_provider: boolean
is_subaddress: boolean
is_corporate: boolean
/**
 * An alias that forwards to a lasting mailbox
 */
is_relay: boolean
is_government: boolean
is_education: boolean
mx_valid: boolean
mx_records: string[]
spf_valid: boolean
dkim_present: boolean
smtp_verified: boolean
smtp_status: ("accepted" | "rejected" | "timeout" | "error" | "skipped")
/**
 * The deciding SMTP reply's code; 0 when there was none
 */
smtp_response_code: number
smtp_banner: string
rbl_listed: boolean
rbl_lists_checked: number
/**
 * Null when not asked for or not answerable
 */
breach_found: (boolean | null)
domain: string
/**
 * The mail operator, by its MX hosts
 */
provider: string
tld: string
cached: boolean
/**
 * When a server that said "later" is asked again
 */
next_check_at: (string | null)
verified_at: string
local_part: string
syntax_valid: boolean
smtp_connect_ms: number
smtp_total_ms: number
/**
 * With enrich=true: the model's probability that mail arrives
 */
ml_score: (number | null)
pattern_match: string
domain_age_days: (number | null)
breach_count: (number | null)
rbl_lists_matched: string[]
}
export interface ScoreBreakdown {
base: number
smtp_bonus: number
mx_bonus: number
rbl_penalty: number
disposable_penalty: number
role_penalty: number
ml_adjustment: number
/**
 * 25 when mail from the address has been received
 */
received_bonus: number
}
export interface Enrichment {
/**
 * Null for a malformed address
 */
ml: (ModelExplanation | null)
/**
 * Null when nothing is known
 */
activity_score: (number | null)
}
export interface ModelExplanation {
/**
 * Of the model; 0 is the prior, whose weights were set by hand
 */
version: number
is_prior: boolean
/**
 * That mail to the address arrives
 */
probability: number
/**
 * Points it moved the score by
 */
adjustment: number
/**
 * Natural log-odds before any feature
 */
bias: number
/**
 * What speaks for and against, the strongest first
 */
contributions: {
feature: string
value: number
/**
 * Natural log-odds it adds
 */
log_odds: number
}[]
}
export interface Explanation {
/**
 * Every fact in the order it was found; the points add up to the score
 */
ledger: {
phase: ("syntax" | "lists" | "domain" | "mailbox" | "signals" | "verdict" | "score")
fact: string
/**
 * Null when it could not be found out
 */
value: (string | null)
reply: ({
code: number
enhanced: (string | null)
text: string
ms: number
} | null)
rule: (string | null)
points: number
node: (string | null)
/**
 * Since it was found; null for what is decided anew
 */
age_seconds: (number | null)
}[]
/**
 * The SMTP conversation; the random recipient and other people's addresses are masked
 */
transcript: {
from: ("client" | "server")
text: string
ms: (number | null)
}[]
/**
 * With enrich=true: what the model went by
 */
model: (ModelExplanation | null)
}
export interface Problem {
detail: string
}
export interface ValidationProblem {
detail: {
loc: (string | number)[]
msg: string
type: string
}[]
}
export interface ChecksAnswer {
checks: (Checks | NormalizedChecks)
summary: Summary
score_breakdown: ScoreBreakdown
explanation?: Explanation
}
export interface NormalizedChecks {
syntax: string
[k: string]: string
}
export interface Summary {
score: number
grade: ("A" | "B" | "C" | "D" | "F")
can_send: boolean
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
primary_risk: (string | null)
}
export interface WithScore {
email: string
score: number
grade: string
can_send: boolean
checks: Checks
enrichment?: (Enrichment & {
[k: string]: unknown
})
}
export interface Quick {
email: string
syntax_valid: boolean
mx_valid: boolean
mx_records: string[]
status: ("valid" | "invalid" | "unknown" | "invalid_syntax")
note: string
}
export interface Syntax {
email: string
valid: boolean
/**
 * Empty when the address is malformed
 */
normalized: string
did_you_mean: (string | null)
reason: (string | null)
/**
 * Where the problem is, in UTF-16 units from 0
 */
position: (number | null)
message: (string | null)
}
export interface QuickStart {
verification_id: string
/**
 * `complete` and `failed` are final
 */
state: ("queued" | "running" | "complete" | "failed")
email: string
syntax_valid: boolean
/**
 * As far as it is known now; unknown while it is queued
 */
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
cached: boolean
did_you_mean: (string | null)
/**
 * The cached result; null when there is none
 */
checks: (Checks | null)
status_url: string
note: string
}
export interface PendingResult {
verification_id: string
/**
 * `complete` and `failed` are final
 */
state: ("queued" | "running" | "complete" | "failed")
email: string
/**
 * Null until it is complete
 */
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax" | null)
attempts: number
created_at: string
completed_at: (string | null)
/**
 * As /validate answers; null until it is complete
 */
result: (Deliverability | null)
}
export interface Typo {
email: string
syntax_valid: boolean
has_typo: boolean
did_you_mean: (string | null)
/**
 * What it would be a slip of by the text alone, also where the domain takes mail
 */
suspicion: ({
suggestion: string
kind: string
/**
 * Not a calibrated probability
 */
confidence: number
from: string
to: string
} | null)
typed_domain: (DomainState | null)
suggested_domain: (DomainState | null)
}
export interface DomainState {
domain: string
/**
 * Null when DNS did not answer
 */
takes_mail: (boolean | null)
mx_records: string[]
}
export interface BreachIntel {
email: string
/**
 * Null when the sources that answered cannot rule it out
 */
breach_found: (boolean | null)
breach_count: (number | null)
sources: {
source: string
kind: ("service" | "imported")
answered: boolean
answered_at: string
from_cache: boolean
count: (number | null)
breaches: {
name: string
breached_on: (string | null)
exposed: string[]
}[]
}[]
/**
 * The breaches this service was given to search
 */
imported: {
name: string
breached_on: (string | null)
addresses: number
imported_at: string
}[]
}
export interface CatchAllAnswer {
email: string
domain: string
/**
 * Null when it could not be settled
 */
is_catch_all: (boolean | null)
/**
 * As SMTP alone says it
 */
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
sub_status: ("mailbox_verified" | "mailbox_not_found" | "catch_all_address" | "google_workspace_confirmed" | "m365_confirmed" | "greylisted" | "connection_failed" | "policy_rejection" | "domain_not_found" | "invalid_format" | null)
verdict: ("likely_deliverable" | "uncertain" | "likely_undeliverable")
/**
 * That the mailbox is really there
 */
probability: number
/**
 * Wide while little speaks for or against
 */
interval: {
low: number
high: number
}
/**
 * The probability before any evidence
 */
prior: number
/**
 * Log-odds that are added up: set beforehand, or fitted to outcomes at accept-all domains
 */
method: ("prior weights" | "trained model")
/**
 * Of the classifier; 0 for weights set beforehand
 */
model_version: number
evidence: {
signal: string
observation: string
/**
 * Natural log-odds it adds
 */
weight: number
}[]
checks: Checks
}
export interface DirectoryResult {
email: string
directory: ("google_workspace" | "microsoft_graph")
/**
 * Null when the directory cannot tell
 */
exists: (boolean | null)
status: ("valid" | "invalid" | "unknown")
sub_status: ("mailbox_verified" | "mailbox_not_found" | "catch_all_address" | "google_workspace_confirmed" | "m365_confirmed" | "greylisted" | "connection_failed" | "policy_rejection" | "domain_not_found" | "invalid_format" | null)
/**
 * `contact`: somebody elsewhere, to whom mail goes on; `nobody`: none of these; `foreign`: not a domain of this directory
 */
kind: ("user" | "group" | "contact" | "nobody" | "foreign" | "failure")
is_alias: (boolean | null)
suspended: (boolean | null)
reason: string
checked_at: string
}
export interface Checkout {
checkout_url: string
session_id: string
plan: string
}
export interface CreatedKey {
key_id: string
/**
 * Shown this once
 */
api_key: string
tier: ("free" | "starter" | "pro" | "enterprise")
/**
 * Null is unlimited
 */
monthly_limit: (number | null)
/**
 * Null is unlimited
 */
rate_per_min: (number | null)
owner_email: string
warning: string
}
export interface Key {
key_id: string
name: string
tier: ("free" | "starter" | "pro" | "enterprise")
is_active: number
/**
 * Null is unlimited
 */
monthly_limit: (number | null)
/**
 * Null is unlimited
 */
rate_per_min: (number | null)
/**
 * In credits, as monthly_limit: a find is five
 */
verifications_this_month: number
verifications_total: number
/**
 * Unix seconds
 */
created_at: number
/**
 * Unix seconds; null before the first use
 */
last_used: (number | null)
}
export interface Session {
/**
 * Send it as a bearer token; browsers get it as a cookie too
 */
session_token: string
expires_at: string
account_id: string
email: string
/**
 * Keys that joined the account, because one of them was shown
 */
adopted_keys: number
}
export interface RecentVerification {
id: number
email: string
domain: string
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
score: number
cached: boolean
created_at: string
}
export interface BulkResult {
total: number
processing_time_ms: number
summary: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
results: {
email: string
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
confidence_score: number
sub_status?: ("mailbox_verified" | "mailbox_not_found" | "catch_all_address" | "google_workspace_confirmed" | "m365_confirmed" | "greylisted" | "connection_failed" | "policy_rejection" | "domain_not_found" | "invalid_format")
/**
 * With check_suppression: do not send to it
 */
is_suppressed?: boolean
}[]
}
export interface TurboResult {
results: {
checks: BriefChecks
}[]
stats: {
/**
 * Results in this answer
 */
total: number
/**
 * Addresses left out because they stand in the list twice
 */
deduplicated: number
cache_hits: number
fresh_verified: number
elapsed_seconds: number
emails_per_second: number
}
}
export interface BriefChecks {
email: string
deliverable: boolean
can_send: boolean
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
score: number
grade: ("A" | "B" | "C" | "D" | "F")
cached: boolean
}
export interface SubmittedJob {
job_id: string
status: ("queued" | "running" | "complete" | "failed" | "cancelled")
/**
 * Addresses to verify, without duplicates
 */
total: number
submitted_at: string
estimated_seconds: number
}
export interface SampleProjection {
status: "sampled"
total: number
sampled: number
confidence: number
projection: {
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
share: number
low: number
high: number
expected: number
}[]
operators: {
operator: string
total: number
sampled: number
}[]
}
export interface Job {
job_id: string
/**
 * Of the file in the form it came from; null without one, and for a name with an @ in it
 */
file_name: (string | null)
status: ("queued" | "running" | "complete" | "failed" | "cancelled")
total: number
/**
 * Addresses done
 */
progress: number
pct_complete: number
summary: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
/**
 * Results that came from the store, free of charge
 */
cached: number
/**
 * Addresses that failed all retries; see dead-letter
 */
failed: number
deduplicated: number
submitted_at: string
started_at: (string | null)
completed_at: (string | null)
/**
 * The job whose failed addresses these are
 */
original_job_id: (string | null)
/**
 * Null until the job is over
 */
results: ({
checks: Checks
}[] | null)
/**
 * With `limit`: where the next page begins
 */
next_cursor?: (string | null)
}
export interface DeadLetters {
job_id: string
total: number
dead_letters: {
email: string
error: string
/**
 * The mail server's last words, or what failed
 */
detail: (string | null)
attempts: number
last_attempt_at: string
}[]
next_cursor: (string | null)
}
export interface RetryJob {
job_id: string
status: ("queued" | "running" | "complete" | "failed" | "cancelled")
total: number
original_job_id: string
}
export interface JobProgress {
job_id: string
/**
 * Of the file in the form it came from; null without one, and for a name with an @ in it
 */
file_name: (string | null)
status: ("queued" | "running" | "complete" | "failed" | "cancelled")
total: number
/**
 * Addresses done
 */
progress: number
pct_complete: number
summary: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
/**
 * Results that came from the store, free of charge
 */
cached: number
/**
 * Addresses that failed all retries; see dead-letter
 */
failed: number
deduplicated: number
submitted_at: string
started_at: (string | null)
completed_at: (string | null)
/**
 * The job whose failed addresses these are
 */
original_job_id: (string | null)
}
export interface ListReport {
job_id: string
status: ("queued" | "running" | "complete" | "failed" | "cancelled")
total: number
/**
 * Results the report speaks of; all of them when the job is over
 */
analyzed: number
deduplicated: number
health: {
/**
 * What the average address is worth
 */
score: number
/**
 * The worse of the score's and that of the bounces to expect
 */
grade: ("A" | "B" | "C" | "D" | "F")
}
composition: {
statuses: {
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
count: number
share: number
}[]
disposable: number
role_accounts: number
free_providers: number
subaddresses: number
/**
 * Addresses whose score allows sending
 */
sendable: number
}
score_distribution: {
from: number
to: number
count: number
}[]
average_score: number
mail_operators: {
operator: string
total: number
share: number
valid: number
invalid: number
accept_all: number
unknown: number
invalid_syntax: number
}[]
top_problems: {
problem: string
message: string
count: number
share: number
}[]
/**
 * Share of hard bounces if all is sent to, with its Wilson score interval
 */
projected_bounce_rate: {
rate: number
low: number
high: number
confidence: number
decided: number
expected: number
}
recommendations: {
action: string
message: string
affected: number
}[]
}
export interface Dedup {
original: number
unique: number
removed: number
/**
 * The first of each mailbox, in the order given
 */
emails: string[]
/**
 * Mailboxes that stand in the list more than once
 */
groups: {
canonical: string
kept: string
emails: string[]
}[]
}
export interface SuppressionEntry {
email: string
is_suppressed: boolean
reason: ("hard_bounce" | "soft_bounce" | "spam_complaint" | "unsubscribe" | "manual" | null)
/**
 * False also for a soft bounce, which passes
 */
should_never_send: boolean
suppressed_at: (string | null)
/**
 * Null is for good
 */
expires_at: (string | null)
source: (string | null)
/**
 * Whose list it is on
 */
list: ("account" | "operator" | null)
}
export interface Done {
status: string
message: string
}
export interface SuppressionStats {
list: ("account" | "operator")
total: number
permanent: number
temporary: number
added_last_30_days: number
by_reason: {
hard_bounce: number
soft_bounce: number
spam_complaint: number
unsubscribe: number
manual: number
}
}
export interface SuppressionImport {
status: "imported"
added: number
rejected: {
row: number
reason: string
}[]
message: string
}
export interface BounceAnswer {
status: ("recorded" | "known")
/**
 * Whether this report put the address on the suppression list
 */
suppressed: boolean
message: string
}
export interface BounceStats {
/**
 * Hard and soft bounces
 */
total: number
by_type: {
hard_bounce: number
soft_bounce: number
spam_complaint: number
}
delivered: number
/**
 * Bounces among bounces and deliveries
 */
bounce_rate: (number | null)
last_30_days: {
hard_bounce: number
soft_bounce: number
spam_complaint: number
daily: {
day: string
hard_bounce: number
soft_bounce: number
spam_complaint: number
}[]
}
top_domains: {
domain: string
hard_bounces: number
}[]
}
export interface FeedbackAnswer {
/**
 * `known`: the same fact had been reported today
 */
status: ("recorded" | "known")
message: string
}
export interface ReceivedAnswer {
status: "recorded"
processed: number
recorded: number
/**
 * Distinct addresses whose score is raised from now on
 */
score_boosts_applied: number
/**
 * Mail received from each domain of the batch, so far
 */
domain_inbox_stats: {
[k: string]: number
}
rejected: {
index: number
reason: string
}[]
message: string
}
export interface ReceivedBatch {
/**
 * @minItems 1
 * @maxItems 1000
 */
emails?: (string[] | null)
/**
 * @minItems 1
 * @maxItems 1000
 */
senders?: ({
email: string
/**
 * ISO 8601, a Unix timestamp, or words
 */
received_at?: (string | number | null)
/**
 * Not kept
 */
subject?: (string | null)
}[] | null)
/**
 * Where the mail was seen
 */
source?: (string | null)
}
export interface AccuracyStats {
samples: number
correct: number
incorrect: number
/**
 * Facts that prove nothing about the verdict
 */
undecided: number
/**
 * Null without anything to go by
 */
accuracy: (number | null)
by_status: {
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
correct: number
incorrect: number
/**
 * Null without anything to go by
 */
accuracy: (number | null)
}[]
reports: {
correct: number
incorrect: number
}
}
export interface CreatedReceiver {
receiver_id: string
provider: ("sendgrid" | "mailgun" | "postmark" | "ses")
/**
 * Give this to the provider; shown this once
 */
url: string
/**
 * The same under /bounce, where there is one
 */
bounce_url: (string | null)
warning: string
}
export interface Receiver {
receiver_id: string
provider: ("sendgrid" | "mailgun" | "postmark" | "ses")
events_accepted: number
requests_refused: number
created_at: string
last_event_at: (string | null)
}
export interface EventsTaken {
status: "ok"
processed: number
duplicates: number
/**
 * Events that say nothing about a recipient
 */
ignored: number
}
export interface FoundEmail {
best_email: (string | null)
/**
 * 0 to 1; 0 without a best address
 */
best_confidence: number
domain: string
/**
 * The likeliest format there
 */
domain_format: string
domain_format_confidence: number
/**
 * verified: the mail server takes it and refuses a random one. likely: nobody can confirm it; the domain's own addresses show its format. guess: neither. not_found: the server denies every candidate. no_mail: the domain takes no mail
 */
outcome: ("verified" | "likely" | "guess" | "not_found" | "no_mail")
/**
 * The domain takes everything, so that no candidate can be verified; null when that was not found out
 */
is_catch_all: (boolean | null)
candidates: {
email: string
confidence: number
format_type: string
verified: boolean
smtp_status: ("accepted" | "rejected" | "timeout" | "error" | "skipped")
}[]
find_time_ms: number
/**
 * 5 for an outcome of verified or likely, else 0
 */
credits_used: number
}
export interface DomainFormatList {
total: number
limit: number
offset: number
domains: {
domain: string
format: string
confidence: number
sample_count: number
updated_at: string
}[]
}
export interface DomainFormats {
domain: string
/**
 * The likeliest
 */
format: string
/**
 * With what companies of its kind do taken in
 */
confidence: number
/**
 * False: nothing is known of this domain but its kind
 */
is_learned: boolean
/**
 * Addresses that taught it; the addresses themselves are not kept
 */
sample_count: number
/**
 * An estimate
 */
company_size: ("small" | "medium" | "large")
/**
 * By the top-level domain
 */
country: (string | null)
sources: {
[k: string]: number
}
last_learned_at: (string | null)
/**
 * Those seen, and the ten likeliest of the others
 */
formats: {
format: string
confidence: number
/**
 * Among the addresses seen
 */
share: number
/**
 * Of the 95 % interval of the share (Wilson)
 */
low: number
high: number
/**
 * Addresses, older ones counting less
 */
sample_weight: number
}[]
}
export interface ScrapedSite {
domain: string
/**
 * disallowed: the site's robots.txt forbids it. blocked: the site leads to an address that is not public, or to another company
 */
outcome: ("read" | "disallowed" | "no_site" | "unreachable" | "blocked")
/**
 * 10 at most
 */
pages_read: number
emails: {
email: string
writing: ("plain" | "mailto" | "obfuscated" | "cloudflare")
/**
 * The owner's name where the page states it
 */
name: (string | null)
}[]
/**
 * A site is read at most once a week
 */
from_cache: boolean
scraped_at: string
expires_at: string
}
export interface PatternCheck {
email: string
/**
 * By its shape alone
 */
pattern_match: string
/**
 * The formats that may have made it, by shape and lists of names
 */
formats: {
format: string
probability: number
}[]
is_role_account: boolean
/**
 * What the domain mostly uses; null when unknown
 */
domain_format: (string | null)
matches_domain_format: (boolean | null)
}
export interface MsCredential {
email: string
/**
 * True is a weak sign; null means nothing, as most tenants answer the same for everybody
 */
exists: (boolean | null)
throttled: boolean
note: string
}
export interface CrossReference {
email: string
conclusion: ("consistent" | "mixed" | "contradictory" | "insufficient")
/**
 * Weighted share of the signals that agree
 */
agreement: (number | null)
signals: {
signal: string
/**
 * Null: it says nothing
 */
agrees: (boolean | null)
weight: number
detail: string
}[]
}
export interface DnsCheck {
domain: string
/**
 * Null when DNS gave no answer
 */
exists: (boolean | null)
mx_valid: boolean
mx_records: string[]
mx: {
host: string
preference: number
addresses: (string[] | null)
/**
 * A name RFC 2181 §10.3 forbids in MX
 */
is_alias: (boolean | null)
}[]
route: ("mx" | "implicit_mx" | "null_mx" | "no_such_domain" | "no_mail_host" | "dns_failure")
spf_valid: (boolean | null)
spf: ({
state: ("none" | "valid" | "permerror")
/**
 * What holds for everybody not named: -, ~, ? or +
 */
all: (string | null)
/**
 * DNS look-ups it takes; ten at most are allowed
 */
lookups: (number | null)
problem: (string | null)
} | null)
/**
 * False: no key at any usual selector
 */
dkim_present: (boolean | null)
dmarc_present: (boolean | null)
dmarc: ({
policy: (string | null)
found_at: (string | null)
has_reports: (boolean | null)
problem: (string | null)
} | null)
/**
 * The policy's mode, none, or invalid
 */
mta_sts: (string | null)
bimi: (string | null)
checked_at: string
}
export interface DkimCheck {
domain: string
/**
 * False: none was found, which is no proof, as keys cannot be listed. Null: DNS gave no answer
 */
dkim_present: (boolean | null)
selectors: string[]
/**
 * name: something stands below _domainkey, at a selector nobody knows (RFC 8020)
 */
shown_by: ("key" | "name" | null)
}
export interface BlocklistCheck {
mx_host: string
addresses: string[]
/**
 * Null when no list gave an answer that counts
 */
rbl_listed: (boolean | null)
rbl_lists_checked: number
rbl_lists_matched: string[]
/**
 * Lists that refused, failed their self test or did not answer
 */
lists_not_consulted: string[]
rbl_penalty: number
}
export interface DomainAge {
domain: string
registrable_domain: (string | null)
registered_at: (string | null)
/**
 * Null where the registry does not say; never a guess
 */
domain_age_days: (number | null)
/**
 * Younger than 90 days
 */
is_new: (boolean | null)
}
export interface FormatProbability {
domain: string
is_learned: boolean
sample_count: number
candidates: {
email: string
format_type: string
probability: number
}[]
}
export interface NameRealism {
name: string
/**
 * Of the least plausible word
 */
realism_score: number
is_realistic: boolean
is_gibberish: boolean
words: {
word: string
score: number
script: (string | null)
finding: ("known_name" | "plausible" | "implausible_letters" | "keyboard_run" | "repeated_letters" | "placeholder" | "digits" | "mixed_scripts" | "unknown_script" | "no_letters")
}[]
}
export interface ProfileName {
slug: string
first_name: string
last_name: string
/**
 * What the site adds to a name that was taken
 */
suffix: (string | null)
confidence: number
}
export interface MinedEmails {
total: number
emails: {
email: string
writing: ("plain" | "mailto" | "obfuscated" | "cloudflare")
name: (string | null)
is_role_account: boolean
is_disposable: boolean
is_free_provider: boolean
}[]
}
export interface DomainIntel {
domain: string
/**
 * The mail operator, by its MX hosts
 */
provider: string
/**
 * Null: no probe saw it take everything
 */
is_catch_all: (boolean | null)
is_disposable: boolean
is_free_provider: boolean
is_corporate: boolean
is_government: boolean
is_education: boolean
web_presence: ("live" | "error" | "none" | null)
parked_at: (string | null)
age: DomainAge
dns: DnsCheck
format: ({
format: string
confidence: number
sample_count: number
} | null)
/**
 * Known addresses by status, counted only and up to 5,000
 */
verifications: {
[k: string]: number
}
}
export interface Cohort {
operator: string
age_band: ("under_1_year" | "1_to_5_years" | "5_to_15_years" | "over_15_years" | "unknown")
size_band: ("small" | "medium" | "large")
domain_count: number
/**
 * Null where it is known of none
 */
spf_share: (number | null)
dkim_share: (number | null)
dmarc_share: (number | null)
rbl_listed_share: (number | null)
}
export interface CohortComparison {
domain: string
cohort: Cohort
/**
 * Too few are of its age and size: those of its operator stand for them
 */
is_widened: boolean
comparison: {
trait: ("spf" | "dkim" | "dmarc" | "rbl_listed")
domain_has: (boolean | null)
cohort_share: (number | null)
standing: ("better" | "same" | "worse" | "unknown")
}[]
}
export interface DomainDeliverability {
domain: string
/**
 * Null when DNS gave no answer
 */
deliverability_score: (number | null)
grade: ("A" | "B" | "C" | "D" | "F" | null)
reasons: {
code: string
points: number
message: string
/**
 * What the domain's owner can do
 */
fix: (string | null)
}[]
}
export interface MxIntel {
domain: string
mx_valid: boolean
mx_records: string[]
/**
 * other: one we do not know; none: no mail host; null: DNS gave no answer
 */
operator: (string | null)
operator_kind: ("mailbox" | "hosting" | "gateway" | "forwarding" | null)
/**
 * Filters mail for a server behind it that we do not see
 */
is_gateway: boolean
is_disposable_mx: boolean
banner: (string | null)
extensions: string[]
/**
 * Null when no session came about
 */
tls: ({
offered: boolean
protocol: (string | null)
/**
 * The certificate fits the host's name
 */
authorized: (boolean | null)
} | null)
regions: {
region: string
node: string
mx_host: (string | null)
/**
 * Time to connect
 */
rtt_ms: (number | null)
problem: (string | null)
}[]
}
export interface Score {
email: string
score: number
grade: string
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
can_send: boolean
score_breakdown: ScoreBreakdown
cached: boolean
verified_at: string
}
export interface Activity {
email: string
/**
 * Null when nothing is known
 */
activity_score: (number | null)
level: ("active" | "likely" | "doubtful" | "inactive" | "unknown")
last_seen_at: (string | null)
signals: {
signal: ("gravatar" | "verification" | "mail_arrived" | "mail_bounced" | "disposable")
points: number
message: string
}[]
}
export interface Training {
run_id: string
model: ("deliverability" | "catch_all")
status: ("queued" | "running" | "trained" | "refused" | "failed")
/**
 * Why there is no new model
 */
reason: ("too_few_samples" | "too_few_accounts" | "one_outcome_only" | "worse_than_current" | "one_account_dominates" | null)
progress: number
min_samples: number
samples: (number | null)
/**
 * Of the model that came of it, in use from then on
 */
version: (number | null)
metrics: (ModelMetrics | null)
/**
 * Of the model in use, on the same samples
 */
current_metrics: (ModelMetrics | null)
created_at: string
finished_at: (string | null)
}
export interface ModelMetrics {
samples: number
/**
 * Share of the samples whose mail arrived
 */
base_rate: number
/**
 * Area under the ROC curve; null without both outcomes
 */
auc: (number | null)
brier: number
log_loss: number
/**
 * Mean distance of predicted and observed shares, over ten bins
 */
calibration_error: number
}
export interface ModelStats {
model: {
kind: ("deliverability" | "catch_all")
version: number
/**
 * Weights set by hand, not yet fitted to outcomes
 */
is_prior: boolean
algorithm: "logistic regression"
features: number
trained_at: (string | null)
}
/**
 * What the model was trained on; null for the prior
 */
samples: ({
used: number
arrived: number
bounced: number
accounts: number
} | null)
/**
 * Reports that could be learned from, counted to 60,000
 */
facts_available: number
/**
 * Null for the prior, which was never measured
 */
metrics: (ModelMetrics | null)
/**
 * Of the prior, on the same samples
 */
prior_metrics: (ModelMetrics | null)
/**
 * The latest, under way or over
 */
training: (Training | null)
limits: {
max_adjustment: number
max_account_share: number
max_account_influence_points: number
}
}
export interface RolledBack {
model: ("deliverability" | "catch_all")
from_version: number
to_version: number
}
export interface BenchmarkReport {
benchmark_id: string
status: ("running" | "complete" | "cancelled")
total: number
done: number
/**
 * The job that verifies a large benchmark
 */
job_id: (string | null)
/**
 * Null until all addresses are verified
 */
report: ({
correct: number
accuracy: number
/**
 * 95 % interval (Wilson)
 */
accuracy_low: number
accuracy_high: number
/**
 * Share of addresses that were not left unknown
 */
decided: number
/**
 * Of those
 */
decided_accuracy: (number | null)
per_status: {
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
expected: number
predicted: number
correct: number
precision: (number | null)
recall: (number | null)
f1: (number | null)
}[]
/**
 * Expected status, then the actual one
 */
confusion_matrix: {
valid?: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
invalid?: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
accept_all?: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
unknown?: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
invalid_syntax?: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
}
/**
 * The whole, and the SMTP conversations
 */
timing: {
total_ms: number
/**
 * Answers that were stored already
 */
cached: number
conversations: number
mean_ms: (number | null)
p50_ms: (number | null)
p95_ms: (number | null)
max_ms: (number | null)
}
differences: {
email: string
expected_status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
actual_status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
sub_status: ("mailbox_verified" | "mailbox_not_found" | "catch_all_address" | "google_workspace_confirmed" | "m365_confirmed" | "greylisted" | "connection_failed" | "policy_rejection" | "domain_not_found" | "invalid_format" | null)
score: number
notes: (string | null)
}[]
} | null)
created_at: string
completed_at: (string | null)
}
export interface User {
account_id: string
/**
 * Null: nobody has proven to own it
 */
email: (string | null)
tier: ("free" | "starter" | "pro" | "enterprise")
active_keys: number
/**
 * In this month
 */
credits_used: number
created_at: string
}
export interface ListRefresh {
at: string
class: ("disposable" | "relay" | "free" | "corporate" | "allow")
outcome: ("updated" | "unchanged" | "refused")
forced: boolean
added: number
removed: number
/**
 * Names the sources agree on that no list may hold: providers, relays, schools
 */
left_out: number
/**
 * Why it was refused
 */
reason: (string | null)
sources: {
name: string
/**
 * Names read; null when it could not be read
 */
names: (number | null)
problem: (string | null)
}[]
}
export interface ListOverride {
domain: string
/**
 * `allow` only takes it off the disposable list
 */
class: ("disposable" | "relay" | "free" | "corporate" | "allow")
note: (string | null)
created_at: string
}
export interface StoredRecord {
email: string
domain: string
status: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
sub_status: ("mailbox_verified" | "mailbox_not_found" | "catch_all_address" | "google_workspace_confirmed" | "m365_confirmed" | "greylisted" | "connection_failed" | "policy_rejection" | "domain_not_found" | "invalid_format" | null)
score: number
verified_at: string
expires_at: string
/**
 * Would be served instead of asking again
 */
is_fresh: boolean
}
export interface Stats {
/**
 * Whose numbers: your account's, or with the admin secret everybody's
 */
scope: ("account" | "service")
days: number
verifications: number
by_status: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
daily: {
date: string
verifications: number
}[]
}
export interface AuditEntry {
/**
 * From 1, without gaps
 */
seq: number
at: string
/**
 * admin, schedule, an account id, or a keyed hash of a network
 */
actor: string
action: ("key.created" | "key.rotated" | "key.revoked" | "account.signed_in" | "account.tier_changed" | "data.exported" | "data.erased" | "domain.erased" | "customer.erased" | "data.purged" | "lists.refreshed" | "lists.override_set" | "lists.override_removed" | "suppression.added" | "suppression.removed" | "admin.call")
/**
 * An id or a keyed hash; never an address
 */
subject: string
details: {
[k: string]: string | number | boolean | null
}
prev_hash: string
/**
 * SHA-256 of prev_hash and the entry as canonical JSON {action, actor, at, details, seq, subject}, at in Unix ms
 */
hash: string
}
export interface Erasure {
status: "erased"
/**
 * Whose data: your account's, or with the admin secret everybody's
 */
scope: ("account" | "service")
/**
 * False: there is more than one call can take away; call again
 */
complete: boolean
tables: {
table: string
removed: number
/**
 * Rows that stay without anything personal in them
 */
blanked: number
}[]
kept: string
}
export interface DataExport {
email: string
/**
 * Whose data: your account's, or with the admin secret everybody's
 */
scope: ("account" | "service")
exported_at: string
data: {
[k: string]: {
[k: string]: unknown
}[]
}
/**
 * The result as the edge keeps it; null when it does not
 */
edge_cache?: {
[k: string]: unknown
}
}
export interface Health {
status: ("ok" | "degraded")
version: string
database: {
reachable: boolean
ms: number
}
/**
 * Nodes this service may ask
 */
probe_nodes: number
/**
 * Shared probe nodes by state
 */
fleet: {
healthy: number
degraded: number
unfit: number
quarantined: number
gone: number
}
time: string
}
export interface Region {
region: string
/**
 * Of its best node
 */
status: ("healthy" | "degraded" | "unfit" | "quarantined" | "gone")
nodes: number
/**
 * Nodes that may be asked
 */
usable: number
/**
 * SMTP sessions at a time of those
 */
capacity: number
}
export interface NodeHealth {
id: string
state: ("healthy" | "degraded" | "unfit" | "quarantined" | "gone")
reason: (string | null)
since: (string | null)
checked_at: (string | null)
version: (string | null)
rtt_ms: (number | null)
clock_skew_ms: (number | null)
/**
 * Sessions in use, 0 to 1
 */
load: number
/**
 * Mail operators with a name that hold it off now
 */
blocked_by: string[]
/**
 * What is not in order, in the words of the node's own examination
 */
doctor: ({
fit: boolean
ran_at: string
findings: {
check: string
subject: (string | null)
result: ("ok" | "warn" | "fail" | "unknown")
detail: string
}[]
} | null)
}
export interface Route {
domain: string
operator: (string | null)
mx: string[]
/**
 * The node that stands best now; null when nobody can be asked
 */
chosen: (string | null)
region: (string | null)
explanation: string
candidates: {
node_id: string
region: string
state: ("healthy" | "degraded" | "unfit" | "quarantined" | "gone")
/**
 * Expected, in ms of waiting and risk; lower is better
 */
cost: number
latency_ms: number
/**
 * Share of questions this operator did not turn away, 0 to 1
 */
acceptance: number
load: number
/**
 * Of what this operator stands from its addresses, 0 to 1
 */
budget_left: number
/**
 * How much the domain is this node's own, 0 to 1
 */
affinity: number
/**
 * It has had more than its share of the work lately
 */
over_share: boolean
source_ips: string[]
held_source_ips: {
ip: string
why: string
}[]
}[]
passed_over: {
node_id: string
why: string
}[]
}
export interface SourceIp {
/**
 * `system`: the node leaves the choice to its system
 */
ip: string
node_id: string
region: string
pool: string
node_state: ("healthy" | "degraded" | "unfit" | "quarantined" | "gone")
/**
 * After blocks by several operators
 */
resting: boolean
/**
 * Recipients asked about since midnight UTC
 */
spent_today: number
answered_24h: number
blocked_24h: number
block_rate: (number | null)
/**
 * Operators it is not used for now
 */
held: {
operator: string
until: (string | null)
why: string
}[]
blacklists: string[]
}
export interface SenderDomain {
domain: string
/**
 * The worst of its findings
 */
status: ("ok" | "warn" | "fail" | "unknown")
registered_at: string
checked_at: string
findings: {
check: ("spf" | "ptr" | "dkim")
result: ("ok" | "warn" | "fail" | "unknown")
subject: (string | null)
/**
 * What was found, and what to do about it
 */
detail: string
}[]
}
export interface Greylist {
/**
 * Addresses that will be asked again
 */
waiting: number
/**
 * Of them, those whose time has come
 */
due: number
next_at: (string | null)
operators: {
operator: string
deferred_24h: number
share: number
}[]
}
export interface Canary {
operator: string
existing: string
missing: string
created_at: string
}
export interface FleetToken {
/**
 * Shown this once
 */
token: string
expires_at: string
/**
 * Whether the node will serve everybody
 */
shared: boolean
/**
 * To be run on the node's machine
 */
command: string
}
export interface Enrolled {
id: string
status: "enrolled"
/**
 * What the node must trust (PROBE_TRUSTED_KEYS)
 */
edge_public_keys: string[]
}
export interface FleetNode {
id: string
region: string
state: ("healthy" | "degraded" | "unfit" | "quarantined" | "gone")
reason: (string | null)
owner: ("shared" | "own" | "account")
/**
 * Stands in PROBE_NODES
 */
bootstrap: boolean
version: (string | null)
checked_at: (string | null)
/**
 * Of one's own nodes; the operator sees all
 */
url: (string | null)
/**
 * Keys it may sign with
 */
key_ids: string[]
capacity: number
}
export interface WebhookStats {
attempts_24h: {
delivered?: number
refused?: number
redirected?: number
gone?: number
timeout?: number
unreachable?: number
blocked?: number
}
/**
 * Null without attempts
 */
success_rate_24h: (number | null)
endpoints: WebhookEndpoint[]
}
export interface WebhookEndpoint {
url: string
state: ("active" | "failing" | "disabled")
events: {
pending: number
delivered: number
failed: number
disabled: number
}
failing_since: (string | null)
disabled_at: (string | null)
last_attempt_at: (string | null)
/**
 * Only `delivered` is a success
 */
last_outcome: ("delivered" | "refused" | "redirected" | "gone" | "timeout" | "unreachable" | "blocked" | null)
/**
 * Null when there was no answer
 */
last_http_status: (number | null)
next_attempt_at: (string | null)
}
export interface WebhookDeliveries {
deliveries: {
/**
 * The webhook-id header, the same at every attempt
 */
event_id: string
type: ("job.completed" | "job.failed" | "verification.completed" | "reverify.completed")
url: string
state: ("pending" | "delivered" | "failed" | "disabled")
created_at: string
/**
 * Null when no more are made
 */
next_attempt_at: (string | null)
attempts: {
attempt: number
/**
 * Only `delivered` is a success
 */
outcome: ("delivered" | "refused" | "redirected" | "gone" | "timeout" | "unreachable" | "blocked")
/**
 * Null when there was no answer
 */
http_status: (number | null)
started_at: string
duration_ms: number
}[]
}[]
next_cursor: (string | null)
}
export interface WebhookSecrets {
secrets: {
secret_id: string
created_at: string
/**
 * False: ask for it with POST, once
 */
shown: boolean
/**
 * Until then it signs along with the newer one
 */
expires_at: (string | null)
}[]
}
export interface NewWebhookSecret {
/**
 * Shown this once
 */
secret: string
created_at: string
}
export interface Integration {
integration_id: string
provider: ("hubspot" | "salesforce" | "mailchimp" | "klaviyo" | "slack" | "zapier")
name: string
/**
 * What is to be done at the provider. The credentials are never shown
 */
settings: {
[k: string]: string | number | boolean | null
}
created_at: string
}
export interface TestedIntegration {
status: "ok"
provider: ("hubspot" | "salesforce" | "mailchimp" | "klaviyo" | "slack" | "zapier")
/**
 * Whose the credentials are, as far as the provider says
 */
account: (string | null)
elapsed_ms: number
}
export interface IntegrationEvents {
events: IntegrationEvent[]
next_cursor: (string | null)
}
export interface IntegrationEvent {
event_id: string
sync_id: (string | null)
kind: ("connection_tested" | "sync_started" | "page_synced" | "sync_stopped" | "sync_completed" | "message_sent")
/**
 * Only `ok` is a success
 */
outcome: ("ok" | "unauthorized" | "refused" | "rate_limited" | "unreachable" | "out_of_credits")
/**
 * The provider's, when it went wrong and there was an answer
 */
http_status: (number | null)
/**
 * How many it was about
 */
contacts: number
detail: (string | null)
created_at: string
duration_ms: number
}
export interface IntegrationsStatus {
integrations: {
integration_id: string
provider: ("hubspot" | "salesforce" | "mailchimp" | "klaviyo" | "slack" | "zapier")
name: string
/**
 * `needs_attention`: its sync has stopped, or nothing went well in 24 hours; `idle`: nothing was done
 */
health: ("ok" | "working" | "needs_attention" | "idle")
events_24h: {
succeeded: number
failed: number
}
/**
 * The newest; null before the first
 */
sync: (IntegrationSync | null)
}[]
}
export interface IntegrationSync {
sync_id: string
integration_id: string
provider: ("hubspot" | "salesforce" | "mailchimp" | "klaviyo")
/**
 * `waiting` goes on at `next_attempt_at`; `out_of_credits` and `failed` go on from where they stopped when started again
 */
state: ("queued" | "running" | "waiting" | "out_of_credits" | "failed" | "complete")
/**
 * Why it waits or has stopped
 */
detail: (string | null)
pages: number
/**
 * Read so far
 */
contacts: number
/**
 * Found out about, and written back
 */
written: number
/**
 * Of these: mail to them bounces
 */
unsafe: number
/**
 * Not written: their mail servers have to be asked again first
 */
undecided: number
/**
 * The provider would not take what was found
 */
rejected: number
/**
 * What the verifications have cost
 */
credits: number
started_at: string
updated_at: string
next_attempt_at: (string | null)
completed_at: (string | null)
}
export interface ValidateInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Ask the mail server whether the mailbox exists
 */
smtp?: boolean
/**
 * Look the mail servers up on blocklists
 */
rbl?: boolean
/**
 * Look for a Gravatar
 */
gravatar?: boolean
/**
 * Look for known breaches; costs an extra credit
 */
breach?: boolean
/**
 * Look for a web site of the domain
 */
web_presence?: boolean
/**
 * Look up how old the domain is
 */
domain_age?: boolean
/**
 * Add the model's prediction and an activity score
 */
enrich?: boolean
/**
 * Respect the suppression list
 */
suppression?: boolean
/**
 * Add every fact, the points it brought and the SMTP conversation
 */
explain?: boolean
/**
 * The hard wall of this call in milliseconds
 */
timeout_ms?: number
/**
 * The header X-API-Key is better: queries end up in logs
 */
api_key?: string
}
export interface ValidateChecksInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Ask the mail server whether the mailbox exists
 */
smtp?: boolean
/**
 * Look the mail servers up on blocklists
 */
rbl?: boolean
/**
 * Look for a Gravatar
 */
gravatar?: boolean
/**
 * Look for known breaches; costs an extra credit
 */
breach?: boolean
/**
 * Look for a web site of the domain
 */
web_presence?: boolean
/**
 * Look up how old the domain is
 */
domain_age?: boolean
/**
 * Respect the suppression list
 */
suppression?: boolean
/**
 * Add every fact, the points it brought and the SMTP conversation
 */
explain?: boolean
/**
 * The hard wall of this call in milliseconds
 */
timeout_ms?: number
/**
 * The header X-API-Key is better: queries end up in logs
 */
api_key?: string
view?: ("full" | "normalized")
}
export interface ValidateWithScoreInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Ask the mail server whether the mailbox exists
 */
smtp?: boolean
/**
 * Look the mail servers up on blocklists
 */
rbl?: boolean
/**
 * Look for a Gravatar
 */
gravatar?: boolean
/**
 * Look for known breaches; costs an extra credit
 */
breach?: boolean
/**
 * Look for a web site of the domain
 */
web_presence?: boolean
/**
 * Look up how old the domain is
 */
domain_age?: boolean
/**
 * Add the model's prediction and an activity score
 */
enrich?: boolean
/**
 * Respect the suppression list
 */
suppression?: boolean
/**
 * The hard wall of this call in milliseconds
 */
timeout_ms?: number
/**
 * The header X-API-Key is better: queries end up in logs
 */
api_key?: string
}
export interface ValidateQuickInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface ValidateSyntaxInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface ValidateFastInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Take results up to this old
 */
max_age_hours?: number
/**
 * Respect the suppression list
 */
suppression?: boolean
}
export interface ValidateFastAnswer {
checks: Checks
}
export interface VerifyQuickInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Told when it is complete: a public https URL
 */
webhook_url?: string
}
export interface VerifyStatusInput {
verification_id: string
}
export interface VerifyTypoInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface VerifyBreachIntelInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface VerifyGoogleWorkspaceInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface VerifyMicrosoftGraphInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface BillingPlansInput {

}
export interface BillingPlansAnswer {
plans: {
name: ("free" | "starter" | "pro" | "enterprise")
/**
 * Null is unlimited
 */
monthly_limit: (number | null)
rate_per_min: (number | null)
can_be_bought: boolean
}[]
credit_packs: {
name: string
credits: number
}[]
}
export interface CheckoutInput {
plan: string
}
export interface BillingUsageInput {
/**
 * The account's id, or the payment processor's for it
 */
customer_id: string
}
export interface BillingUsageAnswer {
customer_id: string
period: string
credits_used: number
bought_credits_left: number
subscriptions: {
plan: ("free" | "starter" | "pro" | "enterprise")
status: string
period_end: (string | null)
}[]
}
export interface StripeWebhookAnswer {
received: boolean
changed: boolean
}
export interface ListKeysInput {

}
export interface ListKeysAnswer {
owner_email: string
keys: Key[]
}
export interface KeyUsageInput {
key_id: string
}
export interface RotateKeyInput {
key_id: string
}
export interface RotateKeyAnswer {
key_id: string
api_key: string
rotated_from: string
revoked: string
}
export interface RevokeKeyInput {
key_id: string
}
export interface RevokeKeyAnswer {
key_id: string
revoked: boolean
}
export interface RequestSignInAnswer {
status: "sent"
message: string
}
export interface SignOutInput {

}
export interface SignOutAnswer {
status: "signed_out"
}
export interface WhoAmIInput {

}
export interface WhoAmIAnswer {
account_id: string
email: string
tier: ("free" | "starter" | "pro" | "enterprise")
signed_in_by: ("session" | "key")
key_id: (string | null)
}
export interface GoogleConfigInput {

}
export interface GoogleConfigAnswer {
client_id: string
provider: "google"
me_url: string
}
export interface SignInWithGoogleInput {

}
export interface MyUsageInput {

}
export interface MyUsageAnswer {
today: {
verifications: number
/**
 * The same span before
 */
previous: number
delta_percent: (number | null)
}
this_month: {
verifications: number
/**
 * The same span before
 */
previous: number
delta_percent: (number | null)
}
this_year: {
verifications: number
/**
 * The same span before
 */
previous: number
delta_percent: (number | null)
}
histogram: {
date: string
verifications: number
}[]
}
export interface MyStatsInput {

}
export interface MyStatsAnswer {
total: number
cached: number
by_status: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
/**
 * Of what /me/recent-verifications lists
 */
top_domains: {
domain: string
count: number
}[]
}
export interface MyRecentVerificationsInput {
/**
 * Rows a page
 */
limit?: number
/**
 * Rows to leave out
 */
offset?: number
}
export interface MyRecentVerificationsAnswer {
verifications: RecentVerification[]
limit: number
offset: number
}
export interface MyVerificationInput {
/**
 * Its id
 */
verification_id: number
}
export interface MyVerificationAnswer {
id: number
created_at: string
checks: Checks
}
export interface PlansInput {

}
export interface PlansAnswer {
plans: {
name: ("free" | "starter" | "pro" | "enterprise")
/**
 * Null is unlimited
 */
monthly_limit: (number | null)
rate_per_min: (number | null)
}[]
}
export interface UsageInput {

}
export interface UsageAnswer {
period: string
tier: ("free" | "starter" | "pro" | "enterprise")
credits_used: number
credits_limit: (number | null)
/**
 * Of the period; null is unlimited
 */
credits_remaining: (number | null)
/**
 * They are used where the period's do not suffice
 */
bought_credits_left: number
resets_in_seconds: number
}
export interface GetJobInput {
job_id: string
/**
 * Results a page; without it all of them
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface CancelJobInput {
job_id: string
}
export interface GetDeadLettersInput {
job_id: string
/**
 * Results a page; without it all of them
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface RetryDeadLetterInput {
job_id: string
}
export interface ResumeJobInput {
job_id: string
}
export interface WatchJobInput {
job_id: string
}
export interface UploadListInput {
/**
 * Ask the mail servers whether the mailboxes exist
 */
smtp?: boolean
/**
 * Verify a mailbox that stands in the list twice once; the download has all rows
 */
deduplicate?: boolean
/**
 * Told when the job is over
 */
webhook_url?: string
/**
 * Name or number, from 1, of the column with the addresses; found when left out
 */
email_column?: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface BulkStatusInput {
job_id: string
}
export interface ListJobsInput {
/**
 * Jobs a page
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface ListJobsAnswer {
jobs: JobProgress[]
next_cursor: (string | null)
}
export interface BulkReportInput {
job_id: string
}
export interface DownloadResultsInput {
job_id: string
filter?: ("all" | "valid" | "invalid" | "accept_all" | "disposable")
}
export interface CheckSuppressionInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface RemoveSuppressionInput {
/**
 * With %40 for @
 */
email: string
}
export interface SuppressionStatsInput {

}
export interface ImportSuppressionsInput {
/**
 * For rows that name none
 */
reason?: ("hard_bounce" | "soft_bounce" | "spam_complaint" | "unsubscribe" | "manual")
/**
 * For rows that name none
 */
source?: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ExportSuppressionsInput {

}
export interface BounceStatsInput {

}
export interface ReportReceivedInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Where the mail was seen
 */
source?: string
}
export interface ReportDeliveredInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface ReportOpenedInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface ReportClickedInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface FeedbackAccuracyInput {

}
export interface ListReceiversInput {

}
export interface ListReceiversAnswer {
receivers: Receiver[]
}
export interface DeleteReceiverInput {
receiver_id: string
}
export interface DeleteReceiverAnswer {
receiver_id: string
deleted: boolean
}
export interface ReceiveBounceSendgridInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ReceiveWebhooksSendgridInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ReceiveBounceMailgunInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ReceiveWebhooksMailgunInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ReceiveBouncePostmarkInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ReceiveWebhooksPostmarkInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface ReceiveWebhooksSesInput {
/**
 * Token of the receiver
 */
t: string
/**
 * Sent as the body itself, as what its type says; a CSV without one
 */
file: Blob | string
}
export interface FindEmailV2Input {
/**
 * Given names, in any script
 */
first_name: string
/**
 * Family names, in any script
 */
last_name: string
/**
 * A domain; a URL or a leading www. is understood. Empty: the company's name leads to it
 */
domain: string
company_name?: string
/**
 * Ask the mail server about the candidates
 */
do_smtp?: boolean
/**
 * Read the company's own pages first, which may show its format
 */
do_scrape?: boolean
}
export interface ListDomainFormatsInput {
/**
 * Domains at most
 */
limit?: number
/**
 * Domains to pass over
 */
offset?: number
}
export interface DomainFormatsInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface CheckPatternInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface CheckMsCredentialInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface CheckDnsInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface CheckDkimInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface CheckRblInput {
mx_host: string
}
export interface CheckDomainAgeInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface CheckFormatProbabilityInput {
/**
 * Given names, in any script
 */
first_name: string
/**
 * Family names, in any script
 */
last_name: string
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface CheckNameRealismInput {
/**
 * A whole name or one word of it
 */
name: string
}
export interface CheckLinkedinNameInput {
url: string
}
export interface CheckScrapeDomainInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface DomainIntelInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface ListCohortsInput {
/**
 * Groups at most
 */
limit?: number
}
export interface ListCohortsAnswer {
domains_compared: number
cohorts: Cohort[]
}
export interface CompareDomainInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface DomainDeliverabilityInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
}
export interface CheckMxIntelInput {
/**
 * A domain; of a URL, an address or a www. host its domain
 */
domain: string
/**
 * Say hello to the mail server, from each region
 */
smtp?: boolean
}
export interface ScoreInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
/**
 * Ask the mail server whether the mailbox exists
 */
smtp?: boolean
/**
 * The hard wall of this call
 */
timeout_ms?: number
}
export interface ActivityInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface CheckActivityInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface MlTrainInput {
/**
 * With fewer the training is refused
 */
min_samples?: number
}
export interface MlStatsInput {

}
export interface MlStatsV2Input {

}
export interface MlRollbackInput {
model?: ("deliverability" | "catch_all")
/**
 * 0 is the prior; the one before by default
 */
version?: number
}
export interface CatchAllClassifierStatsInput {

}
export interface CatchAllClassifierTrainInput {
/**
 * With fewer the training is refused
 */
min_samples?: number
}
export interface BenchmarkReportInput {
benchmark_id: string
}
export interface ReverifyInput {
/**
 * Only results of this status
 */
status?: ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax")
/**
 * Results at most
 */
limit?: number
webhook_url?: string
}
export interface ReverifyAnswer {
status: ("queued" | "nothing_to_do")
/**
 * Its name in that webhook; the job is no account's, and no call shows it
 */
job_id: (string | null)
queued: number
}
export interface DomainIntelStatsInput {

}
export interface DomainIntelStatsAnswer {
/**
 * Domains with facts
 */
domains: number
looked_at_today: number
looked_at_last_30_days: number
daily: {
date: string
domains: number
}[]
}
export interface DomainLearningStatsInput {

}
export interface DomainLearningStatsAnswer {
domains_with_formats: number
top_formats: {
domain: string
format: string
confidence: number
sample_count: number
}[]
feedback: {
hard_bounce?: number
soft_bounce?: number
spam_complaint?: number
unsubscribe?: number
delivered?: number
received?: number
opened?: number
clicked?: number
report_correct?: number
report_incorrect?: number
}
feedback_total: number
}
export interface MetricsInput {

}
export interface ListUsersInput {
/**
 * Accounts a page
 */
limit?: number
/**
 * Accounts to leave out
 */
offset?: number
/**
 * next_cursor of the page before
 */
cursor?: string
/**
 * Only accounts whose owner has signed in
 */
proven?: boolean
}
export interface ListUsersAnswer {
users: User[]
limit: number
offset: number
/**
 * Null on the last page
 */
next_cursor: (string | null)
}
export interface UpgradeUserAnswer {
account_id: string
email: string
tier: ("free" | "starter" | "pro" | "enterprise")
previous_tier: ("free" | "starter" | "pro" | "enterprise")
keys_updated: number
}
export interface UpdateDisposableInput {
/**
 * Take the change over however large it is
 */
force?: boolean
}
export interface UpdateDisposableAnswer {
version: string
refreshes: ListRefresh[]
}
export interface UpdateIntelligenceInput {
/**
 * Take the change over however large it is
 */
force?: boolean
}
export interface UpdateIntelligenceAnswer {
version: string
refreshes: ListRefresh[]
}
export interface DisposableStatsInput {

}
export interface DisposableStatsAnswer {
version: string
shipped: {
version: string
disposable_domains: number
sources: string[]
}
fetched: {
[k: string]: number
}
overrides: {
[k: string]: number
}
last_refresh: (string | null)
refreshes: ListRefresh[]
}
export interface ListOverridesInput {
/**
 * Domains a page
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface ListOverridesAnswer {
overrides: ListOverride[]
next_cursor: (string | null)
}
export interface RemoveOverrideInput {
domain: string
}
export interface RemoveOverrideAnswer {
domain: string
removed: boolean
}
export interface LookUpRecordInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface SearchRecordsInput {
domain?: string
status?: ("" | ("valid" | "invalid" | "accept_all" | "unknown" | "invalid_syntax"))
/**
 * Results a page
 */
limit?: number
/**
 * Results to leave out
 */
offset?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface SearchRecordsAnswer {
results: StoredRecord[]
/**
 * Results on all pages
 */
total: number
limit: number
offset: number
/**
 * Null on the last page
 */
next_cursor: (string | null)
}
export interface DomainRecordsInput {
domain: string
}
export interface DomainRecordsAnswer {
domain: string
total: number
by_status: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
/**
 * Facts by name, each with its own age
 */
facts: {
[k: string]: {
value?: unknown
checked_at: string
is_fresh: boolean
}
}
}
export interface DatabaseStatsInput {

}
export interface DatabaseStatsAnswer {
total: number
by_status: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
top_domains: {
domain: string
count: number
}[]
verified_last_30_days: number
rows: {
[k: string]: number
}
}
export interface StatsInput {
/**
 * How far back to look
 */
days?: number
}
export interface DomainStatsInput {
/**
 * Domains to show
 */
limit?: number
}
export interface DomainStatsAnswer {
/**
 * Whose numbers: your account's, or with the admin secret everybody's
 */
scope: ("account" | "service")
domains: {
domain: string
count: number
}[]
}
export interface StoreStatsInput {

}
export interface StoreStatsAnswer {
results: {
total: number
by_status: {
valid?: number
invalid?: number
accept_all?: number
unknown?: number
invalid_syntax?: number
}
}
rows: {
[k: string]: number
}
}
export interface CacheStatsInput {
/**
 * How far back to look
 */
days?: number
}
export interface CacheStatsAnswer {
days: number
today: {
/**
 * The edge's own cache, which /validate/fast reads first
 */
edge: {
hits: number
misses: number
/**
 * 0 to 1; null without a look-up
 */
hit_rate: (number | null)
}
/**
 * Fresh results in the database
 */
store: {
hits: number
misses: number
/**
 * 0 to 1; null without a look-up
 */
hit_rate: (number | null)
}
}
period: {
/**
 * The edge's own cache, which /validate/fast reads first
 */
edge: {
hits: number
misses: number
/**
 * 0 to 1; null without a look-up
 */
hit_rate: (number | null)
}
/**
 * Fresh results in the database
 */
store: {
hits: number
misses: number
/**
 * 0 to 1; null without a look-up
 */
hit_rate: (number | null)
}
}
}
export interface AuditTrailInput {
/**
 * Entries a page
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: number
action?: ("key.created" | "key.rotated" | "key.revoked" | "account.signed_in" | "account.tier_changed" | "data.exported" | "data.erased" | "domain.erased" | "customer.erased" | "data.purged" | "lists.refreshed" | "lists.override_set" | "lists.override_removed" | "suppression.added" | "suppression.removed" | "admin.call")
actor?: string
subject?: string
}
export interface AuditTrailAnswer {
/**
 * Every entry that was looked at is what was written
 */
verified: boolean
/**
 * The first entry that is not
 */
broken_at: (number | null)
/**
 * Entries looked at: all, or the last 20000 before `cursor`; an older cursor takes those before them
 */
checked: number
/**
 * The last entry that holds. Kept elsewhere, it shows later whether the end was cut off
 */
head: {
seq: number
hash: string
}
entries: AuditEntry[]
next_cursor: (number | null)
}
export interface ComplianceSummaryInput {

}
export interface ComplianceSummaryAnswer {
audit: {
/**
 * Every entry that was looked at is what was written
 */
verified: boolean
/**
 * The first entry that is not
 */
broken_at: (number | null)
/**
 * Entries looked at: all, or the last 20000 before `cursor`; an older cursor takes those before them
 */
checked: number
/**
 * The last entry that holds. Kept elsewhere, it shows later whether the end was cut off
 */
head: {
seq: number
hash: string
}
}
last_30_days: {
[k: string]: number
}
retention_days: number
stored: {
[k: string]: number
}
}
export interface EraseCustomerInput {
customer_id: string
}
export interface EraseCustomerAnswer {
status: "erased"
customer_id: string
complete: boolean
tables: {
table: string
removed: number
/**
 * Rows that stay without anything personal in them
 */
blanked: number
}[]
}
export interface EraseByQueryInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface EraseDomainByQueryInput {
domain: string
}
export interface ExportDataInput {
/**
 * The address to look at, up to 254 octets
 */
email: string
}
export interface PurgeInput {

}
export interface PurgeAnswer {
status: "purged"
tables: {
table: string
removed: number
/**
 * Rows that stay without anything personal in them
 */
blanked: number
}[]
}
export interface RetentionStatusInput {

}
export interface RetentionStatusAnswer {
retention_days: number
policy: {
table: string
days: number
}[]
last_purge: (string | null)
last_purge_rows: (number | null)
}
export interface HealthInput {

}
export interface ListRegionsInput {

}
export interface ListRegionsAnswer {
regions: Region[]
}
export interface RegionsHealthInput {

}
export interface RegionsHealthAnswer {
regions: (Region & {
probes: NodeHealth[]
})[]
}
export interface ExplainRouteInput {
domain: string
}
export interface ListIpsInput {

}
export interface ListIpsAnswer {
ips: SourceIp[]
}
export interface IpPoolStatusInput {

}
export interface IpPoolStatusAnswer {
pools: {
pool: string
ips: number
usable: number
resting: number
blacklisted: number
/**
 * Registered, but no node sends from it
 */
registered_without_node: number
}[]
total: number
}
export interface RegisterIpInput {
ip: string
pool?: string
}
export interface RegisterIpAnswer {
ip: string
pool: string
registered_at: string
}
export interface BlacklistStatusInput {

}
export interface BlacklistStatusAnswer {
listed: number
clean: number
unknown: number
ips: {
ip: string
node_id: string
status: ("listed" | "clean" | "unknown")
listed_on: string[]
lists_checked: number
checked_at: (string | null)
}[]
}
export interface ListSendersInput {

}
export interface ListSendersAnswer {
senders: {
node_id: string
region: string
helo: (string | null)
mail_from_domain: (string | null)
/**
 * By the node's own examination; null: it has made none
 */
fit: (boolean | null)
problems: string[]
}[]
}
export interface ListSenderDomainsInput {

}
export interface ListSenderDomainsAnswer {
domains: SenderDomain[]
}
export interface RegisterSenderDomainInput {
domain: string
}
export interface GreylistInput {

}
export interface ListCanariesInput {

}
export interface ListCanariesAnswer {
canaries: Canary[]
}
export interface RemoveCanaryInput {
operator: string
}
export interface RemoveCanaryAnswer {
operator: string
status: "removed"
}
export interface CreateFleetTokenInput {

}
export interface ListNodesInput {

}
export interface ListNodesAnswer {
nodes: FleetNode[]
}
export interface RemoveNodeInput {
node_id: string
}
export interface RemoveNodeAnswer {
id: string
status: "removed"
}
export interface ChangeNodeKeyAnswer {
id: string
old_keys_until: string
}
export interface WebhookStatsInput {

}
export interface ListWebhookDeliveriesInput {
state?: ("pending" | "delivered" | "failed" | "disabled")
/**
 * Deliveries a page
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface RedriveWebhookInput {
event_id: string
}
export interface RedriveWebhookAnswer {
event_id: string
state: "pending"
}
export interface ListWebhookSecretsInput {

}
export interface ShowWebhookSecretInput {

}
export interface RotateWebhookSecretInput {

}
export interface ListIntegrationsInput {

}
export interface ListIntegrationsAnswer {
integrations: Integration[]
total: number
}
export interface DeleteIntegrationInput {
integration_id: string
}
export interface DeleteIntegrationAnswer {
status: "deleted"
integration_id: string
}
export interface ListIntegrationEventsInput {
integration_id: string
/**
 * Events a page
 */
limit?: number
/**
 * next_cursor of the page before
 */
cursor?: string
}
export interface IntegrationsStatusInput {

}


export interface Operations {
  validate: { input: ValidateInput; answer: Deliverability }
  validateByBody: { input: ValidateByBodyInput; answer: Deliverability }
  validateChecks: { input: ValidateChecksInput; answer: ChecksAnswer }
  validateChecksByBody: { input: ValidateChecksByBodyInput; answer: ChecksAnswer }
  validateWithScore: { input: ValidateWithScoreInput; answer: WithScore }
  validateQuick: { input: ValidateQuickInput; answer: Quick }
  validateSyntax: { input: ValidateSyntaxInput; answer: Syntax }
  validateFast: { input: ValidateFastInput; answer: ValidateFastAnswer }
  verifyQuick: { input: VerifyQuickInput; answer: QuickStart }
  verifyStatus: { input: VerifyStatusInput; answer: PendingResult }
  verifyTypo: { input: VerifyTypoInput; answer: Typo }
  verifyBreachIntel: { input: VerifyBreachIntelInput; answer: BreachIntel }
  verifyCatchAllResolve: { input: VerifyCatchAllResolveInput; answer: CatchAllAnswer }
  resolveCatchAll: { input: ResolveCatchAllInput; answer: CatchAllAnswer }
  verifyGoogleWorkspace: { input: VerifyGoogleWorkspaceInput; answer: DirectoryResult }
  verifyMicrosoftGraph: { input: VerifyMicrosoftGraphInput; answer: DirectoryResult }
  billingPlans: { input: BillingPlansInput; answer: BillingPlansAnswer }
  checkout: { input: CheckoutInput; answer: Checkout }
  billingSignup: { input: BillingSignupInput; answer: Checkout }
  billingUsage: { input: BillingUsageInput; answer: BillingUsageAnswer }
  stripeWebhook: { input: StripeWebhookInput; answer: StripeWebhookAnswer }
  createKey: { input: CreateKeyInput; answer: CreatedKey }
  listKeys: { input: ListKeysInput; answer: ListKeysAnswer }
  keyUsage: { input: KeyUsageInput; answer: Key }
  rotateKey: { input: RotateKeyInput; answer: RotateKeyAnswer }
  revokeKey: { input: RevokeKeyInput; answer: RevokeKeyAnswer }
  requestSignIn: { input: RequestSignInInput; answer: RequestSignInAnswer }
  signIn: { input: SignInInput; answer: Session }
  signOut: { input: SignOutInput; answer: SignOutAnswer }
  whoAmI: { input: WhoAmIInput; answer: WhoAmIAnswer }
  googleConfig: { input: GoogleConfigInput; answer: GoogleConfigAnswer }
  signInWithGoogle: { input: SignInWithGoogleInput; answer: SignInWithGoogleAnswer }
  myUsage: { input: MyUsageInput; answer: MyUsageAnswer }
  myStats: { input: MyStatsInput; answer: MyStatsAnswer }
  myRecentVerifications: { input: MyRecentVerificationsInput; answer: MyRecentVerificationsAnswer }
  myVerification: { input: MyVerificationInput; answer: MyVerificationAnswer }
  plans: { input: PlansInput; answer: PlansAnswer }
  usage: { input: UsageInput; answer: UsageAnswer }
  validateBulk: { input: ValidateBulkInput; answer: BulkResult }
  validateTurbo: { input: ValidateTurboInput; answer: TurboResult }
  validateAsync: { input: ValidateAsyncInput; answer: ValidateAsyncAnswer }
  getJob: { input: GetJobInput; answer: Job }
  cancelJob: { input: CancelJobInput; answer: JobProgress }
  getDeadLetters: { input: GetDeadLettersInput; answer: DeadLetters }
  retryDeadLetter: { input: RetryDeadLetterInput; answer: RetryJob }
  resumeJob: { input: ResumeJobInput; answer: RetryJob }
  watchJob: { input: WatchJobInput; answer: WatchJobAnswer }
  uploadList: { input: UploadListInput; answer: UploadedJob }
  bulkStatus: { input: BulkStatusInput; answer: JobProgress }
  listJobs: { input: ListJobsInput; answer: ListJobsAnswer }
  bulkReport: { input: BulkReportInput; answer: ListReport }
  downloadResults: { input: DownloadResultsInput; answer: DownloadResultsAnswer }
  dedup: { input: DedupInput; answer: Dedup }
  checkSuppression: { input: CheckSuppressionInput; answer: SuppressionEntry }
  addSuppression: { input: AddSuppressionInput; answer: Done }
  removeSuppression: { input: RemoveSuppressionInput; answer: Done }
  suppressionStats: { input: SuppressionStatsInput; answer: SuppressionStats }
  importSuppressions: { input: ImportSuppressionsInput; answer: SuppressionImport }
  exportSuppressions: { input: ExportSuppressionsInput; answer: ExportSuppressionsAnswer }
  reportBounce: { input: ReportBounceInput; answer: BounceAnswer }
  bounceStats: { input: BounceStatsInput; answer: BounceStats }
  reportReceived: { input: ReportReceivedInput; answer: FeedbackAnswer }
  reportReceivedBatch: { input: ReportReceivedBatchInput; answer: ReceivedAnswer }
  reportDelivered: { input: ReportDeliveredInput; answer: FeedbackAnswer }
  reportOpened: { input: ReportOpenedInput; answer: FeedbackAnswer }
  reportClicked: { input: ReportClickedInput; answer: FeedbackAnswer }
  reportVerdict: { input: ReportVerdictInput; answer: FeedbackAnswer }
  feedbackAccuracy: { input: FeedbackAccuracyInput; answer: AccuracyStats }
  createReceiver: { input: CreateReceiverInput; answer: CreatedReceiver }
  listReceivers: { input: ListReceiversInput; answer: ListReceiversAnswer }
  deleteReceiver: { input: DeleteReceiverInput; answer: DeleteReceiverAnswer }
  receiveBounceSendgrid: { input: ReceiveBounceSendgridInput; answer: EventsTaken }
  receiveWebhooksSendgrid: { input: ReceiveWebhooksSendgridInput; answer: EventsTaken }
  receiveBounceMailgun: { input: ReceiveBounceMailgunInput; answer: EventsTaken }
  receiveWebhooksMailgun: { input: ReceiveWebhooksMailgunInput; answer: EventsTaken }
  receiveBouncePostmark: { input: ReceiveBouncePostmarkInput; answer: EventsTaken }
  receiveWebhooksPostmark: { input: ReceiveWebhooksPostmarkInput; answer: EventsTaken }
  receiveWebhooksSes: { input: ReceiveWebhooksSesInput; answer: EventsTaken }
  findEmail: { input: FindEmailInput; answer: FoundEmail }
  findEmailV2: { input: FindEmailV2Input; answer: FoundEmail }
  listDomainFormats: { input: ListDomainFormatsInput; answer: DomainFormatList }
  domainFormats: { input: DomainFormatsInput; answer: DomainFormats }
  scrapeDomainFormats: { input: ScrapeDomainFormatsInput; answer: LearnedSite }
  checkPattern: { input: CheckPatternInput; answer: PatternCheck }
  checkMsCredential: { input: CheckMsCredentialInput; answer: MsCredential }
  checkCrossReference: { input: CheckCrossReferenceInput; answer: CrossReference }
  checkDns: { input: CheckDnsInput; answer: DnsCheck }
  checkDkim: { input: CheckDkimInput; answer: DkimCheck }
  checkRbl: { input: CheckRblInput; answer: BlocklistCheck }
  checkDomainAge: { input: CheckDomainAgeInput; answer: DomainAge }
  checkFormatProbability: { input: CheckFormatProbabilityInput; answer: FormatProbability }
  checkNameRealism: { input: CheckNameRealismInput; answer: NameRealism }
  checkLinkedinName: { input: CheckLinkedinNameInput; answer: ProfileName }
  checkScrapeDomain: { input: CheckScrapeDomainInput; answer: ScrapedSite }
  checkMineEmails: { input: CheckMineEmailsInput; answer: MinedEmails }
  domainIntel: { input: DomainIntelInput; answer: DomainIntel }
  listCohorts: { input: ListCohortsInput; answer: ListCohortsAnswer }
  compareDomain: { input: CompareDomainInput; answer: CohortComparison }
  domainDeliverability: { input: DomainDeliverabilityInput; answer: DomainDeliverability }
  checkMxIntel: { input: CheckMxIntelInput; answer: MxIntel }
  score: { input: ScoreInput; answer: Score }
  activity: { input: ActivityInput; answer: Activity }
  checkActivity: { input: CheckActivityInput; answer: Activity }
  mlTrain: { input: MlTrainInput; answer: Training }
  mlStats: { input: MlStatsInput; answer: ModelStats }
  mlStatsV2: { input: MlStatsV2Input; answer: ModelStatsV2 }
  mlRollback: { input: MlRollbackInput; answer: RolledBack }
  catchAllClassifierStats: { input: CatchAllClassifierStatsInput; answer: ModelStatsV2 }
  catchAllClassifierTrain: { input: CatchAllClassifierTrainInput; answer: Training }
  runBenchmark: { input: RunBenchmarkInput; answer: BenchmarkReport }
  benchmarkReport: { input: BenchmarkReportInput; answer: BenchmarkReport }
  reverify: { input: ReverifyInput; answer: ReverifyAnswer }
  domainIntelStats: { input: DomainIntelStatsInput; answer: DomainIntelStatsAnswer }
  domainLearningStats: { input: DomainLearningStatsInput; answer: DomainLearningStatsAnswer }
  metrics: { input: MetricsInput; answer: MetricsAnswer }
  listUsers: { input: ListUsersInput; answer: ListUsersAnswer }
  upgradeUser: { input: UpgradeUserInput; answer: UpgradeUserAnswer }
  updateDisposable: { input: UpdateDisposableInput; answer: UpdateDisposableAnswer }
  updateIntelligence: { input: UpdateIntelligenceInput; answer: UpdateIntelligenceAnswer }
  disposableStats: { input: DisposableStatsInput; answer: DisposableStatsAnswer }
  listOverrides: { input: ListOverridesInput; answer: ListOverridesAnswer }
  setOverride: { input: SetOverrideInput; answer: ListOverride }
  removeOverride: { input: RemoveOverrideInput; answer: RemoveOverrideAnswer }
  lookUpRecord: { input: LookUpRecordInput; answer: StoredRecord }
  searchRecords: { input: SearchRecordsInput; answer: SearchRecordsAnswer }
  domainRecords: { input: DomainRecordsInput; answer: DomainRecordsAnswer }
  databaseStats: { input: DatabaseStatsInput; answer: DatabaseStatsAnswer }
  stats: { input: StatsInput; answer: Stats }
  domainStats: { input: DomainStatsInput; answer: DomainStatsAnswer }
  storeStats: { input: StoreStatsInput; answer: StoreStatsAnswer }
  cacheStats: { input: CacheStatsInput; answer: CacheStatsAnswer }
  auditTrail: { input: AuditTrailInput; answer: AuditTrailAnswer }
  complianceSummary: { input: ComplianceSummaryInput; answer: ComplianceSummaryAnswer }
  eraseCustomer: { input: EraseCustomerInput; answer: EraseCustomerAnswer }
  erase: { input: EraseInput; answer: Erasure }
  eraseByQuery: { input: EraseByQueryInput; answer: Erasure }
  eraseDomain: { input: EraseDomainInput; answer: Erasure }
  eraseDomainByQuery: { input: EraseDomainByQueryInput; answer: Erasure }
  exportData: { input: ExportDataInput; answer: DataExport }
  purge: { input: PurgeInput; answer: PurgeAnswer }
  retentionStatus: { input: RetentionStatusInput; answer: RetentionStatusAnswer }
  health: { input: HealthInput; answer: Health }
  listRegions: { input: ListRegionsInput; answer: ListRegionsAnswer }
  regionsHealth: { input: RegionsHealthInput; answer: RegionsHealthAnswer }
  explainRoute: { input: ExplainRouteInput; answer: Route }
  listIps: { input: ListIpsInput; answer: ListIpsAnswer }
  ipPoolStatus: { input: IpPoolStatusInput; answer: IpPoolStatusAnswer }
  registerIp: { input: RegisterIpInput; answer: RegisterIpAnswer }
  blacklistStatus: { input: BlacklistStatusInput; answer: BlacklistStatusAnswer }
  listSenders: { input: ListSendersInput; answer: ListSendersAnswer }
  listSenderDomains: { input: ListSenderDomainsInput; answer: ListSenderDomainsAnswer }
  registerSenderDomain: { input: RegisterSenderDomainInput; answer: SenderDomain }
  greylist: { input: GreylistInput; answer: Greylist }
  listCanaries: { input: ListCanariesInput; answer: ListCanariesAnswer }
  setCanary: { input: SetCanaryInput; answer: Canary }
  removeCanary: { input: RemoveCanaryInput; answer: RemoveCanaryAnswer }
  createFleetToken: { input: CreateFleetTokenInput; answer: FleetToken }
  enrolNode: { input: EnrolNodeInput; answer: Enrolled }
  listNodes: { input: ListNodesInput; answer: ListNodesAnswer }
  removeNode: { input: RemoveNodeInput; answer: RemoveNodeAnswer }
  changeNodeKey: { input: ChangeNodeKeyInput; answer: ChangeNodeKeyAnswer }
  webhookStats: { input: WebhookStatsInput; answer: WebhookStats }
  listWebhookDeliveries: { input: ListWebhookDeliveriesInput; answer: WebhookDeliveries }
  redriveWebhook: { input: RedriveWebhookInput; answer: RedriveWebhookAnswer }
  listWebhookSecrets: { input: ListWebhookSecretsInput; answer: WebhookSecrets }
  showWebhookSecret: { input: ShowWebhookSecretInput; answer: NewWebhookSecret }
  rotateWebhookSecret: { input: RotateWebhookSecretInput; answer: NewWebhookSecret }
  listIntegrations: { input: ListIntegrationsInput; answer: ListIntegrationsAnswer }
  createIntegration: { input: CreateIntegrationInput; answer: Integration }
  testIntegration: { input: TestIntegrationInput; answer: TestedIntegration }
  deleteIntegration: { input: DeleteIntegrationInput; answer: DeleteIntegrationAnswer }
  listIntegrationEvents: { input: ListIntegrationEventsInput; answer: IntegrationEvents }
  integrationsStatus: { input: IntegrationsStatusInput; answer: IntegrationsStatus }
  syncHubspot: { input: SyncHubspotInput; answer: IntegrationSync }
  syncSalesforce: { input: SyncSalesforceInput; answer: IntegrationSync }
  syncMailchimp: { input: SyncMailchimpInput; answer: IntegrationSync }
  syncKlaviyo: { input: SyncKlaviyoInput; answer: IntegrationSync }
  sendSlack: { input: SendSlackInput; answer: IntegrationEvent }
  sendZapier: { input: SendZapierInput; answer: IntegrationEvent }
}

export const OPERATIONS = {
  validate: ["GET","/validate",["email","smtp","rbl","gravatar","breach","web_presence","domain_age","enrich","suppression","explain","timeout_ms","api_key"]],
  validateByBody: ["POST","/validate",[]],
  validateChecks: ["GET","/validate/checks",["email","smtp","rbl","gravatar","breach","web_presence","domain_age","suppression","explain","timeout_ms","api_key","view"]],
  validateChecksByBody: ["POST","/validate/checks",[]],
  validateWithScore: ["GET","/validate/with-score",["email","smtp","rbl","gravatar","breach","web_presence","domain_age","enrich","suppression","timeout_ms","api_key"]],
  validateQuick: ["GET","/validate/quick",["email"]],
  validateSyntax: ["GET","/validate/syntax",["email"]],
  validateFast: ["GET","/validate/fast",["email","max_age_hours","suppression"]],
  verifyQuick: ["GET","/verify/quick",["email","webhook_url"]],
  verifyStatus: ["GET","/verify/status/{verification_id}",[]],
  verifyTypo: ["GET","/verify/typo",["email"]],
  verifyBreachIntel: ["GET","/verify/breach-intel",["email"]],
  verifyCatchAllResolve: ["POST","/verify/catchall-resolve",[]],
  resolveCatchAll: ["POST","/resolve-catchall",[]],
  verifyGoogleWorkspace: ["GET","/verify/google-workspace",["email"]],
  verifyMicrosoftGraph: ["GET","/verify/microsoft-graph",["email"]],
  billingPlans: ["GET","/billing/plans",[]],
  checkout: ["POST","/billing/checkout/{plan}",[]],
  billingSignup: ["POST","/billing/signup",[]],
  billingUsage: ["GET","/billing/usage/{customer_id}",[]],
  stripeWebhook: ["POST","/billing/stripe-webhook",[]],
  createKey: ["POST","/keys",[]],
  listKeys: ["GET","/keys",[]],
  keyUsage: ["GET","/keys/{key_id}/usage",[]],
  rotateKey: ["POST","/keys/{key_id}/rotate",[]],
  revokeKey: ["DELETE","/keys/{key_id}",[]],
  requestSignIn: ["POST","/auth/request",[]],
  signIn: ["POST","/auth/verify",[]],
  signOut: ["POST","/auth/logout",[]],
  whoAmI: ["GET","/auth/me",[]],
  googleConfig: ["GET","/auth/google/config",[]],
  signInWithGoogle: ["GET","/auth/google/me",[]],
  myUsage: ["GET","/me/usage",[]],
  myStats: ["GET","/me/stats",[]],
  myRecentVerifications: ["GET","/me/recent-verifications",["limit","offset"]],
  myVerification: ["GET","/me/verification/{verification_id}",[]],
  plans: ["GET","/plans",[]],
  usage: ["GET","/usage",[]],
  validateBulk: ["POST","/validate/bulk",[]],
  validateTurbo: ["POST","/validate/bulk/turbo",[]],
  validateAsync: ["POST","/validate/bulk/async",[]],
  getJob: ["GET","/jobs/{job_id}",["limit","cursor"]],
  cancelJob: ["DELETE","/jobs/{job_id}",[]],
  getDeadLetters: ["GET","/jobs/{job_id}/dead-letter",["limit","cursor"]],
  retryDeadLetter: ["POST","/jobs/{job_id}/retry-dead-letter",[]],
  resumeJob: ["POST","/jobs/{job_id}/resume",[]],
  watchJob: ["GET","/jobs/{job_id}/events",[],"text"],
  uploadList: ["POST","/bulk/upload",["smtp","deduplicate","webhook_url","email_column"],"file"],
  bulkStatus: ["GET","/bulk/status/{job_id}",[]],
  listJobs: ["GET","/bulk/jobs",["limit","cursor"]],
  bulkReport: ["GET","/bulk/{job_id}/report",[]],
  downloadResults: ["GET","/bulk/download/{job_id}",["filter"],"text"],
  dedup: ["POST","/utils/dedup",[]],
  checkSuppression: ["GET","/suppression/check",["email"]],
  addSuppression: ["POST","/suppression/add",[]],
  removeSuppression: ["DELETE","/suppression/{email}",[]],
  suppressionStats: ["GET","/suppression/stats",[]],
  importSuppressions: ["POST","/suppression/import",["reason","source"],"file"],
  exportSuppressions: ["GET","/suppression/export",[],"text"],
  reportBounce: ["POST","/bounce",[]],
  bounceStats: ["GET","/bounce/stats",[]],
  reportReceived: ["POST","/received",["email","source"]],
  reportReceivedBatch: ["POST","/received/batch",[]],
  reportDelivered: ["POST","/delivered",["email"]],
  reportOpened: ["POST","/feedback/opened",["email"]],
  reportClicked: ["POST","/feedback/clicked",["email"]],
  reportVerdict: ["POST","/feedback/report",[]],
  feedbackAccuracy: ["GET","/feedback/accuracy",[]],
  createReceiver: ["POST","/webhooks/receivers",[]],
  listReceivers: ["GET","/webhooks/receivers",[]],
  deleteReceiver: ["DELETE","/webhooks/receivers/{receiver_id}",[]],
  receiveBounceSendgrid: ["POST","/bounce/sendgrid",["t"],"file"],
  receiveWebhooksSendgrid: ["POST","/webhooks/sendgrid",["t"],"file"],
  receiveBounceMailgun: ["POST","/bounce/mailgun",["t"],"file"],
  receiveWebhooksMailgun: ["POST","/webhooks/mailgun",["t"],"file"],
  receiveBouncePostmark: ["POST","/bounce/postmark",["t"],"file"],
  receiveWebhooksPostmark: ["POST","/webhooks/postmark",["t"],"file"],
  receiveWebhooksSes: ["POST","/webhooks/ses",["t"],"file"],
  findEmail: ["POST","/find-email",[]],
  findEmailV2: ["POST","/find-email/v2",["first_name","last_name","domain","company_name","do_smtp","do_scrape"]],
  listDomainFormats: ["GET","/domain-formats",["limit","offset"]],
  domainFormats: ["GET","/domain-formats/{domain}",[]],
  scrapeDomainFormats: ["POST","/domain-formats/scrape",[]],
  checkPattern: ["GET","/check/pattern",["email"]],
  checkMsCredential: ["GET","/check/ms-credential",["email"]],
  checkCrossReference: ["POST","/check/cross-reference",[]],
  checkDns: ["GET","/check/dns",["domain"]],
  checkDkim: ["GET","/check/dkim",["domain"]],
  checkRbl: ["GET","/check/rbl",["mx_host"]],
  checkDomainAge: ["GET","/check/domain-age",["domain"]],
  checkFormatProbability: ["GET","/check/format-probability",["first_name","last_name","domain"]],
  checkNameRealism: ["GET","/check/name-realism",["name"]],
  checkLinkedinName: ["GET","/check/linkedin-name",["url"]],
  checkScrapeDomain: ["GET","/check/scrape-domain",["domain"]],
  checkMineEmails: ["POST","/check/mine-emails",[]],
  domainIntel: ["GET","/domain-intel/{domain}",[]],
  listCohorts: ["GET","/cohort",["limit"]],
  compareDomain: ["GET","/cohort/{domain}",[]],
  domainDeliverability: ["GET","/deliverability/domain/{domain}",[]],
  checkMxIntel: ["GET","/check/mx-intel",["domain","smtp"]],
  score: ["GET","/score",["email","smtp","timeout_ms"]],
  activity: ["GET","/activity",["email"]],
  checkActivity: ["GET","/check/activity",["email"]],
  mlTrain: ["POST","/ml/train",["min_samples"]],
  mlStats: ["GET","/ml/stats",[]],
  mlStatsV2: ["GET","/ml/stats/v2",[]],
  mlRollback: ["POST","/ml/rollback",["model","version"]],
  catchAllClassifierStats: ["GET","/catchall-classifier/stats",[]],
  catchAllClassifierTrain: ["POST","/catchall-classifier/train",["min_samples"]],
  runBenchmark: ["POST","/benchmark/run",[]],
  benchmarkReport: ["GET","/benchmark/report/{benchmark_id}",[]],
  reverify: ["POST","/admin/reverify",["status","limit","webhook_url"]],
  domainIntelStats: ["GET","/admin/domain-intel/stats",[]],
  domainLearningStats: ["GET","/admin/domain-learning/stats",[]],
  metrics: ["GET","/admin/metrics",[],"text"],
  listUsers: ["GET","/admin/users",["limit","offset","cursor","proven"]],
  upgradeUser: ["POST","/admin/users/{email}/upgrade",[]],
  updateDisposable: ["POST","/admin/update-disposable",["force"]],
  updateIntelligence: ["POST","/admin/update-intelligence",["force"]],
  disposableStats: ["GET","/admin/disposable-stats",[]],
  listOverrides: ["GET","/admin/lists/overrides",["limit","cursor"]],
  setOverride: ["POST","/admin/lists/overrides",[]],
  removeOverride: ["DELETE","/admin/lists/overrides/{domain}",[]],
  lookUpRecord: ["GET","/db/lookup",["email"]],
  searchRecords: ["GET","/db/search",["domain","status","limit","offset","cursor"]],
  domainRecords: ["GET","/db/domain/{domain}",[]],
  databaseStats: ["GET","/db/stats",[]],
  stats: ["GET","/stats",["days"]],
  domainStats: ["GET","/stats/domains",["limit"]],
  storeStats: ["GET","/stats/store",[]],
  cacheStats: ["GET","/cache/stats",["days"]],
  auditTrail: ["GET","/compliance/audit-trail",["limit","cursor","action","actor","subject"]],
  complianceSummary: ["GET","/compliance/summary",[]],
  eraseCustomer: ["DELETE","/compliance/customer-data/{customer_id}",[]],
  erase: ["POST","/gdpr/erase",[]],
  eraseByQuery: ["DELETE","/gdpr/erase",["email"]],
  eraseDomain: ["POST","/gdpr/domain",[]],
  eraseDomainByQuery: ["DELETE","/gdpr/domain",["domain"]],
  exportData: ["GET","/gdpr/export",["email"]],
  purge: ["POST","/gdpr/purge",[]],
  retentionStatus: ["GET","/gdpr/status",[]],
  health: ["GET","/health",[]],
  listRegions: ["GET","/regions",[]],
  regionsHealth: ["GET","/regions/health",[]],
  explainRoute: ["GET","/regions/route",["domain"]],
  listIps: ["GET","/ips",[]],
  ipPoolStatus: ["GET","/ip-pool/status",[]],
  registerIp: ["POST","/ip-pool/register",["ip","pool"]],
  blacklistStatus: ["GET","/infra/blacklist-status",[]],
  listSenders: ["GET","/senders",[]],
  listSenderDomains: ["GET","/sender-domains",[]],
  registerSenderDomain: ["POST","/sender-domains/register",["domain"]],
  greylist: ["GET","/greylist",[]],
  listCanaries: ["GET","/fleet/canaries",[]],
  setCanary: ["POST","/fleet/canaries",[]],
  removeCanary: ["DELETE","/fleet/canaries/{operator}",[]],
  createFleetToken: ["POST","/fleet/tokens",[]],
  enrolNode: ["POST","/fleet/nodes/enrol",[]],
  listNodes: ["GET","/fleet/nodes",[]],
  removeNode: ["DELETE","/fleet/nodes/{node_id}",[]],
  changeNodeKey: ["POST","/fleet/nodes/{node_id}/keys",[]],
  webhookStats: ["GET","/webhooks/stats",[]],
  listWebhookDeliveries: ["GET","/webhooks/deliveries",["state","limit","cursor"]],
  redriveWebhook: ["POST","/webhooks/deliveries/{event_id}/redrive",[]],
  listWebhookSecrets: ["GET","/webhooks/secret",[]],
  showWebhookSecret: ["POST","/webhooks/secret",[]],
  rotateWebhookSecret: ["POST","/webhooks/secret/rotate",[]],
  listIntegrations: ["GET","/integrations",[]],
  createIntegration: ["POST","/integrations",[]],
  testIntegration: ["POST","/integrations/test",[]],
  deleteIntegration: ["DELETE","/integrations/{integration_id}",[]],
  listIntegrationEvents: ["GET","/integrations/{integration_id}/events",["limit","cursor"]],
  integrationsStatus: ["GET","/integrations/status",[]],
  syncHubspot: ["POST","/integrations/hubspot/sync",[]],
  syncSalesforce: ["POST","/integrations/salesforce/sync",[]],
  syncMailchimp: ["POST","/integrations/mailchimp/sync",[]],
  syncKlaviyo: ["POST","/integrations/klaviyo/sync",[]],
  sendSlack: ["POST","/integrations/slack/send",[]],
  sendZapier: ["POST","/integrations/zapier/send",[]],
} as const

