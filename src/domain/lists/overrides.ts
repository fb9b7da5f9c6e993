import type { ListClass, OverrideOrigin } from "../../../schema/vocabulary.ts"
import { anyOf, BUILT_IN, type Lists } from "./built-in.ts"

/** What the shipped lists do not say about a domain. */
export interface Override {
  readonly domain: string
  readonly origin: OverrideOrigin
  readonly class: ListClass
}

/**
 * The shipped lists with what has been said since. The operator's word wins over every list; a fetched name is one more
 * name on its list, which a relay, an allowed domain or a free provider of the shipped ones outweighs.
 */
export function listsWith(overrides: Iterable<Override>): Lists {
  const own = new Map<string, ListClass>()
  const disposable = new Set<string>()
  const free = new Set<string>()
  for (const { domain, origin, class: said } of overrides) {
    if (origin === "operator") own.set(domain, said)
    else if (said === "disposable") disposable.add(domain)
    else if (said === "free") free.add(domain)
  }
  return {
    ...BUILT_IN,
    overrides: own,
    disposable: anyOf(BUILT_IN.disposable, disposable),
    free: anyOf(BUILT_IN.free, free),
  }
}
