/** The large tables of the domain, from src/data. The Worker reads them at the first request of an isolate. */
type ReferenceName = ListTable | `names/${NamesTable}.txt` | `spellings/${SpellingTable}.txt`

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

/** Tables of spellings that no rule gives. */
export const SPELLING_TABLES = [
  "Arabic",
  "Chinese-last",
  "Cyrillic",
  "Devanagari",
  "Greek",
  "Hebrew",
  "Japanese-first",
  "Japanese-last",
  "Korean-last",
  "Korean-syllables",
  "nicknames",
] as const

export type SpellingTable = (typeof SPELLING_TABLES)[number]

export type ScriptWithNames = (typeof SCRIPTS_WITH_NAMES)[number]

/** Each table's bytes by the path of its file in src/data. */
export type ReferenceData = ReadonlyMap<string, Uint8Array>

let current: ReferenceData | null = null

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
  return wordsOf(new TextDecoder().decode(referenceBytes(name)))
}

/** Reads a text table of words separated by white space. "#" begins a comment to the end of the line. */
export function words(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text))
}

/** The words of a text table in their order, with repetitions. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/#.*/g, "")
    .split(/\s+/)
    .filter((word) => word !== "")
}

/** Returns a function for the set of the words, which is built at first use. */
export function lazySet(...packed: readonly string[]): () => ReadonlySet<string> {
  return lazily(() => packed.flatMap(wordsOf))
}

export function lazyTable(name: ReferenceName): () => ReadonlySet<string> {
  return lazily(() => referenceWords(name))
}

function lazily(words: () => readonly string[]): () => ReadonlySet<string> {
  let set: ReadonlySet<string> | null = null
  return () => {
    set ??= new Set(words())
    return set
  }
}
