import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { duration, plain } from "../words.ts"
import { credentials } from "./storage.ts"

export interface Problem {
  /** The HTTP status; 0 when no response arrived. */
  readonly status: number
  /** The API's code. */
  readonly code?: string | undefined
  readonly message: string
  /** For support requests. */
  readonly requestId: string | null
  /** The mailbox that the answer names, as the one to confirm. */
  readonly email?: string | undefined
  /** What is wrong with which field, by the API's names. */
  readonly faults?: Readonly<Record<string, string>>
}

export type Answer<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly problem: Problem }

export interface CallInit {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly json?: unknown
  /** Sent unchanged. */
  readonly body?: BodyInit
  readonly contentType?: string
  readonly signal?: AbortSignal
  /** The same request with the same key within 24 hours returns the first answer without a charge. */
  readonly idempotencyKey?: string
  /** Labels of the form's fields, by the API's names. An error about a field names it by its label. */
  readonly labels?: Readonly<Record<string, string>>
  /** Replaces the stored API key. Null sends none. */
  readonly apiKey?: string | null
  /** Sends the admin secret when there is one: the caller is then the operator. */
  readonly asOperator?: boolean
  /** Sent as a bearer token: proof of another service's sign-in. */
  readonly idToken?: string
  /** Replaces the stored admin secret. */
  readonly adminSecret?: string
}

/** Window event after a 401: a key can be revoked and a session can end at any moment. */
export const UNAUTHORIZED = "refused"
const ACCOUNT_PATH = "/auth/me"

/** A problem that the console itself finds, of one field if it is named. */
export const invalid = (message: string, field?: string): Problem => ({
  status: 422,
  message,
  requestId: null,
  ...(field === undefined ? {} : { faults: { [field]: message } }),
})

export const RESPONSE_CUT_OFF: Problem = { status: 0, message: "The response was cut off. Try again.", requestId: null }

export const isTemporary = ({ status }: Problem): boolean => status === 0 || status === 429 || status >= 500

/** Calls the API of this page's origin. Problems are returned, not thrown, because the console shows them. */
export async function call<T>(path: string, init: CallInit = {}): Promise<Answer<T>> {
  const answer = await send(path, init)
  if (!answer.ok) return answer
  try {
    return { ok: true, body: (await answer.body.json()) as T }
  } catch {
    return { ok: false, problem: RESPONSE_CUT_OFF }
  }
}

/** Returns the raw response, for bodies that are not JSON. */
export async function send(path: string, { method = "GET", ...init }: CallInit): Promise<Answer<Response>> {
  const body = init.json === undefined ? init.body : JSON.stringify(init.json)
  try {
    const response = await fetch(path, {
      method,
      headers: headersOf(init),
      ...(body === undefined ? {} : { body }),
      ...(init.signal ? { signal: init.signal } : {}),
    })
    if (response.status === 401 && path !== ACCOUNT_PATH) dispatchEvent(new Event(UNAUTHORIZED))
    return response.ok ? { ok: true, body: response } : { ok: false, problem: await readProblem(response, init.labels) }
  } catch {
    return { ok: false, problem: { status: 0, message: "The service did not respond.", requestId: null } }
  }
}

function headersOf({ json, contentType, idempotencyKey, asOperator = false, ...init }: CallInit): Headers {
  const adminSecret = init.adminSecret ?? (asOperator ? credentials().adminSecret : null)
  const apiKey = init.apiKey === undefined ? credentials().apiKey : init.apiKey
  const headers = new Headers()
  if (json !== undefined) headers.set("content-type", "application/json")
  if (contentType !== undefined) headers.set("content-type", contentType)
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  if (apiKey !== null) headers.set("x-api-key", apiKey)
  if (init.idToken !== undefined) headers.set("authorization", `Bearer ${init.idToken}`)
  if (adminSecret !== null) headers.set("x-admin-secret", adminSecret)
  return headers
}

type Detail = string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]

