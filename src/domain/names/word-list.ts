/** The words of a packed list: a template string with white space between them. */
export function wordsOf(packed: string): string[] {
  return packed.split(/\s+/).filter((word) => word !== "")
}

/** The same as a set that is only built when somebody asks. */
export function lazySet(...packed: readonly string[]): () => ReadonlySet<string> {
  let set: ReadonlySet<string> | null = null
  return () => {
    set ??= new Set(packed.flatMap(wordsOf))
    return set
  }
}
