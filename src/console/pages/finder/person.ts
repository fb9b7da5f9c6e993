/** A person's name as the finder uses it. */
export interface Person {
  readonly first: string
  readonly last: string
}

/** Words before a family name that belong to it, in lower case. */
const PARTICLES: ReadonlySet<string> = new Set(
  "van von der den de del della dello dei degli di da das do dos du la le los el al bin ibn ben ter ten zu zum vom st".split(
    " ",
  ),
)
/** Additions after a name, in lower case and without dots. */
const SUFFIXES: ReadonlySet<string> = new Set("jr sr ii iii iv junior senior phd md mba msc bsc ma esq".split(" "))

const isSuffix = (word: string): boolean => SUFFIXES.has(word.toLowerCase().replaceAll(".", ""))

/**
 * Splits a full name: "Pieter van der Berg" and "van der Berg, Pieter" are the same person.
 * @returns null for less than two words
 */
export function splitName(name: string): Person | null {
  const [before = "", after = ""] = name.split(",", 2).map((part) => part.trim().replace(/\s+/g, " "))
  if (before !== "" && after !== "" && !after.split(" ").every(isSuffix)) return { first: after, last: before }
  const words = before.split(" ")
  while (words.length > 2 && isSuffix(words.at(-1)!)) words.pop()
  if (words.length < 2) return null
  let from = words.length - 1
  while (from > 1 && PARTICLES.has(words[from - 1]!.toLowerCase())) from--
  return { first: words.slice(0, from).join(" "), last: words.slice(from).join(" ") }
}

interface Example extends Person {
  /** Null when the person has none. */
  readonly middle: string | null
}

const JANE: Example = { first: "Jane", last: "Doe", middle: "Ann" }
const IS_PLAIN = /^[a-z]+$/i

/** The person for examples: the one searched for, or Jane Doe. Other characters have many spellings, so they are not guessed. */
export const exampleFor = (person: Person | null): Example =>
  person && IS_PLAIN.test(person.first) && IS_PLAIN.test(person.last) ? { ...person, middle: null } : JANE

/**
 * The person's address in a format such as `{first}.{last}` or `{f}{last7}`. A number limits the length.
 * Null when the format needs a middle name that the person lacks.
 */
export function exampleOf(format: string, domain: string, { first, last, middle }: Example): string | null {
  if (middle === null && /\{m/.test(format)) return null
  const names: Readonly<Record<string, string>> = {
    first,
    f: first.slice(0, 1),
    last,
    l: last.slice(0, 1),
    ...(middle === null ? {} : { middle, m: middle.slice(0, 1) }),
  }
  const local = format.replace(/\{([a-z]+)(\d?)\}/g, (whole, field: string, length: string) => {
    const name = names[field]
    return name === undefined ? whole : length === "" ? name : name.slice(0, Number(length))
  })
  return `${local.toLowerCase()}@${domain}`
}
