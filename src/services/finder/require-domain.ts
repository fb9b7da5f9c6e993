import { readCompanyDomain } from "../../domain/finder/company-domain.ts"
import { AppError } from "../../errors.ts"

/** Parses a company's domain from the caller. @throws AppError bad_request */
export function requireDomain(input: string): string {
  const parsed = readCompanyDomain(input)
  if (!parsed.ok) throw new AppError("bad_request", `domain: ${parsed.message}`)
  if (!parsed.domain.includes(".")) throw new AppError("bad_request", "domain: not a full domain name")
  return parsed.domain
}
