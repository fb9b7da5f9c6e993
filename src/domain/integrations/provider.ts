import type { IntegrationOutcome } from "../../../schema/vocabulary.ts"
import type { Connection } from "../../../schema/wire/integrations.ts"

/** Why a provider did not fulfill a request. An unreadable answer is temporary, as an unreachable provider is. */
export interface ProviderFailure {
  readonly outcome: Exclude<IntegrationOutcome, "ok" | "out_of_credits">
  /** Null without a response. */
  readonly httpStatus: number | null
  /** Fixed text and the provider's error code. Never the provider's free text, which may contain addresses. */
  readonly detail: string
  /** The provider's error code; null without one. */
  readonly code: string | null
  /** The wait that the provider requests, in ms. */
  readonly retryAfterMs: number | null
}

export type ProviderResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ProviderFailure }

export function providerSuccess<T>(value: T): ProviderResult<T> {
  return { ok: true, value }
}

export function providerFailure(failure: Pick<ProviderFailure, "outcome" | "detail"> & Partial<ProviderFailure>): {
  readonly ok: false
  readonly failure: ProviderFailure
} {
  return { ok: false, failure: { httpStatus: null, code: null, retryAfterMs: null, ...failure } }
}

/** Meaning of an HTTP status for the caller; null for success. A redirect counts as refused and is not followed. */
export function outcomeOf(status: number): ProviderFailure["outcome"] | null {
  if (status >= 200 && status < 300) return null
  if (status === 401 || status === 403) return "unauthorized"
  if (status === 429) return "rate_limited"
  return status === 408 || status >= 500 ? "unreachable" : "refused"
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Delays after consecutive failures, in ms. After the last one the sync stops. */
const WAITS_MS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR] as const
/** The sync stops after this many consecutive rate limits. */
const MAX_LIMITED = 50
/** The longest wait that a provider may request: its daily limit resets within it. */
const LONGEST_RETRY_MS = 24 * HOUR
const SHORTEST_MS = 1_000

/**
 * Delay before a sync continues after a failure, in ms; null when it stops and the account must act.
 * @param failures consecutive failures, including this one
 */
export function retryDelayAfter({ outcome, retryAfterMs }: ProviderFailure, failures: number): number | null {
  if (outcome === "unauthorized" || outcome === "refused") return null
  const requestedMs = Math.min(retryAfterMs ?? 0, LONGEST_RETRY_MS)
  if (outcome === "rate_limited" && failures <= MAX_LIMITED)
    return retryAfterMs === null ? (WAITS_MS[failures - 1] ?? HOUR) : Math.max(SHORTEST_MS, requestedMs)
  const wait = WAITS_MS[failures - 1]
  return wait === undefined ? null : Math.max(wait, requestedMs)
}

/** Hosts of Salesforce organizations (help.salesforce.com, "My Domain URL formats"); in China Alibaba hosts them. */
const SALESFORCE_HOSTS = ["*.salesforce.com", "*.salesforce.mil", "*.sfcrmproducts.cn"]
const SLACK_HOOK_HOSTS = ["hooks.slack.com", "hooks.slack-gov.com"]

interface ProviderUrls {
  readonly salesforceLoginUrl: string
  readonly slackUrl: string
  readonly zapierHosts: readonly string[]
}

/** Hosts that an account's own URL may use, by provider. */
export function salesforceHosts({ salesforceLoginUrl }: Pick<ProviderUrls, "salesforceLoginUrl">): string[] {
  return [...SALESFORCE_HOSTS, new URL(salesforceLoginUrl).host]
}

export function slackHookHosts({ slackUrl }: Pick<ProviderUrls, "slackUrl">): string[] {
  return [...SLACK_HOOK_HOSTS, new URL(slackUrl).host]
}

/** The URL in an account's credentials and its allowed hosts; null for providers without one. */
export function ownUrlOf(
  connection: Connection,
  urls: ProviderUrls,
): { readonly field: string; readonly url: string; readonly hosts: readonly string[] } | null {
  const found = (field: string, url: string | undefined, hosts: readonly string[]) =>
    url === undefined ? null : { field, url, hosts }
  switch (connection.provider) {
    case "salesforce":
      return found("domain", connection.credentials.domain, salesforceHosts(urls))
    case "slack":
      return found("webhook_url", connection.credentials.webhook_url, slackHookHosts(urls))
    case "zapier":
      return found("hook_url", connection.credentials.hook_url, urls.zapierHosts)
    default:
      return null
  }
}

type ProviderUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string }

/**
 * Validates a provider URL of an account. Only hosts of the provider are allowed, so that an account cannot direct
 * requests elsewhere. A host listed with a port is the operator's own and may use plain http.
 * @param hosts "host", "*.host" or "host:port"
 */
export function readProviderUrl(text: string, hosts: readonly string[]): ProviderUrl {
  const url = URL.parse(text)
  if (url?.username !== "" || url.password !== "") return refuse("must be a URL without user name and password")
  if (hosts.includes(url.host) && url.port !== "") return { ok: true, url: withoutHash(url) }
  if (url.protocol !== "https:" || url.port !== "")
    return refuse("must begin with https:// and must not contain a port")
  if (!hosts.some((host) => isAt(url.hostname, host))) return refuse(`must be at ${hosts.join(" or ")}`)
  return { ok: true, url: withoutHash(url) }
}

function isAt(hostname: string, host: string): boolean {
  return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host
}

function withoutHash(url: URL): string {
  url.hash = ""
  return url.href
}

function refuse(problem: string): ProviderUrl {
  return { ok: false, problem }
}
