/**
 * Keeps "+" in `email=` a plus sign. Form decoding would turn `a+b@x.com` into `a b@x.com`, and a tag is what people
 * type there; a space, written %20, stays a space and is malformed.
 */
export function keepPlusInEmail(request: Request): Request {
  const start = request.url.indexOf("?")
  if (start < 0 || !request.url.includes("+", start)) return request
  const query = request.url
    .slice(start + 1)
    .split("&")
    .map((pair) => (pair.startsWith("email=") ? pair.replaceAll("+", "%2B") : pair))
  return new Request(`${request.url.slice(0, start)}?${query.join("&")}`, request)
}
