import ipaddr from "ipaddr.js"
import { parseAddress, parseDomain, type ValidAddress } from "../domain/address/parse.ts"
import { explainProblem } from "../domain/address/typo-suggestion.ts"
import { AppError } from "../errors.ts"

/** Parses an address that must be well-formed. @throws AppError bad_request with the reason and a suggestion */
export function wellFormed(email: string, field = "email"): ValidAddress {
  const address = parseAddress(email)
  if (address.ok) return address
  throw new AppError("bad_request", `${field}: ${explainProblem(address)}`)
}

/**
 * Parses a domain or host where a call changes or returns all of its data. Refuses an address or a URL: a caller that
 * erases one address by mistake here would erase the whole domain. @throws AppError bad_request naming the field
 */
export function wellFormedDomain(text: string, field = "domain"): string {
  const parsed = parseDomain(text.trim())
  if (!parsed.ok) throw new AppError("bad_request", `${field}: ${parsed.message}`)
  return parsed.domain
}

/** Parses a host: an IPv4 address, or a domain name. @throws AppError bad_request naming the field */
export function wellFormedHost(text: string, field: string): string {
  const host = text.trim()
  if (ipaddr.IPv6.isValid(host))
    throw new AppError("bad_request", `${field}: blocklists are asked about IPv4 addresses only`)
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? host : wellFormedDomain(host, field)
}
