import type { Context } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import { type Browser, browserText, readBrowser } from "../domain/accounts/credentials.ts"
import type { AppEnv } from "./endpoint.ts"
import { senderOf } from "./session-cookie.ts"

const NAME = "__Host-browser"
/** The longest lifetime that browsers allow a cookie (RFC 6265bis section 5.5). A sign-out leaves the cookie. */
const LIFETIME_SECONDS = 400 * 86_400

/**
 * The browser behind a request of our own pages, new when it has no cookie yet. Null for programs and for pages of other
 * sites: such a page could otherwise request a link for its own mailbox in the name of its visitor's browser.
 */
export function browserOf(c: Context<AppEnv>): Browser | null {
  if (senderOf(c) !== "own-page") return null
  return readBrowser(getCookie(c, NAME) ?? "") ?? { id: c.var.ctx.randomToken(), proofs: [] }
}

/**
 * Makes the browser state itself from now on. Under `SameSite=Strict` a link in a web mail works: it opens the console,
 * whose own calls carry the cookie.
 */
export function setBrowserCookie(c: Context<AppEnv>, browser: Browser): void {
  const maxAge = LIFETIME_SECONDS
  setCookie(c, NAME, browserText(browser), { path: "/", secure: true, httpOnly: true, sameSite: "Strict", maxAge })
  c.header("cache-control", "no-store")
}
