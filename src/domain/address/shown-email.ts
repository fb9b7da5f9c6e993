import type { ParsedAddress } from "./parse.ts"
import { repairAddress } from "./repair-address.ts"

/** Longer than any valid address. */
const LONGEST = 320

/** Returns the normalized address, or a malformed address as given, truncated. */
export function shownEmail(address: ParsedAddress): string {
  return address.ok ? address.normalized : shownText(address.input)
}

/** The address and domain of a verification as an account's history stores them. A malformed address has no domain. */
export function historyAddress(address: ParsedAddress): { address: string; domain: string } {
  return { address: shownEmail(address), domain: address.ok ? address.domain : "" }
}

/** Returns the form of a given text that a list stores. Only a text too long to store is repaired first. */
export function storedText(given: string): string {
  return shownText(given.length > LONGEST ? repairAddress(given).text : given)
}

/** Truncates a text given as an address to the length that is stored and shown. */
export function shownText(given: string): string {
  return given.slice(0, LONGEST).toWellFormed()
}
