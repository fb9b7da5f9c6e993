/** For answers that are data: nothing in them is to be run, framed or sniffed, and a key in a query travels on to nobody. */
const DATA: readonly (readonly [string, string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
]

/** For our own pages: nothing is loaded from other hosts. */
export const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

/** For the console, which brings its styles in a file and shows no pictures but its own. */
export const CONSOLE_POLICY = PAGE_POLICY.replace(" 'unsafe-inline'", "").replace(" data:", "")

/**
 * Adds what every answer carries; a page has brought its own policy. Strict-Transport-Security goes over TLS only
 * (RFC 6797 section 7.2). @param url of the request
 */
export function addSecurityHeaders(headers: Headers, url: string): void {
  const isPage = headers.has("content-security-policy")
  if (url.startsWith("https:")) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains")
  for (const [name, value] of DATA) if (!isPage || name !== "content-security-policy") headers.set(name, value)
}
