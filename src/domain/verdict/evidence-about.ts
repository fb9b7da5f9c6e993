import type { ParsedAddress } from "../address/parse.ts"
import { classifyAddress } from "../lists/classify.ts"
import type { Evidence } from "./evidence.ts"

/** The evidence about an address before anything has been found out. */
export function noEvidence(address: ParsedAddress): Evidence {
  return { address, lists: classifyAddress(address), domain: null, mailbox: null, probeProblem: null }
}

/** Evidence of before for an address as it is written now, by the lists in force. */
export function renewed(before: Evidence, address: ParsedAddress): Evidence {
  return { ...before, address, lists: classifyAddress(address) }
}
