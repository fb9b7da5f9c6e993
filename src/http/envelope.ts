import type { Context, MiddlewareHandler } from "hono"
import type { Deps } from "../deps.ts"
import { answerPreflight, shareAcrossOrigins } from "./cross-origin.ts"
import { drainRefused } from "./drain-refused.ts"
import type { AppEnv } from "./endpoint.ts"
import { requestIdOf } from "./request-id.ts"
import { logRequest } from "./request-log.ts"
import { addSecurityHeaders } from "./security-headers.ts"
import { beginTrace } from "./trace.ts"

/**
 * What lies around every call, known path or not: its name, its adapters, trace and log line, and the headers of every
 * answer. One layer rather than six: each costs the edge more than parsing an address does.
 */
export function envelope(makeDeps: (c: Context<AppEnv>) => Deps): MiddlewareHandler<AppEnv> {
  return async function envelope(c, next) {
    const { headers: asked, url } = c.req.raw
    const requestId = requestIdOf(asked)
    c.set("requestId", requestId)
    const deps = makeDeps(c)
    c.set("deps", deps)
    const endTrace = beginTrace(c)
    const startedAt = deps.clock.now()
    if (c.req.method === "OPTIONS") c.res = await answerPreflight(c)
    else await next()
    const { headers, status } = c.res
    shareAcrossOrigins(asked, headers)
    addSecurityHeaders(headers, url)
    headers.set("x-request-id", requestId)
    if (status >= 400) await drainRefused(c)
    logRequest(c, startedAt)
    endTrace?.()
  }
}
