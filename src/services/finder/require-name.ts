import { spellingsOf } from "../../domain/names/name-variants.ts"
import { type PersonName, readName } from "../../domain/names/person-name.ts"
import { AppError } from "../../errors.ts"

export interface GivenName {
  readonly firstName: string
  readonly lastName: string
  /** Where the caller put them. */
  readonly place: "query" | "body"
}

/** A person's name from the caller. @throws AppError invalid naming the half without a letter */
export function requireName({ firstName, lastName, place }: GivenName): PersonName {
  const withoutLetters = (field: string) => {
    const fields = [{ loc: [place, field], msg: "must have at least one letter of a name", type: "custom" }]
    return new AppError("invalid", `${field} has no letter`, { fields })
  }
  const { given, name } = readName(firstName, lastName)
  if (!given) throw withoutLetters("first_name")
  if (!name) throw withoutLetters("last_name")
  const [spelling] = spellingsOf(name, { spellsUmlautsOut: false })
  if (!spelling || spelling.first.length === 0) throw withoutLetters("first_name")
  if (spelling.last.length === 0) throw withoutLetters("last_name")
  return name
}
