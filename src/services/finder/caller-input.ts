import { readCompanyDomain } from "../../domain/finder/company-domain.ts"
import { spellingsOf } from "../../domain/finder/name-variants.ts"
import { type PersonName, readName } from "../../domain/finder/person-name.ts"
import { AppError, invalidField } from "../../errors.ts"

export interface GivenName {
  readonly firstName: string
  readonly lastName: string
}

/** Parses a person's name from the caller. @throws AppError invalid naming the field without a letter */
export function requireName({ firstName, lastName }: GivenName): PersonName {
  const withoutLetters = (field: string) => invalidField([field], "must have at least one letter of a name", "custom")
  const { given, name } = readName(firstName, lastName)
  if (!given) throw withoutLetters("first_name")
  if (!name) throw withoutLetters("last_name")
  const [spelling] = spellingsOf(name, { spellsUmlautsOut: false })
  if (!spelling || spelling.first.length === 0) throw withoutLetters("first_name")
  if (spelling.last.length === 0) throw withoutLetters("last_name")
  return name
}

/** Parses a company's domain from the caller. @throws AppError bad_request */
export function requireDomain(input: string): string {
  const parsed = readCompanyDomain(input)
  if (!parsed.ok) throw new AppError("bad_request", `domain: ${parsed.message}`)
  if (!parsed.domain.includes(".")) throw new AppError("bad_request", "domain: not a full domain name")
  return parsed.domain
}
