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
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly adminSecret?: string | undefined
  readonly idempotencyKey: string | undefined
}

/**
 * Operations whose response shows a secret once. After a lost response, a retry would create another secret or fail.
 * The caller has to know that the first request may have taken effect.
 */
export const SHOWS_SECRET_ONCE: ReadonlySet<string> = new Set<keyof Operations>([
  "createKey",
  "createUserKey",
  "rotateKey",
  "createReceiver",
  "createFleetToken",
  "showWebhookSecret",
  "rotateWebhookSecret",
])

/** Where the fields of an operation go. Without a list of body fields, the body takes any. */
export type OperationPlace = readonly [
  method: string,
  path: string,
  inQuery: readonly string[],
  inBody: readonly string[] | null,
  notJson?: "file" | "form" | "text",
]

/** A path of the service, below the path of its URL: a proxy may serve it below one. @param path begins with "/" */
export function urlOf(baseUrl: string, path: string): URL {
  const { origin, pathname } = new URL(baseUrl)
  return new URL(`${origin}${pathname.replace(/(?<!\/)\/+$/, "")}${path}`)
}

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/** Builds the request: puts each input field into the path, the query or the body, as the OpenAPI document defines. */
export function requestFor(
  operation: keyof Operations,
  { input, baseUrl = "http://127.0.0.1:8787", idempotencyKey, apiKey, adminSecret }: RequestInput,
): Request {
  const [method, template, inQuery, , notJson]: OperationPlace = OPERATIONS[operation]
  const rest = new Map(input instanceof Blob ? [] : Object.entries(input).filter(([, value]) => value !== undefined))
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest.get(name)))
    rest.delete(name)
    return value
  })
  const url = urlOf(baseUrl, path)
  const hasBody = WITH_BODY.has(method)
  for (const [name, value] of rest)
    if (!hasBody || inQuery.includes(name)) {
      url.searchParams.set(name, String(value))
      rest.delete(name)
    }
  // The service reads "+" in a query as a plus sign, not as a space.
  url.search = url.search.replaceAll("+", "%20")
  // Created here: an invalid header value must throw at once instead of counting as a lost connection.
  const headers = new Headers({
    ...(apiKey ? { "x-api-key": apiKey } : {}),
    ...(adminSecret ? { "x-admin-secret": adminSecret } : {}),
  })
  const init: RequestInit = { method, headers }
  if (method === "POST") headers.set("idempotency-key", idempotencyKey ?? crypto.randomUUID())
  if (hasBody) {
    const wholeBody = wholeBodyOf(input, notJson)
    // An operation without query fields needs a body even for an empty input: without one the service returns 415.
    if (wholeBody !== null || rest.size > 0 || inQuery.length === 0) {
      init.body = wholeBody ?? JSON.stringify(Object.fromEntries(rest))
      headers.set("content-type", acceptsFile(notJson) ? fileType(wholeBody) : "application/json")
    }
  }
  return { url: url.href, init, mayRepeat: !SHOWS_SECRET_ONCE.has(operation), isText: notJson === "text" }
}

/** Whether the body is a file. */
export const acceptsFile = (notJson: OperationPlace[4]) => notJson === "file" || notJson === "form"

/** A body that is not made of fields. */
function wholeBodyOf(input: RequestInput["input"], notJson: OperationPlace[4]): Blob | string | null {
  const given = input instanceof Blob ? input : acceptsFile(notJson) ? (input.file as Blob | string) : null
  return notJson === "form" && given instanceof File ? formOf(given) : given
}

/** A constant, so that two requests with the same idempotency key have the same body. Random, so that no file has it. */
const BOUNDARY = "mailverdict-0b4c8a1e6f2d47d39a5c71e8d2f6b3a9"

/** A form with the file, which states its name (RFC 7578). */
function formOf(file: File): Blob {
  const name = file.name.replace(/["\r\n]/g, encodeURIComponent)
  const head = [
    `--${BOUNDARY}`,
    `content-disposition: form-data; name="file"; filename="${name}"`,
    `content-type: ${file.type || "application/octet-stream"}`,
  ]
  const parts = [`${head.join("\r\n")}\r\n\r\n`, file, `\r\n--${BOUNDARY}--\r\n`]
  return new Blob(parts, { type: `multipart/form-data; boundary=${BOUNDARY}` })
}

const fileType = (file: Blob | string | null) => (file instanceof Blob && file.type) || "text/csv"

/** A misspelled option would be ignored without a word. @throws TypeError that names the known options */
export function checkOptions(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${what}: unknown option "${unknown}". Options: ${known.join(", ")}`)
}

/** @throws TypeError when the OpenAPI document has no such operation */
export function checkOperation(operation: string): void {
  if (Object.hasOwn(OPERATIONS, operation)) return
  throw new TypeError(`unknown operation "${operation}". The operationIds are in /openapi.json`)
}

/**
 * Checks the names of an operation's fields, but not their values: the service checks these.
 * @throws TypeError for a missing part of the path, a missing file and for a field that the OpenAPI document does not have
 */
export function checkFields(operation: keyof typeof OPERATIONS, input: object): void {
  const [, path, inQuery, inBody, notJson]: OperationPlace = OPERATIONS[operation]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const values = input as Readonly<Record<string, unknown>>
  const isFile = acceptsFile(notJson) && !(input instanceof Blob)
  for (const name of inPath)
    if (values[name] === undefined || values[name] === "") throw new TypeError(`${operation}: ${name} is missing`)
  // A Blob is the whole body. Without a list of fields, a JSON body has alternatives, which the service checks.
  if (input instanceof Blob || (inBody === null && !isFile)) return
  const known = [...inPath, ...inQuery, ...(inBody ?? ["file"])]
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown === undefined && isFile && values.file === undefined) throw new TypeError(`${operation}: file is missing`)
  if (unknown === undefined) return
  const advice = known.length === 0 ? "It takes no fields" : `Fields: ${known.join(", ")}`
  throw new TypeError(`${operation}: unknown field "${unknown}". ${advice}`)
}
