import type { Context } from "hono"
import { routePath } from "hono/route"
import { countsOf } from "../domain/metrics/request-counts.ts"
import type { AppEnv } from "./endpoint.ts"

/** Counts an answered request and writes one line about it, or at level "warn" only for our own failures: its route template, never its path or query, which hold addresses and keys. */
export function logRequest(c: Context<AppEnv>, startedAt: number): void {
  const { clock, log, logLevel, requestTally } = c.get("deps")
  const { status } = c.res
  const answered = { method: c.req.method, route: routePath(c, -1), status, ms: clock.now() - startedAt }
  for (const [name, by] of countsOf(answered)) requestTally.count(name, by)
  if (logLevel === "warn" && status < 500) return
  log("request", answered)
}
