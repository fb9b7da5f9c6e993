import type { Context, MiddlewareHandler } from "hono"
import type { Context as ServiceContext } from "../context.ts"
import { answerPreflight, shareAcrossOrigins } from "./cross-origin.ts"
import type { AppEnv } from "./endpoint.ts"
import { drainRefused } from "./request-body.ts"
import { requestIdOf } from "./request-id.ts"
import { logRequest } from "./request-log.ts"
import { addSecurityHeaders } from "./security-headers.ts"
import { beginTrace } from "./trace.ts"

/**
 * Middleware for every request, also to unknown paths: request id, adapters, trace, log line and response headers.
 * It is one layer, because each layer costs the edge more than parsing an address does.
 */
export function requestMiddleware(createContext: (c: Context<AppEnv>) => ServiceContext): MiddlewareHandler<AppEnv> {
  return async function handleRequest(c, next) {
    const { headers: asked, url } = c.req.raw
    const requestId = requestIdOf(asked)
    c.set("requestId", requestId)
    const ctx = createContext(c)
    c.set("ctx", ctx)
    const endTrace = beginTrace(c)
    const startedAt = ctx.clock.now()
    try {
      if (c.req.method === "OPTIONS") c.res = await answerPreflight(c)
      else await next()
    } finally {
      const held = c.get("heldBody")
      if (held) ctx.bodyMemory.release(held)
    }
    const { headers, status } = c.res
    shareAcrossOrigins(c)
    addSecurityHeaders(headers, url)
    headers.set("x-request-id", requestId)
    if (status >= 400) await drainRefused(c)
    logRequest(c, startedAt)
    endTrace?.()
  }
}
