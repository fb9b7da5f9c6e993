import { readCompanyDomain } from "../../domain/finder/company-domain.ts"
import { AppError } from "../../errors.ts"

/** A domain from the caller. @throws AppError bad_request naming the field */
export function requireDomain(input: string, field = "domain"): string {
  const parsed = readCompanyDomain(input)
  if (!parsed.ok) throw new AppError("bad_request", `${field}: ${parsed.message}`)
  if (!parsed.domain.includes(".")) throw new AppError("bad_request", `${field}: is not a whole domain name`)
  return parsed.domain
}
