import type { ParsedAddress } from "../address/parse.ts"
import { classifyAddress } from "../lists/classify.ts"
import type { Evidence, StoredEvidence } from "./evidence.ts"

/** The evidence about an address before any lookup. */
export function noEvidence(address: ParsedAddress): Evidence {
  return { address, lists: classifyAddress(address), domain: null, mailbox: null, probeProblem: null }
}

/** Earlier evidence for the current spelling of the address, by the active lists. */
export function forCurrentSpelling(before: StoredEvidence, address: ParsedAddress): Evidence {
  return { ...before, address, lists: classifyAddress(address) }
}
