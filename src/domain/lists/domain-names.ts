import { getDomain } from "tldts"

/**
 * The names a list is asked for: the domain itself and every parent down to the registrable one, most specific first.
 * A name that is a public suffix, or has none, is asked for as it is.
 * @param domain A-labels, lower case
 */
export function lookupNames(domain: string): readonly string[] {
  const registrable = getDomain(domain)
  if (!registrable || !domain.endsWith(registrable)) return [domain]
  const names = [domain]
  for (let name = domain; name !== registrable; names.push(name)) name = name.slice(name.indexOf(".") + 1)
  return names
}
