import { RESERVED_TOP_LEVEL } from "../address/reserved-name.ts"
import { activeLists } from "./active-lists.ts"
import type { Lists } from "./built-in.ts"

/**
 * Whether a top-level domain is in the DNS root, by the active list. Null for a reserved name such as "test", which
 * exists only inside a network. The list can be old, so DNS decides whether a domain exists.
 * @param tld A-label, lower case
 */
export function topLevelExists(tld: string, { topLevel }: Pick<Lists, "topLevel"> = activeLists()): boolean | null {
  return RESERVED_TOP_LEVEL.has(tld) ? null : topLevel.has(tld)
}
