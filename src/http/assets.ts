import type { Context } from "hono"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"
import { PAGE_POLICY } from "./security-headers.ts"

/** Serves a file built into the assets, under our own headers. @param path in the assets; the request's own by default */
export function serveAsset(path?: string) {
  return async function serveAsset(c: Context<AppEnv>): Promise<Response> {
    const asset = await c.env.ASSETS.fetch(new URL(path ?? c.req.path, c.req.url).href)
    if (!asset.ok) throw new AppError("not_found", "there is nothing at this address")
    const type = asset.headers.get("content-type") ?? "application/octet-stream"
    return new Response(asset.body, {
      headers: { "content-type": type, "cache-control": "public, max-age=300", "content-security-policy": PAGE_POLICY },
    })
  }
}
