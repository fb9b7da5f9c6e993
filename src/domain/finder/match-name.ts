import { spellingsOf } from "../names/name-variants.ts"
import type { PersonName } from "../names/person-name.ts"
import { FORMATS, type Format, render } from "./formats.ts"

/** Returns the format that makes the local part from the name, or null. Ignores tags and trailing numbers. */
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
