import { OPERATIONS, type Operations } from "./operations.ts"

export interface Request {
  readonly url: string
  readonly init: RequestInit
  /** Whether it may be sent again when nobody knows if it was done. */
  readonly mayRepeat: boolean
  /** Whether its answer is text, such as a CSV, and no JSON. */
  readonly isText: boolean
}

interface Asked {
  /** A `Blob` is the body as a whole. */
  readonly input: Record<string, unknown> | Blob
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly idempotencyKey: string | undefined
}

/**
 * Their answers show a secret that cannot be read again. When such an answer is lost, a second try would make another secret
 * or be told that this one is gone; whoever called has to know that the first may have been done.
 */
const SHOWS_SECRET_ONCE: ReadonlySet<string> = new Set<keyof Operations>([
  "createKey",
  "rotateKey",
  "createReceiver",
  "createFleetToken",
  "showWebhookSecret",
  "rotateWebhookSecret",
])

type Place = readonly [method: string, path: string, inQuery: readonly string[], notJson?: "file" | "text"]

/** Puts each part of the input where the published document has it: path, query or body, which is JSON or a file. */
export function requestFor(
  operation: keyof Operations,
  { input, baseUrl = "http://127.0.0.1:8787", apiKey, idempotencyKey }: Asked,
): Request {
  const [method, template, inQuery, notJson]: Place = OPERATIONS[operation]
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
  // The service takes a plus sign in an address for one.
  url.search = url.search.replaceAll("+", "%20")
  // Made here, so that a value no header can have is told at once and not taken for a lost connection.
  const headers = new Headers(apiKey ? { "x-api-key": apiKey } : {})
  const init: RequestInit = { method, headers }
  if (method === "POST") {
    headers.set("idempotency-key", idempotencyKey ?? crypto.randomUUID())
    const isFile = notJson === "file"
    const given = input instanceof Blob ? input : isFile ? (rest.get("file") as Blob | string) : null
    // Where the query takes none of it, an empty input is a body too: without one the service answers 415.
    if (given !== null || rest.size > 0 || inQuery.length === 0) {
      init.body = given ?? JSON.stringify(Object.fromEntries(rest))
      headers.set("content-type", isFile ? fileType(given) : "application/json")
    }
  }
  return { url: url.href, init, mayRepeat: !SHOWS_SECRET_ONCE.has(operation), isText: notJson === "text" }
}

const fileType = (file: Blob | string | null) => (file instanceof Blob && file.type) || "text/csv"
