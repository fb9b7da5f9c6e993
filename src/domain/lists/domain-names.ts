import { getDomain } from "tldts"

/**
 * Returns the names to look up in a list: the domain and every parent up to the registrable domain.
 * The most specific name comes first. A public suffix, or a name without one, is the only result.
 * @param domain A-labels, lower case
 */
export function lookupNames(domain: string): readonly string[] {
  const registrable = getDomain(domain)
  if (!registrable || !domain.endsWith(registrable)) return [domain]
  const names = [domain]
  for (let name = domain; name !== registrable; names.push(name)) name = name.slice(name.indexOf(".") + 1)
  return names
}
