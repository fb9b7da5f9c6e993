import type { MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import type { AppEnv } from "./endpoint.ts"

/** Measures the request as a whole, where traces are on: by its route template, never its path or query. */
export function trace(): MiddlewareHandler<AppEnv> {
  return async function trace(c, next) {
    const { tracer } = c.get("deps")
    if (!tracer.isOn) return next()
    const span = tracer.begin("request", c.req.header("traceparent"))
    await next()
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
