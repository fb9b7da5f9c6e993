import { spellingsOf } from "../names/name-variants.ts"
import type { PersonName } from "../names/person-name.ts"
import { FORMATS, type Format, render } from "./formats.ts"

/** The format by which a person's name makes a local part; null when none does. Tags and a number at the end do not count. */
export function matchName(localPart: string, name: PersonName): { format: Format; share: number } | null {
  const local = localPart
    .toLowerCase()
    .split("+")[0]!
    .replace(/(?<=[a-z])\d{1,4}$/, "")
  const spellings = spellingsOf(name, { spellsUmlautsOut: false })
  const matches = FORMATS.flatMap((format) => {
    const share = render(format, spellings).find((rendered) => rendered.local === local)?.share
    return share === undefined ? [] : [{ format, share }]
  })
  return matches[0] ?? null
}
