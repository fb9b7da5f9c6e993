import type { z } from "zod"
import { parseJson } from "../../../schema/wire/json.ts"
import { inTime } from "../../concurrency/deadlines.ts"
import { outcomeOf, type ProviderResult, providerFailure, providerSuccess } from "../../domain/integrations/provider.ts"
import { readWhole, retryAfterMs } from "../external-calls.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a content type in `headers` replaces the default. */
  readonly json?: unknown
  /** Sent as a form instead. */
  readonly form?: Readonly<Record<string, string>>
  /** The URL is a hook, so that its path is a secret, and a successful reply may be any text. */
  readonly isHook?: true
}

export interface ApiReply {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; null when the body is not JSON. */
  readonly body: unknown
  readonly text: string
  /** The body was longer than MAX_BYTES and was not read. */
  readonly isTooLong: boolean
}

/** The rules of one provider's API. */
export interface ApiRules {
  /** The provider's name in error texts. */
  readonly name: string
  /** Reads the error code from the body. Free text never becomes a code. */
  readonly codeOf: (body: unknown, text: string) => unknown
  /** The wait in ms that the headers require before the next call. */
  readonly paceOf?: (headers: Headers, now: number) => number | null
  /** The duration in ms of a limit with that code or status; overrules a shorter hint. */
  readonly pauseAt?: (code: string | null, status: number) => number | null
  /** Corrects the outcome of the status, for APIs that report errors in the body. */
  readonly outcomeOf?: (reply: ApiReply, code: string | null) => ReturnType<typeof outcomeOf> | "ok"
}

export interface ApiDeps {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly userAgent: string
  /** Receives each request with its answer. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** Sends one request; never rejects. */
export type Api = (request: ApiRequest) => Promise<ProviderResult<ApiReply>>

const TIMEOUT_MS = 20_000
/** Far above the largest page of contacts. */
const MAX_BYTES = 4_000_000
/** Total wait within one call; beyond it the call fails as rate limited. HubSpot's window is ten seconds. */
const MAX_WAIT_MS = 12_000
const MAX_TRIES = 4
/** First wait after a 429 without a duration. */
const DEFAULT_WAIT_MS = 1_000
const CODE = /^[\w .:/-]{1,80}$/

/** Calls one provider with one account's credentials, bounded in time and size, at the provider's pace. */
export function createApi(rules: ApiRules, { fetch, clock, userAgent, onExchange }: ApiDeps): Api {
  let notBefore = 0

  function headersOf({ headers, json, form }: ApiRequest): Record<string, string> {
    const type = form ? "application/x-www-form-urlencoded" : "application/json"
    const hasBody = form !== undefined || json !== undefined
    return {
      accept: "application/json",
      "user-agent": userAgent,
      ...(hasBody ? { "content-type": type } : {}),
      ...headers,
    }
  }

  async function once({ method, url, json, form }: ApiRequest, headers: Record<string, string>): Promise<ApiReply> {
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json)
    return inTime(TIMEOUT_MS, async (signal) => {
      const sent = { method, headers, ...(body === undefined ? {} : { body }) }
      const response = await fetch(url, { ...sent, redirect: "manual", signal })
      const bytes = await readWhole(response, MAX_BYTES)
      const text = bytes === null ? "" : new TextDecoder().decode(bytes)
      return {
        status: response.status,
        headers: response.headers,
        body: parseJson(text),
        text,
        isTooLong: bytes === null,
      }
    })
  }

  /** Sends one request and interprets the reply; updates `notBefore`. */
  async function attempt(request: ApiRequest, tries: number): Promise<ProviderResult<ApiReply>> {
    const headers = headersOf(request)
    const startedAt = clock.now()
    const reply = await once(request, headers).catch((error: Error) => error)
    const httpStatus = reply instanceof Error ? null : reply.status
    onExchange?.(exchangeOf({ ...request, headers }, { httpStatus, elapsedMs: clock.now() - startedAt }))
    if (reply instanceof Error) return unreachable(rules.name, reply)
    const now = clock.now()
    const pace = rules.paceOf?.(reply.headers, now) ?? 0
    notBefore = now + pace
    const read = readReply(rules, reply, { now, isText: request.isHook === true })
    if (read.ok || read.failure.outcome !== "rate_limited") return read
    const { code, retryAfterMs: requested } = read.failure
    const waitMs = Math.max(pace, requested ?? 0, rules.pauseAt?.(code, reply.status) ?? 0)
    notBefore = now + (waitMs > 0 || requested !== null ? waitMs : DEFAULT_WAIT_MS * 2 ** (tries - 1))
    return { ok: false, failure: { ...read.failure, retryAfterMs: waitMs > 0 ? waitMs : requested } }
  }

