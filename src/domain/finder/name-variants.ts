import type { FamilyName, PersonName } from "./person-name.ts"
import { romanize } from "./romanize.ts"
import { customarySpellings } from "./spelling-tables.ts"

/**
 * A person's name in a consistent convention ("ue" for every "ü", or for none). Its forms are lower-case ASCII letters,
 * also with hyphens and dots inside.
 */
export interface NameSpelling {
  /** Share of the convention. */
  readonly share: number
  readonly first: readonly Weighted[]
  readonly last: readonly Weighted[]
  /** The first of the other given names, or "". */
  readonly middle: string
}

interface VariantOptions {
  readonly spellsUmlautsOut: boolean
}

const MAX_VARIANTS = 8
/** Share of each further spelling of a word, relative to the one before. */
const SPELLING_RATIO = 0.55
const NICKNAME_SHARE = 0.12

/**
 * Returns the likely spellings of a name.
 * @param spellsUmlautsOut the domain's country mostly has "ue" for "ü"
 */
export function spellingsOf(name: PersonName, { spellsUmlautsOut }: VariantOptions): NameSpelling[] {
  const usual = variantsOf(name, { spellsUmlautsOut: false })
  const spelledOut = variantsOf(name, { spellsUmlautsOut: true })
  if (JSON.stringify(usual) === JSON.stringify(spelledOut)) return [{ ...usual, share: 1 }]
  const share = spellsUmlautsOut ? 0.6 : 0.4
  return [
    { ...usual, share: 1 - share },
    { ...spelledOut, share },
  ]
}

function variantsOf(name: PersonName, options: VariantOptions): Omit<NameSpelling, "share"> {
  const { given, order } = name
  const spellings = given.map((word) => spell(word, "first", options))
  const called = order === "vietnamese" ? spellings.at(-1)! : spellings[0]!
  const joined = product(spellings, "")
  const further = order === "vietnamese" ? spellings.slice(0, -1) : spellings.slice(1)
  const middle = further[0]?.[0]?.text ?? ""
  const several =
    given.length > 1
      ? [
          ...scaled(called, 0.62),
          ...scaled(joined, 0.25),
          ...scaled(product(spellings, "-"), 0.04),
          ...scaled(product(spellings, "."), 0.09),
        ]
      : called
  const first = normalizeShares([...several.flatMap(hyphenated), ...nicknamesOf(called)])
  return { first, last: normalizeShares(familyVariants(name, options)), middle }
}

function familyVariants({ family, order }: PersonName, options: VariantOptions): Weighted[] {
  const single = family.map((name) => oneFamilyName(name, options))
  if (single.length === 1) return single[0]!
  const [ahead, behind] = order === "portuguese" ? [single.at(-1)!, single[0]!] : [single[0]!, single.at(-1)!]
  const all = (separator: string) => product(single, separator)
  return [
    ...scaled(ahead, 0.42),
    ...scaled(all(""), 0.2),
    ...scaled(behind, 0.18),
    ...scaled(all("-"), 0.08),
    ...scaled(all("."), 0.12),
  ]
}

function oneFamilyName({ particles, name }: FamilyName, options: VariantOptions): Weighted[] {
  const bare = spell(name, "last", options).flatMap(hyphenated)
  if (particles.length === 0) return bare
  const words = particles.map((particle) => spell(particle, "last", options).slice(0, 1))
  const whole = (separator: string) => product([...words, bare.slice(0, 3)], separator)
  return [...scaled(whole(""), 0.55), ...scaled(bare, 0.25), ...scaled(whole("."), 0.1), ...scaled(whole("-"), 0.1)]
}

/** Returns the variants of "jean-pierre" without the hyphen, or with only one half. */
function hyphenated({ text, share }: Weighted): Weighted[] {
  const parts = text.split("-").filter((part) => part !== "")
  if (parts.length < 2) return [{ text: parts[0] ?? "", share }]
  return [
    { text: parts.join("-"), share: 0.36 * share },
    { text: parts.join(""), share: 0.34 * share },
    { text: parts[0]!, share: 0.16 * share },
    { text: parts.at(-1)!, share: 0.08 * share },
    { text: parts.join("."), share: 0.06 * share },
  ]
}

/** Returns the spellings of a word. Parts between hyphens are romanized separately. */
function spell(word: string, kind: "first" | "last", { spellsUmlautsOut }: VariantOptions): Weighted[] {
  const parts = word.split("-").map((part) => {
    const spellings = romanize(part, kind)
    const isLatin = /^[\p{Script=Latin}\p{M}-]+$/u.test(part)
    const chosen = isLatin ? spellings.slice(spellsUmlautsOut ? -1 : 0).slice(0, 1) : spellings
    return chosen.map((text, at) => ({ text, share: SPELLING_RATIO ** at }))
  })
  const spelled = parts.filter((part) => part.length > 0)
  return normalizeShares(product(spelled, "-"))
}

function nicknamesOf(names: readonly Weighted[]): Weighted[] {
  return names.flatMap(({ text, share }) => {
    const short = customarySpellings("nicknames", text) ?? []
    return short.map((nickname, at) => ({ text: nickname, share: share * NICKNAME_SHARE * 0.6 ** at }))
  })
}

function scaled(options: readonly Weighted[], by: number): Weighted[] {
  return options.map(({ text, share }) => ({ text, share: share * by }))
}

/** Returns every combination of one option from each list. */
function product(lists: readonly (readonly Weighted[])[], separator: string): Weighted[] {
  return lists.reduce<Weighted[]>(
    (heads, list, at) =>
      at === 0
        ? [...list]
        : heads
            .flatMap((head) =>
              list
                .slice(0, 3)
                .map(({ text, share }) => ({ text: `${head.text}${separator}${text}`, share: head.share * share })),
            )
            .slice(0, 24),
    [],
  )
}

/** An option with its probability. The shares of a list add up to 1. */
interface Weighted {
  readonly text: string
  readonly share: number
}

/** Merges equal texts and scales the shares to a sum of 1. Returns `MAX_VARIANTS` at most, the most likely first. */
function normalizeShares(options: readonly Weighted[]): Weighted[] {
  const shares = new Map<string, number>()
  for (const { text, share } of options) if (text !== "") shares.set(text, (shares.get(text) ?? 0) + share)
  const ranked = [...shares].toSorted(([, a], [, b]) => b - a).slice(0, MAX_VARIANTS)
  const total = ranked.reduce((sum, [, share]) => sum + share, 0)
  return ranked.map(([text, share]) => ({ text, share: share / total }))
}