async function readProblem(response: Response, labels: CallInit["labels"]): Promise<Problem> {
  const requestId = response.headers.get("x-request-id")
  const body = (await response.json().catch(() => ({}))) as { detail?: Detail; code?: string; email?: string }
  const { detail, code, email } = body
  const found = detail ?? `The service returned status ${response.status}.`
  const message = messageOf(found, labels) + waitInWords(response.headers)
  const faults = faultsOf(found, labels)
  return { status: response.status, message, requestId, code, email, ...faults }
}

/** The faults of an error that is about fields only. A text names its field before a colon. */
function faultsOf(detail: Detail, labels: CallInit["labels"] = {}): Pick<Problem, "faults"> {
  if (typeof detail === "string") {
    const [, name] = /^([a-z_]+): /.exec(detail) ?? []
    return name === undefined ? {} : { faults: { [name]: messageOf(detail, labels) } }
  }
  const byField = Map.groupBy(detail, ({ loc }) => fieldOf(loc))
  return { faults: Object.fromEntries([...byField].map(([name, found]) => [name, messageOf(found, labels)])) }
}

/** Formats a long Retry-After in readable units. */
function waitInWords(headers: Headers): string {
  const seconds = Number(headers.get("retry-after") ?? 0)
  return seconds >= 120 ? ` (${duration(seconds)})` : ""
}

function messageOf(detail: Detail, labels: CallInit["labels"] = {}): string {
  if (typeof detail !== "string")
    return detail.map(({ loc, msg }) => `${labelOf(loc, labels)}: ${withLabels(msg, labels)}`).join("; ")
  const named = withLabels(detail, labels)
  return `${named.slice(0, 1).toUpperCase()}${named.slice(1)}`
}

const fieldOf = (loc: readonly (string | number)[]): string =>
  String(loc.findLast((step) => typeof step === "string") ?? "request")

/** @param loc such as ["body", "emails", 3]: the fourth address is "Emails 4" */
function labelOf(loc: readonly (string | number)[], labels: Readonly<Record<string, string>>): string {
  const name = fieldOf(loc)
  const last = loc.at(-1)
  const label = labels[name] ?? plain(name)
  return typeof last === "number" ? `${label} ${last + 1}` : label
}

/** Names of two words, such as `webhook_url`, mean the field anywhere in a text; others only before a colon at its start. */
const withLabels = (text: string, labels: Readonly<Record<string, string>>): string =>
  text.replace(/^[a-z]+(?=:)|\b[a-z]+(_[a-z]+)+\b/g, (name) => labels[name] ?? name)

/** Makes a call that changes something. @param onDone called after its success @returns the problem, or null */
export async function change<T>(
  path: string,
  init: CallInit,
  onDone: (body: T) => unknown = () => {},
): Promise<Problem | null> {
  const answer = await call<T>(path, init)
  if (!answer.ok) return answer.problem
  await onDone(answer.body)
  return null
}

/** Waits for calls that belong together. @returns their bodies by name, or the first problem */
export async function together<Bodies extends Record<string, unknown>>(
  calls: { readonly [Name in keyof Bodies]: Promise<Answer<Bodies[Name]>> },
): Promise<Answer<Bodies>> {
  const bodies: Record<string, unknown> = {}
  for (const [name, waiting] of Object.entries<Promise<Answer<unknown>>>(calls)) {
    const answer = await waiting
    if (!answer.ok) return answer
    bodies[name] = answer.body
  }
  return { ok: true, body: bodies as Bodies }
}

/** Downloads a response as a file. A plain link cannot send an API key. @returns the problem, or null */
export async function saveFile(path: string, name: string, labels: CallInit["labels"] = {}): Promise<Problem | null> {
  const answer = await send(path, { labels })
  if (!answer.ok) return answer.problem
  const file = await answer.body.blob().catch(() => null)
  if (!file) return RESPONSE_CUT_OFF
  const url = URL.createObjectURL(file)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return null
}

