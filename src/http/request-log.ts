import type { Context } from "hono"
import { routePath } from "hono/route"
import { countsOf } from "../domain/admin/metrics.ts"
import type { AppEnv } from "./endpoint.ts"

/** Counts and logs a request by its route template, because its path and query may hold addresses and keys. */
export function logRequest(c: Context<AppEnv>, startedAt: number): void {
  const { clock, log, requestCounters } = c.get("ctx")
  const { logLevel } = c.get("ctx").config
  const { status } = c.res
  const answered = { method: c.req.method, route: routePath(c, -1), status, ms: clock.now() - startedAt }
  for (const [name, by] of countsOf(answered)) requestCounters.count(name, by)
  if (logLevel === "warn" && status < 500) return
  log("request", answered)
}
