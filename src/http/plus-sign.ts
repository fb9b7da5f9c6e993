/**
 * Preserves "+" in `email=`. Form decoding would turn the tag in `a+b@x.com` into a space. A space written as %20
 * stays a space: around the address it is repaired, inside it is malformed.
 */
export function preservePlusInEmail(request: Request): Request {
  const { url } = request
  const start = url.indexOf("?")
  if (start < 0 || !url.includes("+", start)) return request
  const query = url
    .slice(start + 1)
    .split("&")
    .map((pair) => (pair.startsWith("email=") ? pair.replaceAll("+", "%2B") : pair))
  return new Request(`${url.slice(0, start)}?${query.join("&")}`, request)
}
