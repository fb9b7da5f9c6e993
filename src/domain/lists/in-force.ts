import { BUILT_IN, type Lists } from "./built-in.ts"

/** Reference data like the shipped lists, only newer; whoever classifies sees the same ones. */
let inForce: Lists = BUILT_IN

/** The lists by which addresses are classified now: the shipped ones, until newer ones are put in force. */
export function listsInForce(): Lists {
  return inForce
}

export function putInForce(lists: Lists): void {
  inForce = lists
}
