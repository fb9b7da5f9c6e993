import type { MiddlewareHandler } from "hono"
import type { AppEnv } from "./endpoint.ts"

/** Sees to it that addresses are classified by lists that are at most a minute old; hardly ever waits for it. */
export function currentLists(): MiddlewareHandler<AppEnv> {
  return async function currentLists(c, next) {
    const looking = c.get("deps").currentLists.keep()
    if (looking) await looking
    await next()
  }
}
