/**
 * Keeps "+" in `email=` a plus sign. Form decoding would turn `a+b@x.com` into `a b@x.com`, and a tag is what people
 * type there; a space, written %20, stays a space and is malformed.
 */
export function keepPlusInEmail(request: Request): Request {
  const { url } = request
  const start = url.indexOf("?")
  if (start < 0 || !url.includes("+", start)) return request
  const query = url
    .slice(start + 1)
    .split("&")
    .map((pair) => (pair.startsWith("email=") ? pair.replaceAll("+", "%2B") : pair))
  return new Request(`${url.slice(0, start)}?${query.join("&")}`, request)
}
