/**
 * Query parameters that may hold an address or a part of one. In a time, "+" begins the offset. In all others, such as
 * names of people and files, "+" is a space, as HTML forms encode it.
 */
export const KEEPS_PLUS: ReadonlySet<string> = new Set(["confirm", "email", "from", "search", "to"])

/**
 * Preserves "+" in these parameters. Form decoding would turn the tag in `a+b@x.com` into a space. A space written as
 * %20 stays a space: around the address it is repaired, inside it is malformed.
 */
export function preservePlus(request: Request): Request {
  const { url } = request
  const start = url.indexOf("?")
  if (start < 0 || !url.includes("+", start)) return request
  const query = url
    .slice(start + 1)
    .split("&")
    .map((pair) => (KEEPS_PLUS.has(nameOf(pair)) ? pair.replaceAll("+", "%2B") : pair))
  return new Request(`${url.slice(0, start)}?${query.join("&")}`, request)
}

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? ""
}
