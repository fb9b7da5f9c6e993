import type { Context } from "hono"
import { cors } from "hono/cors"

/** What scripts of other sites may read beside the body. */
const EXPOSED = ["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id", "Idempotency-Replayed"]
const EXPOSED_LIST = EXPOSED.join(",")

/**
 * Pages of other sites may call with a key of their own. Cookies are never honoured across sites: without
 * `Access-Control-Allow-Credentials` a browser neither sends nor shows anything that depends on them.
 */
export function shareAcrossOrigins(headers: Headers): void {
  headers.set("access-control-allow-origin", "*")
  headers.set("access-control-expose-headers", EXPOSED_LIST)
}

const preflight = cors({
  origin: "*",
  allowMethods: ["GET", "POST", "DELETE"],
  allowHeaders: ["Content-Type", "X-API-Key", "Authorization", "Idempotency-Key", "X-Request-Id"],
  exposeHeaders: EXPOSED,
  maxAge: 86_400,
})

/** What a browser asks before it sends such a call. */
export async function answerPreflight(c: Context): Promise<Response> {
  return (await preflight(c, async () => undefined)) as Response
}
