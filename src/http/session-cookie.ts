import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"

/** `__Host-` makes the browser refuse this cookie unless it is secure, for the whole path and from this host alone. */
const NAME = "__Host-sid"

/** Sites of `Sec-Fetch-Site` that may use the cookie: our own pages, and the user in the browser's address bar. */
const TRUSTED_SITES: readonly string[] = ["same-origin", "none"]

export interface SessionCookie {
  /** Undefined when there is no cookie, or when this request may not use it. */
  readonly token: string | undefined
  /** The browser sent the cookie with a request of another site or origin. */
  readonly isIgnored: boolean
}

/**
 * Reads the session token of a browser. Pages of other sites or origins can cause requests that carry our cookie. For
 * such a request, with any method, the cookie is ignored. `Sec-Fetch-Site` states the origin, and no page can set it.
 * Without the header the cookie counts: `SameSite` and the check of `Origin` protect a browser that does not send it.
 */
export function readSessionCookie(c: Context): SessionCookie {
  const token = getCookie(c, NAME)
  const site = c.req.header("sec-fetch-site")
  if (token === undefined || site === undefined || TRUSTED_SITES.includes(site)) return { token, isIgnored: false }
  return { token: undefined, isIgnored: true }
}

/**
 * Sets the session cookie. Links of other sites to the console work under `SameSite=Strict`: the page itself
 * needs no cookie, and its own calls carry it.
 * @param expiresAt Unix milliseconds
 */
export function setSessionCookie(c: Context, { token, expiresAt }: { token: string; expiresAt: number }): void {
  const expires = new Date(expiresAt)
  setCookie(c, NAME, token, { path: "/", secure: true, httpOnly: true, sameSite: "Strict", expires })
  c.header("cache-control", "no-store")
}

/** Makes the browser drop the session. */
export function clearSessionCookie(c: Context): void {
  deleteCookie(c, NAME, { path: "/", secure: true })
}
