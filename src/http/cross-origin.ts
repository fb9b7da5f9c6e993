import type { Context } from "hono"
import { cors } from "hono/cors"

/** What scripts of other sites may read beside the body. */
const EXPOSED = ["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id", "Idempotency-Replayed"]
const EXPOSED_LIST = EXPOSED.join(",")

/** For answers that caches keep, whoever asked for them first. */
export const SHARED = { "access-control-allow-origin": "*" } as const

/**
 * Pages of other sites may call with a key of their own. Cookies are never honoured across sites: without
 * `Access-Control-Allow-Credentials` a browser neither sends nor shows anything that depends on them. Who is no
 * browser, and sends no Origin, is spared the headers.
 */
export function shareAcrossOrigins(asked: Headers, headers: Headers): void {
  if (!asked.has("origin")) return
  headers.set("access-control-allow-origin", SHARED["access-control-allow-origin"])
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
