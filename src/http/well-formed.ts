import { parseAddress, parseDomain, type ValidAddress } from "../domain/address/parse.ts"
import { AppError } from "../errors.ts"

/** An address where only a real one makes sense. @throws AppError bad_request, with what is wrong with it */
export function wellFormed(email: string): ValidAddress {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `this is not an address: ${address.message}`)
  return address
}

/**
 * A domain or host as it is meant, where all it has is changed or told: an address or a URL is not read as the domain in it, or
 * whoever wants one address erased and names it here would erase everybody's. @throws AppError bad_request naming the field
 */
export function wellFormedDomain(text: string, field = "domain"): string {
  const parsed = parseDomain(text.trim())
  if (!parsed.ok) throw new AppError("bad_request", `${field}: ${parsed.message}`)
  return parsed.domain
}
