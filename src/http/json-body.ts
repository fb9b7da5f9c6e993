import type { MiddlewareHandler } from "hono"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"

/** A JSON endpoint takes JSON: anything else is refused before it is read. */
export function requireJson(): MiddlewareHandler<AppEnv> {
  return async function requireJson(c, next) {
    const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
    if (type !== "application/json" && !/^application\/[\w.-]+\+json$/.test(type))
      throw new AppError("unsupported_media_type", "the request body must be application/json")
    await next()
  }
}
