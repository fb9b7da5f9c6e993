/** For data responses: no scripts, frames or sniffing, and no referrer, because a query may hold a key. */
const DATA: readonly (readonly [string, string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
]

/** For the console: nothing is loaded from other hosts, styles are in files, and images are its own. */
export const CONSOLE_POLICY = [
  "default-src 'self'",
  "img-src 'self'",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

/** For the reference and its document. Scalar and its editor add styles to the page; they load no fonts or frames. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/**
 * Adds the headers of every response. A page sets its own policy before. Strict-Transport-Security needs TLS (RFC 6797
 * section 7.2). @param url of the request
 */
export function addSecurityHeaders(headers: Headers, url: string): void {
  const isPage = headers.has("content-security-policy")
  if (url.startsWith("https:")) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains")
  for (const [name, value] of DATA) if (!isPage || name !== "content-security-policy") headers.set(name, value)
}
