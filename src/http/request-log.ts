import type { MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import { countsOf } from "../domain/metrics/request-counts.ts"
import type { AppEnv } from "./endpoint.ts"

/** Counts the request and writes one line about it, or at level "warn" only for our own failures: its route template, never its path or query, which hold addresses and keys. */
export function requestLog(): MiddlewareHandler<AppEnv> {
  return async function requestLog(c, next) {
    const { clock, log, logLevel, requestTally } = c.get("deps")
    const startedAt = clock.now()
    await next()
    const { status } = c.res
    const answered = { method: c.req.method, route: routePath(c, -1), status, ms: clock.now() - startedAt }
    for (const [name, by] of countsOf(answered)) requestTally.count(name, by)
    if (logLevel === "warn" && status < 500) return
    log("request", answered)
  }
}