type Loading<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly problem: Problem }
  | { readonly state: "ready"; readonly value: T }

export type Load<T> = Loading<T> & {
  /** Whether the value belongs to the previous key. */
  readonly isStale: boolean
  /** Fetches again and shows the old value until the response arrives. */
  readonly reload: () => void
}

/**
 * Fetches on the first render and when `key` changes, and drops outdated responses.
 * @param keepPrevious shows the previous value until the response for a new key arrives, as for pages of a table
 */
export function useLoad<T>(
  key: string,
  request: (signal: AbortSignal) => Promise<Answer<T>>,
  { keepPrevious = false } = {},
): Load<T> {
  const [reloads, setReloads] = useState(0)
  const [result, setResult] = useState<{ key: string; loading: Loading<T> }>({ key, loading: { state: "loading" } })
  // The function is new on every render, so that `key` identifies the request instead.
  const latest = useRef(request)
  latest.current = request
  const run = useCallback(
    (signal: AbortSignal) =>
      latest.current(signal).then((answer) => {
        if (signal.aborted) return
        const loading: Loading<T> = answer.ok
          ? { state: "ready", value: answer.body }
          : { state: "failed", problem: answer.problem }
        setResult({ key, loading })
      }),
    [key],
  )
  useEffect(() => {
    const abort = new AbortController()
    if (reloads >= 0) run(abort.signal)
    return () => abort.abort()
  }, [run, reloads])
  const isStale = result.key !== key
  const loading: Loading<T> =
    isStale && !(keepPrevious && result.loading.state === "ready") ? { state: "loading" } : result.loading
  return { ...loading, isStale, reload: () => setReloads((before) => before + 1) }
}

type GetInit = CallInit & { readonly version?: unknown; readonly keepPrevious?: boolean }

/** Fetches a path of the API: on the first render, and when the path or the version changes. */
export function useGet<T>(path: string, { version = "", keepPrevious = false, ...init }: GetInit = {}): Load<T> {
  return useLoad(`${path} ${version}`, (signal) => call<T>(path, { ...init, signal }), { keepPrevious })
}

export type PagedLoad<T> = Load<T> & {
  readonly pages: {
    readonly number: number
    readonly older: (next: string) => void
    readonly newer: () => void
  }
}

/**
 * Fetches a long table page by page. It holds the cursor of each visited page, because cursors only lead forward.
 * @param filters parameters of the query, without the empty ones. Other filters begin at the first page
 */
export function usePaged<T>(
  path: string,
  filters: Readonly<Record<string, string>>,
  { position = "cursor", ...init }: GetInit & { readonly position?: "cursor" | "offset" } = {},
): PagedLoad<T> {
  const chosen = JSON.stringify(filters)
  const [visited, setVisited] = useState<{ chosen: string; cursors: readonly string[] }>({ chosen, cursors: [] })
  const cursors = visited.chosen === chosen ? visited.cursors : []
  const all = { ...filters, [position]: cursors.at(-1) ?? "" }
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""))
  const load = useGet<T>(query.size === 0 ? path : `${path}?${query}`, { ...init, keepPrevious: true })
  return {
    ...load,
    pages: {
      number: cursors.length + 1,
      older: (next) => setVisited({ chosen, cursors: [...cursors, next] }),
      newer: () => setVisited({ chosen, cursors: cursors.slice(0, -1) }),
    },
  }
}

/**
 * Runs an action once at a time and holds its problem. Use `aria-disabled` on its button:
 * the browser would remove the focus from a disabled button.
 */
export function useAction<Args extends readonly unknown[]>(perform: (...args: Args) => Promise<Problem | null>) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const running = useRef(false)
  async function run(...args: Args): Promise<boolean> {
    if (running.current) return false
    running.current = true
    setBusy(true)
    setProblem(null)
    const found = await perform(...args)
    running.current = false
    setProblem(found)
    setBusy(false)
    return found === null
  }
  return { busy, problem, run, clearProblem: () => setProblem(null) }
}
