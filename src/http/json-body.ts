import type { MiddlewareHandler } from "hono"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"

/** A JSON endpoint takes JSON: anything else is refused before it is read. Of no body at all the validators say what is missing. */
export function requireJson(): MiddlewareHandler<AppEnv> {
  return async function requireJson(c, next) {
    const given = c.req.header("content-type")
    if (given === undefined && (c.req.raw.body === null || c.req.header("content-length") === "0")) return next()
    const type = given?.split(";")[0]?.trim().toLowerCase() ?? ""
    if (type !== "application/json" && !/^application\/[\w.-]+\+json$/.test(type))
      throw new AppError("unsupported_media_type", "the request body must be application/json")
    if (given !== "application/json") c.req.raw = withPlainType(c.req.raw)
    await next()
  }
}

/** Parameters say nothing about JSON (RFC 8259 11), and zod-openapi looks for them in fewer forms than RFC 9110 5.6.6 allows. */
function withPlainType(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set("content-type", "application/json")
  return new Request(request, { headers })
}

/** No body is unpacked here, so one that is packed is said to be that, and not to be malformed (RFC 9110 15.5.16). */
export function refusePacked(): MiddlewareHandler<AppEnv> {
  return async function refusePacked(c, next) {
    const coding = c.req.header("content-encoding")?.trim().toLowerCase() || "identity"
    if (coding !== "identity")
      throw new AppError(
        "unsupported_media_type",
        `send the request body as it is, without Content-Encoding: ${coding}`,
        {
          headers: { "accept-encoding": "identity" },
        },
      )
    await next()
  }
}
