import type { ParsedAddress } from "./parse.ts"
import { repairAddress } from "./repair-address.ts"

/** Longer than any valid address. */
const LONGEST = 320

/** Returns the normalized address, or a malformed address as given, truncated. */
export function shownEmail(address: ParsedAddress): string {
  return address.ok ? address.normalized : shownText(address.input)
}

/** Returns a text given as an address as it is stored with a list. Only a text too long to store loses what surrounds it. */
export function storedText(given: string): string {
  return shownText(given.length > LONGEST ? repairAddress(given).text : given)
}

/** Truncates a text given as an address to the length that is stored and shown. */
export function shownText(given: string): string {
  return given.slice(0, LONGEST).toWellFormed()
}
