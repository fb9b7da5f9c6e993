import { cors } from "hono/cors"

/**
 * Pages of other sites may call with a key of their own. Cookies are never honoured across sites: without
 * `Access-Control-Allow-Credentials` a browser neither sends nor shows anything that depends on them.
 */
export function crossOrigin() {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST", "DELETE"],
    allowHeaders: ["Content-Type", "X-API-Key", "Authorization", "Idempotency-Key", "X-Request-Id"],
    exposeHeaders: ["RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id", "Idempotency-Replayed"],
    maxAge: 86_400,
  })
}
