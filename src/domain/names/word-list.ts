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
