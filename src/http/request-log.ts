import type { MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import type { AppEnv } from "./endpoint.ts"

/** One line a request, or at level "warn" only for our own failures: its route template, never its path or query, which hold addresses and keys. */
export function requestLog(): MiddlewareHandler<AppEnv> {
  return async function requestLog(c, next) {
    const { clock, log, logLevel } = c.get("deps")
    const startedAt = clock.now()
    await next()
    if (logLevel === "warn" && c.res.status < 500) return
    log("request", { method: c.req.method, route: routePath(c, -1), status: c.res.status, ms: clock.now() - startedAt })
  }
}
