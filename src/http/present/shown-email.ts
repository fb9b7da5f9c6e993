import type { ParsedAddress } from "../../domain/address/parse.ts"

/** Longest input echoed back when it is no address. */
const MAX_ECHO = 320

/** The normalized address; a malformed one as it was given, cut short. */
export function shownEmail(address: ParsedAddress): string {
  return address.ok ? address.normalized : address.input.slice(0, MAX_ECHO).toWellFormed()
}
