/**
 * The large tables of the domain: the packed lists of domains, and lists of names. They are data, not code: the Worker
 * reads them once, at the first request of an isolate, from one asset (`src/adapters/reference/reference-file.ts`). Their sources
 * are the files of src/data, which the build joins.
 */
type ReferenceName = ListTable | `names/${NamesTable}.txt`

type ListTable = "disposable.fuse" | "education.fuse" | "free-domains.txt" | "top-level-domains.txt"

type NamesTable = "Latin-first" | "Latin-last" | ScriptWithNames

/** Scripts other than Latin that have a list of names. */
export const SCRIPTS_WITH_NAMES = [
  "Arabic",
  "Greek",
  "Hebrew",
  "Armenian",
  "Han",
  "Georgian",
  "Hangul",
  "Cyrillic",
  "Devanagari",
  "Thai",
] as const

export type ScriptWithNames = (typeof SCRIPTS_WITH_NAMES)[number]

/** Each table's bytes by the path of its file in src/data. */
export type ReferenceData = ReadonlyMap<string, Uint8Array>

let current: ReferenceData | null = null

/** Sets the tables for the whole process. */
export function setReferenceData(data: ReferenceData): void {
  current = data
}

export function hasReferenceData(): boolean {
  return current !== null
}

/** The bytes of a table. @throws Error before the tables are loaded: a lookup without its table would be a guess */
export function referenceBytes(name: ReferenceName): Uint8Array {
  const bytes = current?.get(name)
  if (!bytes) throw new Error(`the reference table ${name} is used but not loaded`)
  return bytes
}

/** The words of a text table, in their order. @throws Error like `referenceBytes` */
export function referenceWords(name: ReferenceName): string[] {
  return wordsIn(new TextDecoder().decode(referenceBytes(name)))
}

/** Reads a text table of words separated by white space. "#" begins a comment to the end of the line. */
export function words(text: string): ReadonlySet<string> {
  return new Set(wordsIn(text))
}

/** The words of a text table in their order, with repetitions. */
export function wordsIn(text: string): string[] {
  return text
    .replace(/#.*/g, "")
    .split(/\s+/)
    .filter((word) => word !== "")
}

/** Splits a packed list, a template string of words with white space between them. */
export function wordsOf(packed: string): string[] {
  return packed.split(/\s+/).filter((word) => word !== "")
}

/** Returns a function for the set of the words, which is built at first use. */
export function lazySet(...packed: readonly string[]): () => ReadonlySet<string> {
  let set: ReadonlySet<string> | null = null
  return () => {
    set ??= new Set(packed.flatMap(wordsOf))
    return set
  }
}
