import type { ParsedAddress } from "./parse.ts"

/** Longer than any valid address. */
const LONGEST = 320

/** Returns the normalized address, or a malformed address as given, truncated. */
export function shownEmail(address: ParsedAddress): string {
  return address.ok ? address.normalized : shownText(address.input)
}

/** Truncates a text given as an address to the length that is stored and shown. */
export function shownText(given: string): string {
  return given.slice(0, LONGEST).toWellFormed()
}
