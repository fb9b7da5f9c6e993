import type { Context } from "hono"
import { cors } from "hono/cors"

/** Response headers that scripts of other sites may read. */
const EXPOSED = [
  ...["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id", "Idempotency-Replayed"],
  ...["X-Mailverdict-Partial", "X-Mailverdict-Pending", "X-Mailverdict-Next-Attempt-At"],
]
const EXPOSED_LIST = EXPOSED.join(",")

/** For responses that shared caches store. */
export const ANY_ORIGIN = { "access-control-allow-origin": "*" } as const

/**
 * Pages of other sites may call with a key of their own. The session cookie does not count there: see
 * `readSessionCookie`. Without `Access-Control-Allow-Credentials` a browser shows them no answer to a request with
 * cookies. Callers without an Origin are no browsers and do not get the headers.
 */
export function shareAcrossOrigins(asked: Headers, headers: Headers): void {
  if (!asked.has("origin")) return
  headers.set("access-control-allow-origin", ANY_ORIGIN["access-control-allow-origin"])
  headers.set("access-control-expose-headers", EXPOSED_LIST)
}

const preflight = cors({
  origin: "*",
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: ["Content-Type", "X-API-Key", "Authorization", "Idempotency-Key", "X-Request-Id"],
  exposeHeaders: EXPOSED,
  maxAge: 86_400,
})

/** Answers the CORS preflight of a browser. */
export async function answerPreflight(c: Context): Promise<Response> {
  return (await preflight(c, async () => undefined)) as Response
}
