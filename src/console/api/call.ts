import { duration } from "../words.ts"
import { credentials } from "./credentials.ts"

/** Why a call came to nothing. */
export interface Problem {
  /** 0: no answer came. */
  readonly status: number
  readonly message: string
  /** To quote when asking for help. */
  readonly requestId: string | null
}

export type Answer<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly problem: Problem }

export interface CallInit {
  readonly method?: "GET" | "POST" | "DELETE"
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly body?: BodyInit
  readonly contentType?: string
  readonly signal?: AbortSignal
  /** Shown instead of the one that is kept. */
  readonly apiKey?: string
  /** Shows the admin secret, when there is one: who does so is the operator, and no account's member. */
  readonly asOperator?: boolean
}

/** Told to the window when what was shown is refused: a key may be revoked and a session may end at any moment. */
export const REFUSED = "refused"
const WHO_AM_I = "/auth/me"

export const BROKEN_OFF: Problem = { status: 0, message: "The answer broke off.", requestId: null }

/** Whether the same call may well be answered in a while. */
export const isPassing = ({ status }: Problem): boolean => status === 0 || status === 429 || status >= 500

/** Calls the API this page came from. Problems are values: a console has to show them. */
export async function call<T>(path: string, init: CallInit = {}): Promise<Answer<T>> {
  const answer = await send(path, init)
  if (!answer.ok) return answer
  try {
    return { ok: true, body: (await answer.body.json()) as T }
  } catch {
    return { ok: false, problem: BROKEN_OFF }
  }
}

/** The answer itself, for what is not JSON. */
export async function send(path: string, { method = "GET", ...init }: CallInit): Promise<Answer<Response>> {
  const body = init.json === undefined ? init.body : JSON.stringify(init.json)
  try {
    const response = await fetch(path, {
      method,
      headers: headersOf(init),
      ...(body === undefined ? {} : { body }),
      ...(init.signal ? { signal: init.signal } : {}),
    })
    if (response.status === 401 && path !== WHO_AM_I) dispatchEvent(new Event(REFUSED))
    return response.ok ? { ok: true, body: response } : { ok: false, problem: await readProblem(response) }
  } catch {
    return { ok: false, problem: { status: 0, message: "The service does not answer.", requestId: null } }
  }
}

function headersOf({ json, contentType, asOperator = false, ...init }: CallInit): Headers {
  const { adminSecret } = credentials()
  const apiKey = init.apiKey ?? credentials().apiKey
  const headers = new Headers()
  if (json !== undefined) headers.set("content-type", "application/json")
  if (contentType !== undefined) headers.set("content-type", contentType)
  if (apiKey !== null) headers.set("x-api-key", apiKey)
  if (asOperator && adminSecret !== null) headers.set("x-admin-secret", adminSecret)
  return headers
}

type Detail = string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]

async function readProblem(response: Response): Promise<Problem> {
  const requestId = response.headers.get("x-request-id")
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: Detail }
  const message = wordsOf(detail ?? `The service answered ${response.status}.`) + inWords(response.headers)
  return { status: response.status, message, requestId }
}

/** Nobody counts a month in seconds. */
function inWords(headers: Headers): string {
  const seconds = Number(headers.get("retry-after") ?? 0)
  return seconds >= 120 ? ` (${duration(seconds)})` : ""
}

function wordsOf(detail: Detail): string {
  if (typeof detail !== "string") return detail.map(({ loc, msg }) => `${loc.at(-1) ?? "request"}: ${msg}`).join("; ")
  return `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}`
}