  return async function call(request) {
    let waitLeft = MAX_WAIT_MS
    for (let tries = 1; ; tries++) {
      const wait = Math.max(0, notBefore - clock.now())
      if (wait > waitLeft) return limited(rules.name, wait)
      waitLeft -= wait
      if (wait > 0) await clock.sleep(wait)
      const read = await attempt(request, tries)
      if (read.ok || read.failure.outcome !== "rate_limited") return read
      if (tries >= MAX_TRIES || notBefore - clock.now() > waitLeft) return read
    }
  }
}

function readReply(
  rules: ApiRules,
  reply: ApiReply,
  { now, isText }: { now: number; isText: boolean },
): ProviderResult<ApiReply> {
  const found = rules.codeOf(reply.body, reply.text)
  const code = typeof found === "string" && CODE.test(found) ? found : null
  const corrected = rules.outcomeOf?.(reply, code)
  const outcome = corrected ?? outcomeOf(reply.status)
  const isJson = reply.body !== null || (reply.text === "" && !reply.isTooLong)
  if (outcome === null || outcome === "ok")
    return isText || isJson ? providerSuccess(reply) : unreadable(rules.name, reply)
  const { status } = reply
  const detail = `${rules.name} ${OUTCOME_TEXTS[outcome]} (${code === null ? status : `${status}, ${code}`})`
  const waitMs = retryAfterMs(reply.headers, now) ?? null
  return providerFailure({ outcome, httpStatus: status, code, detail, retryAfterMs: waitMs })
}

const OUTCOME_TEXTS = {
  unauthorized: "does not accept the credentials for this",
  refused: "refused the call",
  rate_limited: "limits the rate of calls",
  unreachable: "has a server error",
  unreadable: "answered in an unknown form",
} as const

function limited(name: string, retryAfterMs: number) {
  return providerFailure({ outcome: "rate_limited", detail: `${name} limits the rate of calls`, retryAfterMs })
}

function unreachable(name: string, { name: kind }: Error) {
  const what = kind === "TimeoutError" ? "did not answer in time" : "cannot be reached"
  return providerFailure({ outcome: "unreachable", detail: `${name} ${what}` })
}

/** Parses a reply by the provider's published schema. */
export function readAs<T>(name: string, form: z.ZodType<T>, reply: ProviderResult<ApiReply>): ProviderResult<T> {
  if (!reply.ok) return reply
  const read = form.safeParse(reply.value.body)
  return read.success ? providerSuccess(read.data) : unreadable(name, reply.value)
}

/** For a successful reply that is not JSON, or that does not match the published schema. */
export function unreadable(name: string, reply: ApiReply) {
  const { status } = reply
  const detail = `${name} answered ${formOf(reply)} (${status}), so the answer cannot be read`
  return providerFailure({ outcome: "unreadable", httpStatus: status, detail })
}

function formOf({ body, text, isTooLong }: ApiReply): string {
  if (isTooLong) return `with more than ${MAX_BYTES / 1_000_000} MB`
  if (body !== null) return "in an unknown form"
  if (text.trim() === "") return "with an empty body"
  return text.trimStart().startsWith("<") ? "with HTML instead of JSON" : "with text that is not JSON"
}

/** A request to a provider with its answer, without secrets and without bodies. */
export interface Exchange {
  readonly method: string
  /** A hook's path is masked, because it is the secret. */
  readonly url: string
  /** By name; values that may be secret are masked. */
  readonly headers: Readonly<Record<string, string>>
  /** Null without an answer. */
  readonly httpStatus: number | null
  readonly elapsedMs: number
}

const MASK = "***"
/** Headers whose values are the same for every account. Any other value may be a secret. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "revision", "user-agent"])

/** Describes a request for the account that made it. */
function exchangeOf(
  { method, url, headers, isHook }: Pick<ApiRequest, "method" | "url" | "isHook"> & Pick<Exchange, "headers">,
  answer: Pick<Exchange, "httpStatus" | "elapsedMs">,
): Exchange {
  const masked = Object.entries(headers).map(([name, value]) => [name, PUBLIC_HEADERS.has(name) ? value : MASK])
  const shown = isHook ? `${new URL(url).origin}/${MASK}` : url
  return { method, url: shown, headers: Object.fromEntries(masked), ...answer }
}
