import { toBase64Url } from "../accounts/crypto.ts"
import { OAuthError } from "./grants.ts"

/** A program that registered itself (RFC 7591). Everything in it is its own claim. */
export interface Registration {
  readonly name: string
  readonly redirectUris: readonly string[]
}

const MAX_REDIRECT_URIS = 10
/** The id of a client holds its registration, and is part of URLs. */
const MAX_REGISTRATION = 1_500
const MAX_NAME = 60
const UNNAMED = "an unnamed program"

/** Schemes of programs without a period in them. RFC 8252 7.1 requires one, and browsers run no such scheme. */
const KNOWN_SCHEMES: readonly string[] = ["cursor:", "vscode:", "vscode-insiders:"]
const LOOPBACK_HOSTS: readonly string[] = ["127.0.0.1", "[::1]", "localhost"]

const isLoopback = (url: URL): boolean => url.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname)

/** Whether a program may receive codes there: by TLS, on its own machine, or through a scheme that it owns. */
export function isRedirectUri(uri: string): boolean {
  const url = URL.parse(uri)
  if (!url || /[\s\\#]/.test(uri) || url.username !== "" || url.password !== "") return false
  if (url.protocol === "https:" || isLoopback(url)) return true
  return KNOWN_SCHEMES.includes(url.protocol) || /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol)
}

/** Whether a redirect URI is a registered one: the same text. On loopback only the port may differ (RFC 8252 7.3). */
export function matchesRedirectUri(given: string, registered: string): boolean {
  if (given === registered) return true
  const [one, other] = [URL.parse(given), URL.parse(registered)]
  if (!one || !other || !isLoopback(one) || !isLoopback(other) || !isRedirectUri(given)) return false
  one.port = ""
  other.port = ""
  return one.href === other.href
}

/** Where a code goes, for a person. Only a host is shown bare: the scheme `claude.ai:` belongs to any program. */
export function shownRedirect(uri: string): string {
  const url = new URL(uri)
  if (url.protocol === "https:") return url.host
  return `a program on this device (${isLoopback(url) ? url.host : url.protocol})`
}

/** A name that a stranger chose, in one line. Invisible and reversing characters could make it look like another. */
export function shownName(given: string | undefined): string {
  const line = (given ?? "").replace(/[\p{C}\p{Z}]+/gu, " ").trim()
  return [...line].slice(0, MAX_NAME).join("").trim() || UNNAMED
}

/** Checks a registration. @throws OAuthError invalid_redirect_uri or invalid_client_metadata */
export function readRegistration(given: {
  readonly name: string | undefined
  readonly redirectUris: readonly string[]
}): Registration {
  const redirectUris = [...new Set(given.redirectUris)]
  const name = shownName(given.name)
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECT_URIS)
    throw new OAuthError("invalid_redirect_uri", `redirect_uris: must have 1 to ${MAX_REDIRECT_URIS} entries`)
  const wrong = redirectUris.find((uri) => !isRedirectUri(uri))
  if (wrong !== undefined)
    throw new OAuthError(
      "invalid_redirect_uri",
      "redirect_uris: each must be https, http on a loopback address, or of a scheme with a period, without a fragment",
    )
  if (packed({ name, redirectUris }).length > MAX_REGISTRATION)
    throw new OAuthError("invalid_client_metadata", "redirect_uris: these are too long")
  return { name, redirectUris }
}

/** The registration as a part of the client's id. */
export function packed({ name, redirectUris }: Registration): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify([name, ...redirectUris])))
}

/** Only for a text whose signature is valid. */
export function unpacked(text: string): Registration {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
  const [name = "", ...redirectUris] = JSON.parse(new TextDecoder().decode(bytes)) as string[]
  return { name, redirectUris }
}
