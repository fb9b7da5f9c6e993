import type { Context, MiddlewareHandler } from "hono"
import type { AccessWord } from "../../schema/vocabulary.ts"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"

/** One answer for a missing, malformed, unknown and revoked key, so that none can be told from another. */
const REFUSED = "the API key is invalid or revoked"

/** The guard an endpoint's access word stands for. Runs before the validators: strangers learn nothing about fields. */
export function guard(access: AccessWord): MiddlewareHandler<AppEnv> {
  return async function guardAccess(c, next) {
    if (access !== "public" && (access !== "key-optional" || presentsKey(c)))
      throw new AppError("unauthorized", REFUSED)
    await next()
  }
}

function presentsKey(c: Context): boolean {
  return c.req.header("x-api-key") !== undefined || c.req.query("api_key") !== undefined
}
