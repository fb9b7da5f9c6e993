/** For data responses: no scripts, frames or sniffing, and no referrer, because a query may hold a key. */
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

/** For the console, which has its styles in a file and shows only its own images. */
export const CONSOLE_POLICY = PAGE_POLICY.replace(" 'unsafe-inline'", "").replace(" data:", "")

/**
 * Adds the headers of every response. A page sets its own policy before. Strict-Transport-Security needs TLS (RFC 6797
 * section 7.2). @param url of the request
 */
export function addSecurityHeaders(headers: Headers, url: string): void {
  const isPage = headers.has("content-security-policy")
  if (url.startsWith("https:")) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains")
  for (const [name, value] of DATA) if (!isPage || name !== "content-security-policy") headers.set(name, value)
}
