import type { Context } from "hono"
import { routePath } from "hono/route"
import type { AppEnv } from "./endpoint.ts"

/** Starts the request's span, without its path and query. @returns a function that ends it; null without traces */
export function beginTrace(c: Context<AppEnv>): (() => void) | null {
  const { tracer } = c.get("ctx")
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
