import type {
  AttemptOutcome,
  EventState,
  EventType,
  Grade,
  SmtpStatus,
  Status,
  SubStatus,
  SuppressionReason,
  Tier,
} from "../../../schema/vocabulary.ts"

/** What the console reads of the API's answers; test/console-shapes.test.ts holds them against the published schemas. */

export type Breakdown = Readonly<Record<BreakdownPart, number>>
export type BreakdownPart =
  | "base"
  | "smtp_bonus"
  | "mx_bonus"
  | "rbl_penalty"
  | "disposable_penalty"
  | "role_penalty"
  | "ml_adjustment"
  | "received_bonus"

export interface Checks {
  readonly email: string
  readonly deliverable: boolean
  readonly can_send: boolean
  readonly status: Status
  readonly score: number
  readonly grade: Grade
  readonly score_breakdown: Breakdown
  readonly is_catch_all: boolean
  readonly is_role_account: boolean
  readonly is_disposable: boolean
  readonly is_free_provider: boolean
  readonly is_subaddress: boolean
  readonly is_corporate: boolean
  readonly is_relay: boolean
  readonly is_government: boolean
  readonly is_education: boolean
  readonly mx_valid: boolean
  readonly mx_records: readonly string[]
  readonly spf_valid: boolean
  readonly dkim_present: boolean
  readonly smtp_status: SmtpStatus
  readonly smtp_response_code: number
  readonly smtp_banner: string
  readonly rbl_listed: boolean
  readonly rbl_lists_checked: number
  readonly rbl_lists_matched: readonly string[]
  readonly breach_found: boolean | null
  readonly breach_count: number | null
  readonly provider: string
  readonly cached: boolean
  readonly next_check_at: string | null
  readonly verified_at: string
  readonly syntax_valid: boolean
  readonly smtp_connect_ms: number
  readonly smtp_total_ms: number
  readonly ml_score: number | null
  readonly domain_age_days: number | null
}

export interface LedgerEntry {
  readonly phase: string
  readonly fact: string
  readonly value: string | null
  readonly reply: { readonly code: number; readonly text: string } | null
  readonly rule: string | null
  readonly points: number
  readonly node: string | null
  readonly age_seconds: number | null
}

export interface TranscriptLine {
  readonly from: "client" | "server"
  readonly text: string
  readonly ms: number | null
}

export interface Explanation {
  readonly ledger: readonly LedgerEntry[]
  readonly transcript: readonly TranscriptLine[]
}

export interface Deliverability {
  readonly email: string
  readonly sub_status: SubStatus | null
  readonly deliverability_score: {
    readonly grade: string
    readonly recommendation: "send" | "send_with_caution" | "retry_later" | "do_not_send"
    readonly primary_risk: string | null
    readonly email_type: string
  }
  readonly did_you_mean: string | null
  readonly checks: Checks
  readonly explanation?: Explanation | undefined
}

export type JobState = "queued" | "running" | "complete" | "failed" | "cancelled"

export interface Job {
  readonly job_id: string
  readonly status: JobState
  readonly total: number
  readonly progress: number
  readonly pct_complete: number
  readonly summary: Readonly<Record<Status, number>>
  readonly cached: number
  readonly failed: number
  readonly deduplicated: number
  readonly submitted_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly original_job_id: string | null
}

export interface JobPage {
  readonly results: readonly { readonly checks: Checks }[] | null
  readonly next_cursor?: string | null | undefined
}

export interface UploadedJob {
  readonly job_id: string
  readonly total: number
  readonly file: { readonly email_column: string; readonly rows: number; readonly rows_without_address: number }
}

export type StatusCounts = Readonly<Record<Status, number>>

export interface Report {
  readonly total: number
  readonly analyzed: number
  readonly deduplicated: number
  readonly health: { readonly score: number; readonly grade: Grade }
  readonly composition: {
    readonly statuses: readonly { readonly status: Status; readonly count: number; readonly share: number }[]
    readonly disposable: number
    readonly role_accounts: number
    readonly free_providers: number
    readonly subaddresses: number
    readonly sendable: number
  }
  readonly score_distribution: readonly { readonly from: number; readonly to: number; readonly count: number }[]
  readonly average_score: number
  readonly mail_operators: readonly (StatusCounts & { readonly operator: string; readonly total: number })[]
  readonly top_problems: readonly {
    readonly problem: string
    readonly message: string
    readonly count: number
    readonly share: number
  }[]
  readonly projected_bounce_rate: {
    readonly rate: number
    readonly low: number
    readonly high: number
    readonly expected: number
  }
  readonly recommendations: readonly { readonly action: string; readonly message: string; readonly affected: number }[]
}

