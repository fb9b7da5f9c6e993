import type { MiddlewareHandler } from "hono"
import type { AppEnv } from "./endpoint.ts"

const GIVEN = /^[\w-]{8,64}$/

/** Names the request: the caller's X-Request-Id when it is harmless, else a new one. Every answer and log line carries it. */
export function requestId(): MiddlewareHandler<AppEnv> {
  return async function requestId(c, next) {
    const given = c.req.header("x-request-id")
    const id = given && GIVEN.test(given) ? given : crypto.randomUUID()
    c.set("requestId", id)
    await next()
    c.res.headers.set("x-request-id", id)
  }
}
