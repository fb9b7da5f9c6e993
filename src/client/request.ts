import { OPERATIONS, type Operations } from "./operations.ts"

export interface Request {
  readonly url: string
  readonly init: RequestInit
  /** Whether a repeat is safe when the outcome of the first attempt is unknown. */
  readonly mayRepeat: boolean
  /** Whether the response is text, such as CSV, instead of JSON. */
  readonly isText: boolean
}

interface RequestInput {
  /** A `Blob` is the whole body. */
  readonly input: Record<string, unknown> | Blob
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly adminSecret?: string | undefined
  readonly idempotencyKey: string | undefined
}

/**
 * Operations whose response shows a secret once. After a lost response, a retry would create another secret or fail.
 * The caller has to know that the first request may have taken effect.
 */
const SHOWS_SECRET_ONCE: ReadonlySet<string> = new Set<keyof Operations>([
  "createKey",
  "rotateKey",
  "createReceiver",
  "createFleetToken",
  "showWebhookSecret",
  "rotateWebhookSecret",
])

type OperationPlace = readonly [method: string, path: string, inQuery: readonly string[], notJson?: "file" | "text"]

/** Builds the request: puts each input field into the path, the query or the body, as the OpenAPI document defines. */
export function requestFor(
  operation: keyof Operations,
  { input, baseUrl = "http://127.0.0.1:8787", idempotencyKey, ...credentials }: RequestInput,
): Request {
  const [method, template, inQuery, notJson]: OperationPlace = OPERATIONS[operation]
  const rest = new Map(input instanceof Blob ? [] : Object.entries(input).filter(([, value]) => value !== undefined))
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest.get(name)))
    rest.delete(name)
    return value
  })
  const url = new URL(path, baseUrl)
  for (const [name, value] of rest)
    if (method !== "POST" || inQuery.includes(name)) {
      url.searchParams.set(name, String(value))
      rest.delete(name)
    }
  // The service reads "+" in a query as a plus sign, not as a space.
  url.search = url.search.replaceAll("+", "%20")
  // Created here: an invalid header value must throw at once instead of counting as a lost connection.
  const headers = credentialHeaders(credentials)
  const init: RequestInit = { method, headers }
  if (method === "POST") {
    headers.set("idempotency-key", idempotencyKey ?? crypto.randomUUID())
    const isFile = notJson === "file"
    const wholeBody = input instanceof Blob ? input : isFile ? (rest.get("file") as Blob | string) : null
    // An operation without query fields needs a body even for an empty input: without one the service returns 415.
    if (wholeBody !== null || rest.size > 0 || inQuery.length === 0) {
      init.body = wholeBody ?? JSON.stringify(Object.fromEntries(rest))
      headers.set("content-type", isFile ? fileType(wholeBody) : "application/json")
    }
  }
  return { url: url.href, init, mayRepeat: !SHOWS_SECRET_ONCE.has(operation), isText: notJson === "text" }
}

function credentialHeaders({ apiKey, adminSecret }: Pick<RequestInput, "apiKey" | "adminSecret">): Headers {
  return new Headers({
    ...(apiKey ? { "x-api-key": apiKey } : {}),
    ...(adminSecret ? { "x-admin-secret": adminSecret } : {}),
  })
}

const fileType = (file: Blob | string | null) => (file instanceof Blob && file.type) || "text/csv"
