import type { Context, MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import type { Context as ServiceContext } from "../context.ts"
import { countsOf } from "../domain/admin/metrics.ts"
import type { AppEnv } from "./endpoint.ts"
import { drainRefused } from "./request-body.ts"
import { addSecurityHeaders, answerPreflight, helpLink, shareAcrossOrigins } from "./response-headers.ts"

/**
 * Middleware for every request, also to unknown paths: request id, adapters, trace, log line and response headers.
 * It is one layer, because each layer costs the edge more than parsing an address does.
 */
export function requestMiddleware(createContext: (c: Context<AppEnv>) => ServiceContext): MiddlewareHandler<AppEnv> {
  return async function handleRequest(c, next) {
    const { headers: given, url } = c.req.raw
    const requestId = requestIdOf(given)
    c.set("requestId", requestId)
    const ctx = createContext(c)
    c.set("ctx", ctx)
    const endTrace = beginTrace(c)
    const startedAt = ctx.clock.now()
    try {
      if (c.req.method === "OPTIONS") c.res = await answerPreflight(c)
      else await next()
    } finally {
      const stored = c.get("storedBody")
      if (stored) ctx.bodyMemory.release(stored)
    }
    const { headers, status } = c.res
    shareAcrossOrigins(c)
    addSecurityHeaders(headers, url)
    headers.set("x-request-id", requestId)
    if (status >= 400) {
      if (!headers.has("link")) headers.set("link", helpLink())
      await drainRefused(c)
    }
    logRequest(c, startedAt)
    endTrace?.()
  }
}

const GIVEN = /^[\w-]{8,64}$/

/** The id in every response and log line: the caller's X-Request-Id if it is safe, else a new one. */
function requestIdOf(headers: Headers): string {
  const given = headers.get("x-request-id")
  return given !== null && GIVEN.test(given) ? given : crypto.randomUUID()
}

/** Counts and logs a request by its route template, because its path and query may hold addresses and keys. */
function logRequest(c: Context<AppEnv>, startedAt: number): void {
  const { clock, log, requestCounters } = c.get("ctx")
  const { logLevel } = c.get("ctx").config
  const { status } = c.res
  const answered = { method: c.req.method, route: routePath(c, -1), status, ms: clock.now() - startedAt }
  for (const [name, by] of countsOf(answered)) requestCounters.count(name, by)
  if (logLevel === "warn" && status < 500) return
  log("request", answered)
}

/** Starts the request's span, without its path and query. @returns a function that ends it; null without traces */
function beginTrace(c: Context<AppEnv>): (() => void) | null {
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

/**
 * Query parameters that may hold an address or a part of one. In a time, "+" begins the offset. In all others, such as
 * names of people and files, "+" is a space, as HTML forms encode it.
 */
export const KEEPS_PLUS: ReadonlySet<string> = new Set(["confirm", "email", "from", "search", "to"])

/**
 * Preserves "+" in these parameters. Form decoding would turn the tag in `a+b@x.com` into a space. A space written as
 * %20 stays a space: around the address it is repaired, inside it is malformed.
 */
export function preservePlus(request: Request): Request {
  const { url } = request
  const start = url.indexOf("?")
  if (start < 0 || !url.includes("+", start)) return request
  const query = url
    .slice(start + 1)
    .split("&")
    .map((pair) => (KEEPS_PLUS.has(nameOf(pair)) ? pair.replaceAll("+", "%2B") : pair))
  return new Request(`${url.slice(0, start)}?${query.join("&")}`, request)
}

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? ""
}
