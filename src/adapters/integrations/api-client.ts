import type { z } from "zod"
import { parseJson } from "../../../schema/wire/json.ts"
import { type Answered, answered, outcomeOf, troubled } from "../../domain/integrations/trouble.ts"
import { inTime } from "../in-time.ts"
import { retryAfterMs } from "../outages.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"
import { readText } from "../read-text.ts"

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; `type` in `headers` may say another media type. */
  readonly json?: unknown
  /** Sent as a form instead. */
  readonly form?: Readonly<Record<string, string>>
}

export interface ApiReply {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; null when it is none. */
  readonly body: unknown
  readonly text: string
}

/** How a provider's interface differs from others. */
export interface ApiRules {
  /** As accounts know it. */
  readonly name: string
  /** The code in an error's body; free text is never taken. */
  readonly codeOf: (body: unknown, text: string) => unknown
  /** What the headers of any answer say about how long the next call should wait, in ms. */
  readonly paceOf?: (headers: Headers, now: number) => number | null
  /** How long a limit of that code or status lasts, in ms, whatever else is said. */
  readonly pauseAt?: (code: string | null, status: number) => number | null
  /** Corrects what the status says, for interfaces that say it in the body. */
  readonly outcomeOf?: (reply: ApiReply, code: string | null) => ReturnType<typeof outcomeOf> | "ok"
}

export interface ApiNeeds {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly userAgent: string
}

/** One call; never rejects. */
export type Api = (request: ApiRequest) => Promise<Answered<ApiReply>>

const TIMEOUT_MS = 20_000
/** The largest page of contacts is far below this. */
const MAX_BYTES = 4_000_000
/** The waits of one call add up to this at most, or the caller comes back. HubSpot's window is ten seconds. */
const PATIENCE_MS = 12_000
const MAX_TRIES = 4
/** For a 429 that does not say how long. */
const UNSAID_WAIT_MS = 1_000
const CODE = /^[\w .:/-]{1,80}$/

/** Calls to one provider with one account's credentials: bounded in time and size, and as slow as the provider wants. */
export function createApi(rules: ApiRules, { fetch, clock, userAgent }: ApiNeeds): Api {
  let notBefore = 0

  async function once({ method, url, headers, json, form }: ApiRequest): Promise<ApiReply> {
    const type = form ? "application/x-www-form-urlencoded" : "application/json"
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json)
    return inTime(TIMEOUT_MS, async (signal) => {
      const response = await fetch(url, {
        method,
        headers: {
          accept: "application/json",
          "user-agent": userAgent,
          ...(body === undefined ? {} : { "content-type": type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        redirect: "manual",
        signal,
      })
      const text = await readText(response, MAX_BYTES)
      return { status: response.status, headers: response.headers, body: parseJson(text), text }
    })
  }

  /** One request and what it means; moves `notBefore`. */
  async function attempt(request: ApiRequest, tries: number): Promise<Answered<ApiReply>> {
    const reply = await once(request).catch((error: Error) => error)
    if (reply instanceof Error) return unreachable(rules.name, reply)
    const now = clock.now()
    const pace = rules.paceOf?.(reply.headers, now) ?? 0
    notBefore = now + pace
    const read = readReply(rules, reply, now)
    if (read.ok || read.trouble.outcome !== "rate_limited") return read
    const { code, retryAfterMs: asked } = read.trouble
    const said = Math.max(pace, asked ?? 0, rules.pauseAt?.(code, reply.status) ?? 0)
    notBefore = now + (said > 0 || asked !== null ? said : UNSAID_WAIT_MS * 2 ** (tries - 1))
    return { ok: false, trouble: { ...read.trouble, retryAfterMs: said > 0 ? said : asked } }
  }

  return async function call(request) {
    let patience = PATIENCE_MS
    for (let tries = 1; ; tries++) {
      const wait = Math.max(0, notBefore - clock.now())
      if (wait > patience) return limited(rules.name, wait)
      patience -= wait
      if (wait > 0) await clock.sleep(wait)
      const read = await attempt(request, tries)
      if (read.ok || read.trouble.outcome !== "rate_limited") return read
      if (tries >= MAX_TRIES || notBefore - clock.now() > patience) return read
    }
  }
}

function readReply(rules: ApiRules, reply: ApiReply, now: number): Answered<ApiReply> {
  const found = rules.codeOf(reply.body, reply.text)
  const code = typeof found === "string" && CODE.test(found) ? found : null
  const corrected = rules.outcomeOf?.(reply, code)
  const outcome = corrected ?? outcomeOf(reply.status)
  if (outcome === null || outcome === "ok") return answered(reply)
  const { status } = reply
  const said = code === null ? `${status}` : `${status}, ${code}`
  const detail = `${rules.name} ${WORDS[outcome]} (${said})`
  return troubled({ outcome, httpStatus: status, code, detail, retryAfterMs: retryAfterMs(reply.headers, now) ?? null })
}

const WORDS = {
  unauthorized: "does not accept the credentials for this",
  refused: "refused the call",
  rate_limited: "asks to be called less often",
  unreachable: "is in trouble",
} as const

function limited(name: string, retryAfterMs: number) {
  return troubled({ outcome: "rate_limited", detail: `${name} asks to be called less often`, retryAfterMs })
}

function unreachable(name: string, { name: kind }: Error) {
  const what = kind === "TimeoutError" ? "did not answer in time" : "cannot be reached"
  return troubled({ outcome: "unreachable", detail: `${name} ${what}` })
}

/** What a provider's answer says, in its published form. */
export function readAs<T>(name: string, form: z.ZodType<T>, reply: Answered<ApiReply>): Answered<T> {
  if (!reply.ok) return reply
  const read = form.safeParse(reply.value.body)
  return read.success ? answered(read.data) : unreadable(name, reply.value)
}

/** For an answer that is not of the published form. */
export function unreadable(name: string, { status }: ApiReply) {
  return troubled({ outcome: "unreachable", httpStatus: status, detail: `${name} answered in an unknown form` })
}
