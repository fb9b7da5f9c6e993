import type { NameSpelling } from "../names/name-variants.ts"

/**
 * The formats of personal local parts, in the usual notation. `{f}`, `{m}` and `{l}` are initials. A number limits the
 * length: `{first3}` is the first three letters. The most common format over all companies comes first.
 */
export const FORMATS = [
  "{first}.{last}",
  "{f}{last}",
  "{first}",
  "{first}{last}",
  "{first}{l}",
  "{f}.{last}",
  "{first}_{last}",
  "{last}",
  "{first}-{last}",
  "{last}.{first}",
  "{last}{f}",
  "{first}.{l}",
  "{last}{first}",
  "{f}_{last}",
  "{f}-{last}",
  "{last}.{f}",
  "{f}{l}",
  "{l}{first}",
  "{last}_{first}",
  "{last}-{first}",
  "{first}_{l}",
  "{first}-{l}",
  "{last}_{f}",
  "{last}-{f}",
  "{l}.{first}",
  "{l}{f}",
  "{f}.{l}",
  "{first}.{m}.{last}",
  "{f}{m}{last}",
  "{f}.{m}.{last}",
  "{first}{m}{last}",
  "{f}{m}{l}",
  "{first3}{last3}",
  "{f}{last7}",
  "{last7}{f}",
] as const
export type Format = (typeof FORMATS)[number]

/** A local part made from a name by a format, and its share of the name's spellings. */
export interface Rendered {
  readonly local: string
  readonly share: number
  /** The spellings of the names in it. */
  readonly first: string
  readonly last: string
  readonly middle: string
}

/** A part of a format: a name, or its first letters. */
interface Field {
  readonly name: "first" | "last" | "middle"
  /** Number of letters, 0 for the whole name. */
  readonly letters: number
}

const NAME_OF = { f: "first", first: "first", l: "last", last: "last", m: "middle" } as const

const FIELD = /\{(first|last|f|l|m)(\d?)\}/g
const MAX_LOCAL = 64

/** Returns the parts of a format, in their order. */
export function fieldsOf(format: Format): Field[] {
  return [...format.matchAll(FIELD)].map(([, field = "", length = ""]) => ({
    name: NAME_OF[field as keyof typeof NAME_OF],
    letters: field.length === 1 ? 1 : Number(length),
  }))
}

/** Returns the local parts for a name, the most likely first. Empty when the name lacks a part of the format. */
export function render(format: Format, spellings: readonly NameSpelling[]): Rendered[] {
  const made = new Map<string, Rendered>()
  for (const spelling of spellings)
    for (const rendered of renderSpelling(format, spelling)) {
      const before = made.get(rendered.local)
      made.set(rendered.local, before ? { ...before, share: before.share + rendered.share } : rendered)
    }
  return [...made.values()].toSorted((a, b) => b.share - a.share)
}

function renderSpelling(format: Format, { first, last, middle, share }: NameSpelling): Rendered[] {
  if (format.includes("{m}") && middle === "") return []
  // A part that the format omits does not split the share.
  const firsts = format.includes("{f") ? first : [{ text: first[0]!.text, share: 1 }]
  const lasts = format.includes("{l") ? last : [{ text: last[0]!.text, share: 1 }]
  return firsts.flatMap((given) =>
    lasts.flatMap((family) => {
      const local = fill(format, { first: given.text, last: family.text, m: middle })
      const rendered = {
        local,
        share: share * given.share * family.share,
        first: given.text,
        last: family.text,
        middle,
      }
      return isLocalPart(local) ? [rendered] : []
    }),
  )
}

function fill(format: Format, parts: { first: string; last: string; m: string }): string {
  return format.replace(FIELD, (_, field: string, length: string) => {
    if (field === "f") return parts.first.slice(0, 1)
    if (field === "l") return parts.last.slice(0, 1)
    if (field === "m") return parts.m.slice(0, 1)
    const text = field === "first" ? parts.first : parts.last
    return length === "" ? text : text.replace(/[^a-z]/g, "").slice(0, Number(length))
  })
}

/** Whether the text is a local part of words with single separators. */
function isLocalPart(text: string): boolean {
  return text.length <= MAX_LOCAL && /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(text)
}
