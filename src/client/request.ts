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
  /** A `Blob` is a JSON body as a whole. */
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
  const isBody = input instanceof Blob
  const rest = new Map(isBody ? [] : Object.entries(input).filter(([, value]) => value !== undefined))
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
  // Made here, so that a value no header can have is told at once and not taken for a lost connection.
  const headers = new Headers(apiKey ? { "x-api-key": apiKey } : {})
  const init: RequestInit = { method, headers }
  if (method === "POST") {
    headers.set("idempotency-key", idempotencyKey ?? crypto.randomUUID())
    if (notJson === "file") {
      const file = rest.get("file") as Blob | string
      headers.set("content-type", (file instanceof Blob && file.type) || "text/csv")
      init.body = file
    }
    // Where the query takes none of it, an empty input is a body too: without one the service answers 415.
    else if (isBody || rest.size > 0 || inQuery.length === 0) {
      headers.set("content-type", "application/json")
      init.body = isBody ? input : JSON.stringify(Object.fromEntries(rest))
    }
  }
  return { url: url.href, init, mayRepeat: !SHOWS_SECRET_ONCE.has(operation), isText: notJson === "text" }
}
