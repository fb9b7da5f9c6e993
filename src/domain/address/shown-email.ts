import type { ParsedAddress } from "./parse.ts"

/** More than any address has. */
const LONGEST = 320

/** The normalized address; a malformed one as it was given, cut short. */
export function shownEmail(address: ParsedAddress): string {
  return address.ok ? address.normalized : shownText(address.input)
}

/** Any text somebody takes for an address, as far as it is kept and told. */
export function shownText(given: string): string {
  return given.slice(0, LONGEST).toWellFormed()
}