export interface Key {
  readonly key_id: string
  readonly name: string
  readonly tier: Tier
  readonly is_active: number
  readonly monthly_limit: number | null
  readonly rate_per_min: number | null
  readonly verifications_this_month: number
  readonly verifications_total: number
  readonly created_at: number
  readonly last_used: number | null
}

export interface NewKey {
  readonly key_id: string
  readonly api_key: string
}

export interface Account {
  readonly account_id: string
  readonly email: string
  readonly tier: Tier
  readonly signed_in_by: "session" | "key"
}

export interface UsageSpan {
  readonly verifications: number
  readonly previous: number
  readonly delta_percent: number | null
}

export interface Usage {
  readonly today: UsageSpan
  readonly this_month: UsageSpan
  readonly this_year: UsageSpan
  readonly histogram: readonly { readonly date: string; readonly verifications: number }[]
}

export interface Credits {
  readonly period: string
  readonly credits_used: number
  readonly credits_limit: number | null
  readonly resets_in_seconds: number
}

export interface Quality {
  readonly total: number
  readonly cached: number
  readonly by_status: StatusCounts
  readonly top_domains: readonly { readonly domain: string; readonly count: number }[]
}

export interface Recent {
  readonly id: number
  readonly email: string
  readonly status: Status
  readonly score: number
  readonly cached: boolean
  readonly created_at: string
}

export interface Suppressed {
  readonly email: string
  readonly is_suppressed: boolean
  readonly reason: SuppressionReason | null
  readonly should_never_send: boolean
  readonly suppressed_at: string | null
  readonly expires_at: string | null
  readonly source: string | null
  readonly list: "account" | "operator" | null
}

export interface SuppressionStats {
  readonly total: number
  readonly permanent: number
  readonly temporary: number
  readonly added_last_30_days: number
  readonly by_reason: Readonly<Record<string, number>>
}

export interface WebhookStats {
  readonly success_rate_24h: number | null
  readonly endpoints: readonly {
    readonly url: string
    readonly state: "active" | "failing" | "disabled"
    readonly events: {
      readonly pending: number
      readonly delivered: number
      readonly failed: number
      readonly disabled: number
    }
    readonly last_attempt_at: string | null
    readonly last_outcome: AttemptOutcome | null
  }[]
}

export interface Delivery {
  readonly event_id: string
  readonly type: EventType
  readonly url: string
  readonly state: EventState
  readonly created_at: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly {
    readonly attempt: number
    readonly outcome: AttemptOutcome
    readonly http_status: number | null
    readonly started_at: string
    readonly duration_ms: number
  }[]
}

export interface WebhookSecret {
  readonly secret_id: string
  readonly created_at: string
  readonly shown: boolean
  readonly expires_at: string | null
}

export interface ModelMetrics {
  readonly samples: number
  readonly base_rate: number
  readonly auc: number | null
  readonly brier: number
  readonly log_loss: number
  readonly calibration_error: number
}

export interface CalibrationBin {
  readonly from: number
  readonly to: number
  readonly samples: number
  readonly predicted: number
  readonly observed: number
  readonly low: number
  readonly high: number
}

export interface ModelStats {
  readonly model: {
    readonly version: number
    readonly is_prior: boolean
    readonly algorithm: string
    readonly trained_at: string | null
  }
  readonly samples: { readonly used: number; readonly arrived: number; readonly bounced: number } | null
  readonly facts_available: number
  readonly metrics: ModelMetrics | null
  readonly prior_metrics: ModelMetrics | null
  readonly training: { readonly status: string; readonly reason: string | null; readonly progress: number } | null
  readonly calibration: readonly CalibrationBin[]
  readonly by_operator: readonly { readonly operator: string; readonly metrics: ModelMetrics }[]
  readonly bounce_by_score: readonly {
    readonly operator: string | null
    readonly score_from: number
    readonly score_to: number
    readonly samples: number
    readonly bounce_rate: number
    readonly low: number
    readonly high: number
  }[]
  readonly weights: readonly { readonly feature: string; readonly weight: number; readonly prior: number }[]
  readonly versions: readonly {
    readonly version: number
    readonly trained_at: string | null
    readonly samples: number
    readonly metrics: ModelMetrics
    readonly in_use: boolean
  }[]
}
