/** The kinds of errors, each with its HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthorized: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid_request: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorKind = keyof typeof ERROR_STATUS

interface DescribedCode {
  readonly kind: ErrorKind
  /** What is wrong, as one sentence in Markdown. */
  readonly meaning: string
  /** What the caller does about it. */
  readonly action: string
}

/**
 * The published codes of errors. Programs compare them, so a code is never renamed and keeps its status. The reference
 * lists them from here. A code of its own is for a reason that a program treats differently.
 */
export const ERROR_CODES = {
  bad_request: {
    kind: "bad_request",
    meaning: "A value is malformed or does not fit, such as an address where a real one is needed.",
    action: "Correct what `detail` names.",
  },
  unauthorized: {
    kind: "unauthorized",
    meaning: "Another proof than a key is missing, invalid or expired, such as a sign-in link, a token or a signature.",
    action: "Request a new one, or check what signs the request.",
  },
  key_missing: {
    kind: "unauthorized",
    meaning: "The call needs an API key or a session, and the request has none that counts.",
    action: "Send the key in `X-API-Key`, or the session as a bearer token.",
  },
  key_refused: {
    kind: "unauthorized",
    meaning: "The API key is malformed, unknown or revoked.",
    action: "Check the key, or create another one.",
  },
  key_expired: {
    kind: "unauthorized",
    meaning: "The API key has reached its `expires_at`.",
    action: "Create another key.",
  },
  session_expired: {
    kind: "unauthorized",
    meaning: "The bearer token is neither a key nor a valid session.",
    action: "Sign in again.",
  },
  plan_required: {
    kind: "payment_required",
    meaning: "The account's plan does not include this.",
    action: "Choose a larger plan.",
  },
  month_too_small: {
    kind: "payment_required",
    meaning: "The request needs more credits than a whole month has, so waiting does not help.",
    action: "Split the work, or choose a larger plan.",
  },
  credits_exhausted: {
    kind: "payment_required",
    meaning: "The month's credits and the bought ones are used up.",
    action: "Buy credits, or wait for the next month.",
  },
  forbidden: {
    kind: "forbidden",
    meaning: "The caller may not do this.",
    action: "Read the reason in `detail`.",
  },
  key_restricted: {
    kind: "forbidden",
    meaning: "The restrictions of the API key exclude this call, network or web origin.",
    action: "Use another key, or change the restrictions.",
  },
  outside_test_mode: {
    kind: "forbidden",
    meaning: "A test key (`mv_test_…`) verifies only addresses under `.test`.",
    action: "Use an address of the sandbox, or a live key.",
  },
  session_required: {
    kind: "forbidden",
    meaning: "The call needs a session of the account's owner.",
    action: "Sign in.",
  },
  session_too_old: {
    kind: "forbidden",
    meaning: "The call needs a session that has just begun.",
    action: "Sign in again and repeat the call.",
  },
  admin_required: {
    kind: "forbidden",
    meaning: "The call needs the secret of the service's operator.",
    action: "Send it in `X-Admin-Secret`.",
  },
  account_suspended: {
    kind: "forbidden",
    meaning: "The operator has suspended the account.",
    action: "Contact the operator of this service.",
  },
  not_found: {
    kind: "not_found",
    meaning: "It does not exist, or belongs to another account.",
    action: "Check its id.",
  },
  not_cached: {
    kind: "not_found",
    meaning: "`/validate/fast` has no fresh result for the address.",
    action: "Call `/validate`.",
  },
  unknown_endpoint: {
    kind: "not_found",
    meaning: "No endpoint has this path.",
    action: "Compare the path with this reference.",
  },
  method_not_allowed: {
    kind: "method_not_allowed",
    meaning: "The path has no such method.",
    action: "Use a method that `Allow` names.",
  },
  timeout: {
    kind: "timeout",
    meaning: "The body of the request stopped or arrived too slowly.",
    action: "Send it again on a faster line.",
  },
  conflict: {
    kind: "conflict",
    meaning: "The current state excludes the call, such as a name in use or a full list.",
    action: "Resolve what `detail` names.",
  },
  idempotency_in_progress: {
    kind: "conflict",
    meaning: "The first request with this `Idempotency-Key` is still running.",
    action: "Wait for `Retry-After` and repeat the request.",
  },
  job_not_ready: {
    kind: "conflict",
    meaning: "The list is still being verified.",
    action: "Wait for its end, or cancel it.",
  },
  confirmation_required: {
    kind: "conflict",
    meaning: "This browser did not request the sign-in link.",
    action: "Send `confirm: true` if the mailbox is yours.",
  },
  payload_too_large: {
    kind: "payload_too_large",
    meaning: "The body of the request is too large.",
    action: "Send less.",
  },
  list_too_large: {
    kind: "payload_too_large",
    meaning: "A list or a file has too many lines, cells or bytes.",
    action: "Split it.",
  },
  unsupported_media_type: {
    kind: "unsupported_media_type",
    meaning: "The body has another type than the call accepts, or it is compressed.",
    action: "Send what `detail` names.",
  },
  invalid_request: {
    kind: "invalid_request",
    meaning: "A field is missing or wrong. `detail` is a list with one entry for each field.",
    action: "Correct the field in `loc`.",
  },
  idempotency_key_reused: {
    kind: "invalid_request",
    meaning: "The `Idempotency-Key` belongs to another request of the last 24 hours.",
    action: "Use a new key for each request.",
  },
  rate_limited: {
    kind: "rate_limited",
    meaning: "A limit that protects the service is reached.",
    action: "Wait for `Retry-After`, twice as long each further time.",
  },
  minute_exceeded: {
    kind: "rate_limited",
    meaning: "The requests of this minute are used up, those of the plan or of one visitor of a form.",
    action: "Wait for `Retry-After`.",
  },
  month_exceeded: {
    kind: "rate_limited",
    meaning: "The request needs more credits than are left of the month.",
    action: "Send less, choose a larger plan, or wait for the day in `detail`.",
  },
  free_work_exceeded: {
    kind: "rate_limited",
    meaning: "The limit of work that costs no credit is reached, such as new keys or sign-in links.",
    action: "Wait for `Retry-After`.",
  },
  budget_exceeded: {
    kind: "rate_limited",
    meaning: "The daily budget of a publishable key is used up.",
    action: "Accept the form, and raise the budget if the visitors are real.",
  },
  internal_error: {
    kind: "internal_error",
    meaning: "The service has an error.",
    action: "Retry once, then with growing pauses.",
  },
  unavailable: {
    kind: "unavailable",
    meaning: "A part of the service, or another service that it needs, gives no answer.",
    action: "Retry with growing pauses.",
  },
  storage_unavailable: {
    kind: "unavailable",
    meaning: "The service can store nothing, for example on a full disk. Nothing was charged.",
    action: "Retry after `Retry-After`.",
  },
  not_configured: {
    kind: "unavailable",
    meaning: "The operator has not configured what the call needs. A retry does not help.",
    action: "The operator sets what `detail` names.",
  },
} as const satisfies Readonly<Record<string, DescribedCode>>

export type ErrorCode = keyof typeof ERROR_CODES

export const statusOf = (code: ErrorCode) => ERROR_STATUS[ERROR_CODES[code].kind]
