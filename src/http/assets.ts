import type { Context } from "hono"
import { accepts } from "hono/accepts"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"
import { ANY_ORIGIN, CONSOLE_POLICY, REFERENCE_POLICY } from "./response-headers.ts"

/** Cuts the tie to the site that opened the window, which could change the part after the `#` without a load. */
const OPENER_POLICY = { "cross-origin-opener-policy": "same-origin" } as const

/** Files with a hash of their content in their names. */
const HASHED = /^\/(console\/assets|docs\/chunks)\//

/** Serves a built asset under our own headers. @param path in the assets; by default the path of the request */
export function serveAsset(path?: string) {
  return async function serveAsset(c: Context<AppEnv>): Promise<Response> {
    return serve(c, {
      path: path ?? c.req.path,
      policy: c.req.path.startsWith("/console/") ? CONSOLE_POLICY : REFERENCE_POLICY,
      cache: cacheOf(c.req.path),
    })
  }
}

const HTML = "text/html"
const MARKDOWN = "text/markdown"

/** Serves a page of the documentation, and its form in Markdown to a client that prefers it. Both are paths in the assets. */
export function serveDocs(page: string, markdown: string) {
  return async function serveDocs(c: Context<AppEnv>): Promise<Response> {
    const type = accepts(c, { header: "Accept", supports: [HTML, MARKDOWN], default: HTML })
    const answer = await serveAsset(type === MARKDOWN ? markdown : page)(c)
    answer.headers.append("vary", "Accept")
    return answer
  }
}

function cacheOf(path: string): string {
  if (HASHED.test(path)) return "public, max-age=31536000, immutable"
  // The script of other sites' forms, which load it with each page. The other files name hashed ones: browsers revalidate.
  return path === "/form.js" ? "public, max-age=300" : "no-cache"
}

async function serve(c: Context<AppEnv>, { path, policy, cache }: Record<"path" | "policy" | "cache", string>) {
  const known = c.req.header("if-none-match")
  const init = { headers: known === undefined ? {} : { "if-none-match": known } }
  const asset = await c.env.ASSETS.fetch(new Request(new URL(path, c.req.url), init))
  if (!asset.ok && asset.status !== 304) throw new AppError("not_found", "no page at this path")
  const headers = new Headers({
    ...ANY_ORIGIN,
    ...OPENER_POLICY,
    "cache-control": cache,
    "content-security-policy": policy,
  })
  for (const name of ["content-type", "etag"]) {
    const value = asset.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  // The platform's type of a file may lack its encoding.
  if (/\.(md|txt)$/.test(path)) headers.set("content-type", `${MARKDOWN}; charset=utf-8`)
  return new Response(asset.body, { status: asset.status, headers })
}
