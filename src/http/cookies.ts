import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { type Browser, browserText, readBrowser } from "../domain/accounts/credentials.ts"
import type { AppEnv } from "./endpoint.ts"

/** `__Host-` makes the browser refuse this cookie unless it is secure, for the whole path and from this host alone. */
const SESSION_NAME = "__Host-sid"

/** Sites of `Sec-Fetch-Site` that may use the cookie: our own pages, and the user in the browser's address bar. */
const TRUSTED_SITES: readonly string[] = ["same-origin", "none"]

/** What sent a request: a page of this service, a page of another origin, or a program, which states no origin. */
type Sender = "own-page" | "other-page" | "program"

/**
 * Reads what a browser states about the sender. No page can forge it. A browser without `Sec-Fetch-Site` sends `Origin`
 * with each POST.
 */
function senderOf(c: Context<AppEnv>): Sender {
  const site = c.req.header("sec-fetch-site")
  if (site !== undefined) return TRUSTED_SITES.includes(site) ? "own-page" : "other-page"
  const origin = c.req.header("origin")
  if (origin === undefined) return "program"
  return isOwnOrigin(c, origin) ? "own-page" : "other-page"
}

/** Our origins are that of the request's URL, and the base URL in case a proxy hides it. */
export function isOwnOrigin(c: Context<AppEnv>, origin: string): boolean {
  return [c.req.url, c.get("ctx").config.baseUrl].some((url) => new URL(url).origin === origin)
}

interface SessionCookie {
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
  const token = getCookie(c, SESSION_NAME)
  const site = c.req.header("sec-fetch-site")
  if (token === undefined || site === undefined || TRUSTED_SITES.includes(site)) return { token, isIgnored: false }
  return { token: undefined, isIgnored: true }
}

/**
 * Sets the session cookie. Links of other sites to the console work under `SameSite=Strict`: the page itself
 * needs no cookie, and its own calls carry it. The answer to a page of another origin has no cookie, so that no page can
 * sign its visitor in to an account of its choice.
 * @param expiresAt Unix milliseconds
 */
export function setSessionCookie(c: Context<AppEnv>, { token, expiresAt }: { token: string; expiresAt: number }): void {
  c.header("cache-control", "no-store")
  if (senderOf(c) === "other-page") return
  const expires = new Date(expiresAt)
  setCookie(c, SESSION_NAME, token, { path: "/", secure: true, httpOnly: true, sameSite: "Strict", expires })
}

/** Makes the browser drop the session. */
export function clearSessionCookie(c: Context): void {
  deleteCookie(c, SESSION_NAME, { path: "/", secure: true })
}

const BROWSER_NAME = "__Host-browser"
/** The longest lifetime that browsers allow a cookie (RFC 6265bis section 5.5). A sign-out leaves the cookie. */
const LIFETIME_SECONDS = 400 * 86_400

/**
 * The browser behind a request of our own pages, new when it has no cookie yet. Null for programs and for pages of other
 * sites: such a page could otherwise request a link for its own mailbox in the name of its visitor's browser.
 */
export function browserOf(c: Context<AppEnv>): Browser | null {
  if (senderOf(c) !== "own-page") return null
  return readBrowser(getCookie(c, BROWSER_NAME) ?? "") ?? { id: c.var.ctx.randomToken(), proofs: [] }
}

/**
 * Makes the browser state itself from now on. Under `SameSite=Strict` a link in a web mail works: it opens the console,
 * whose own calls carry the cookie.
 */
export function setBrowserCookie(c: Context<AppEnv>, browser: Browser): void {
  const maxAge = LIFETIME_SECONDS
  setCookie(c, BROWSER_NAME, browserText(browser), {
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Strict",
    maxAge,
  })
  c.header("cache-control", "no-store")
}
