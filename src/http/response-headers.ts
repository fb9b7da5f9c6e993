import type { Context } from "hono"
import { cors } from "hono/cors"
import type { ErrorCode } from "../error-codes.ts"
import type { AppEnv } from "./endpoint.ts"

/** Response headers that scripts of other sites may read. */
const EXPOSED = [
  ...["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id", "Idempotency-Replayed"],
  // A browser's client of /mcp learns from it how to sign in.
  "WWW-Authenticate",
  "Link",
  ...["X-Mailverdict-Partial", "X-Mailverdict-Pending", "X-Mailverdict-Next-Attempt-At"],
]
const EXPOSED_LIST = EXPOSED.join(",")

/** For responses that shared caches store. */
export const ANY_ORIGIN = { "access-control-allow-origin": "*" } as const

/**
 * Pages of other sites may call with a key of their own. The session cookie does not count there: see
 * `readSessionCookie`. Without `Access-Control-Allow-Credentials` a browser shows them no answer to a request with
 * cookies. Callers without an Origin are no browsers and do not get the headers. The answer to a publishable key is for
 * pages of its origins only.
 */
export function shareAcrossOrigins(c: Context<AppEnv>): void {
  const { headers } = c.res
  const only = c.get("sharedOrigin")
  if (only !== undefined) headers.append("vary", "Origin")
  if (only === null || c.req.header("origin") === undefined) return
  headers.set("access-control-allow-origin", only ?? ANY_ORIGIN["access-control-allow-origin"])
  headers.set("access-control-expose-headers", EXPOSED_LIST)
}

const preflight = cors({
  origin: "*",
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: [
    "Content-Type",
    "X-API-Key",
    "Authorization",
    "Idempotency-Key",
    "X-Request-Id",
    "MCP-Protocol-Version",
  ],
  exposeHeaders: EXPOSED,
  maxAge: 86_400,
})

/** Answers the CORS preflight of a browser. */
export async function answerPreflight(c: Context): Promise<Response> {
  return (await preflight(c, async () => undefined)) as Response
}

/** The header `Link` of an error (RFC 8288): to the row of its code on the page of errors, or to the page without a code. */
export function helpLink(code?: ErrorCode): string {
  return `</docs/errors${code ? `#${code}` : ""}>; rel="help"`
}

/** For data responses: no scripts, frames or sniffing, and no referrer, because a query may hold a key. */
const DATA: readonly (readonly [string, string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
]

/** For the console: nothing is loaded from other hosts, styles are in files, and images are its own. */
export const CONSOLE_POLICY = [
  "default-src 'self'",
  "img-src 'self'",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

/** For the reference and its document. Scalar and its editor add styles to the page; they load no fonts or frames. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/**
 * Adds the headers of every response. A page sets its own policy before. Strict-Transport-Security needs TLS (RFC 6797
 * section 7.2). @param url of the request
 */
export function addSecurityHeaders(headers: Headers, url: string): void {
  const isPage = headers.has("content-security-policy")
  if (url.startsWith("https:")) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains")
  for (const [name, value] of DATA) if (!isPage || name !== "content-security-policy") headers.set(name, value)
}
