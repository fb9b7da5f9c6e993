import { BUILT_IN, type Lists } from "./built-in.ts"

/** Shared by all callers, because newer lists replace the built-in reference data for the whole process. */
let current: Lists = BUILT_IN

/** Returns the lists that classify addresses now: the built-in lists until `putInForce` replaces them. */
export function activeLists(): Lists {
  return current
}

export function setActiveLists(lists: Lists): void {
  current = lists
}
