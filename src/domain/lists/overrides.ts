import type { ListClass, OverrideOrigin, RefreshedList } from "../../../schema/vocabulary.ts"
import { BUILT_IN, type Lists, unionOf } from "./built-in.ts"

/** A class of a domain beyond the built-in lists. */
export interface Override {
  readonly domain: string
  readonly origin: OverrideOrigin
  /** `top_level` only of a fetched name. */
  readonly class: ListClass | RefreshedList
}

/**
 * Returns the built-in lists with the overrides. The operator's class overrides every list.
 * A fetched name only extends its list: built-in relays, allowed domains and free providers override it.
 */
export function listsWith(overrides: Iterable<Override>): Lists {
  const own = new Map<string, ListClass>()
  const disposable = new Set<string>()
  const free = new Set<string>()
  const topLevel = new Set<string>()
  for (const { domain, origin, class: listClass } of overrides) {
    if (listClass === "top_level") topLevel.add(domain)
    else if (origin === "operator") own.set(domain, listClass)
    else if (listClass === "disposable") disposable.add(domain)
    else if (listClass === "free") free.add(domain)
  }
  return {
    ...BUILT_IN,
    overrides: own,
    disposable: unionOf(BUILT_IN.disposable, disposable),
    free: unionOf(BUILT_IN.free, free),
    topLevel: unionOf(BUILT_IN.topLevel, topLevel),
  }
}
