import type { Context } from "hono"
import { routePath } from "hono/route"
import type { AppEnv } from "./endpoint.ts"

/** Begins to measure the request as a whole, where traces are on: by its route template, never its path or query. @returns ends it; null when it is not measured */
export function beginTrace(c: Context<AppEnv>): (() => void) | null {
  const { tracer } = c.get("deps")
  if (!tracer.isOn) return null
  const span = tracer.begin("request", c.req.header("traceparent"))
  return function endTrace() {
    const { method } = c.req
    const route = routePath(c, -1)
    span.set({
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": c.res.status,
      "mailverdict.request_id": c.get("requestId"),
    })
    span.end(c.res.status >= 500 ? "error" : "ok", `${method} ${route}`)
  }
}
