import type { ListClass, OverrideOrigin } from "../../../schema/vocabulary.ts"
import { BUILT_IN, type Lists, unionOf } from "./built-in.ts"

/** A class of a domain beyond the built-in lists. */
export interface Override {
  readonly domain: string
  readonly origin: OverrideOrigin
  readonly class: ListClass
}

/**
 * Returns the built-in lists with the overrides. The operator's class overrides every list.
 * A fetched name only extends its list: built-in relays, allowed domains and free providers override it.
 */
export function listsWith(overrides: Iterable<Override>): Lists {
  const own = new Map<string, ListClass>()
  const disposable = new Set<string>()
  const free = new Set<string>()
  for (const { domain, origin, class: listClass } of overrides) {
    if (origin === "operator") own.set(domain, listClass)
    else if (listClass === "disposable") disposable.add(domain)
    else if (listClass === "free") free.add(domain)
  }
  return {
    ...BUILT_IN,
    overrides: own,
    disposable: unionOf(BUILT_IN.disposable, disposable),
    free: unionOf(BUILT_IN.free, free),
  }
}
