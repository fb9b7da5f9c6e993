import type { Person } from "./person.ts"

interface Example extends Person {
  /** Null when the person has none. */
  readonly middle: string | null
}

const JANE: Example = { first: "Jane", last: "Doe", middle: "Ann" }
const IS_PLAIN = /^[a-z]+$/i

/** The person for examples: the one searched for, or Jane Doe. Other letters have many spellings, so they are not guessed. */
export function exampleFor(person: Person | null): Example {
  return person && IS_PLAIN.test(person.first) && IS_PLAIN.test(person.last) ? { ...person, middle: null } : JANE
}

/**
 * The person's address in a format such as `{first}.{last}` or `{f}{last7}`. A number limits the length.
 * Null when the format needs a middle name that the person lacks.
 */
export function exampleOf(format: string, domain: string, { first, last, middle }: Example): string | null {
  if (middle === null && /\{m/.test(format)) return null
  const names: Readonly<Record<string, string>> = {
    ...{ first, f: first.slice(0, 1), last, l: last.slice(0, 1) },
    ...(middle === null ? {} : { middle, m: middle.slice(0, 1) }),
  }
  const local = format.replace(/\{([a-z]+)(\d?)\}/g, (whole, field: string, length: string) => {
    const name = names[field]
    return name === undefined ? whole : length === "" ? name : name.slice(0, Number(length))
  })
  return `${local.toLowerCase()}@${domain}`
}
