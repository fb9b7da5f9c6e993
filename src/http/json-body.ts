import type { MiddlewareHandler } from "hono"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"

/**
 * Refuses other types than JSON before the body is read. A request without a body goes on to the validators.
 * @param options `acceptsText`: JSON may also have the type `text/plain`
 */
export function requireJson({ acceptsText = false } = {}): MiddlewareHandler<AppEnv> {
  return async function requireJson(c, next) {
    const given = c.req.header("content-type")
    if (given === undefined && (c.req.raw.body === null || c.req.header("content-length") === "0")) return next()
    const type = given?.split(";")[0]?.trim().toLowerCase() ?? ""
    const isText = acceptsText && type === "text/plain"
    if (!isText && type !== "application/json" && !/^application\/[\w.-]+\+json$/.test(type))
      throw new AppError(
        "unsupported_media_type",
        `the request body must be application/json${acceptsText ? " or text/plain" : ""}`,
      )
    if (given !== "application/json") c.req.raw = withPlainType(c.req.raw)
    await next()
  }
}

/** Drops the type's parameters. JSON has none (RFC 8259 11), and zod-openapi parses only some of their forms. */
function withPlainType(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set("content-type", "application/json")
  return new Request(request, { headers })
}

/** Refuses compressed bodies by that reason, instead of as malformed JSON (RFC 9110 15.5.16). */
export function refuseCompressed(): MiddlewareHandler<AppEnv> {
  return async function refuseCompressedBody(c, next) {
    const coding = c.req.header("content-encoding")?.trim().toLowerCase() || "identity"
    if (coding !== "identity") {
      c.header("accept-encoding", "identity")
      throw new AppError(
        "unsupported_media_type",
        `send the request body uncompressed, without Content-Encoding: ${coding}`,
      )
    }
    await next()
  }
}
