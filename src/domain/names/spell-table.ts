/** Reads spellings by word from lines "key: first second". A line may have several keys. */
export function readSpellings(packed: string): ReadonlyMap<string, readonly string[]> {
  const entries = packed
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [keys = "", spellings = ""] = line.split(":")
      const values = spellings.trim().split(/\s+/)
      return keys
        .trim()
        .split(/\s+/)
        .map((key) => [key, values] as const)
    })
  return new Map(entries)
}

/**
 * Returns a function that replaces entries of a table, the longest match first.
 * @param pairs "from to" pairs, separated by white space
 */
export function replacer(pairs: string): (word: string) => string {
  const cells = pairs.trim().split(/\s+/)
  const table = new Map<string, string>()
  for (let at = 0; at + 1 < cells.length; at += 2) table.set(cells[at]!, cells[at + 1]!.replace("-", ""))
  const longest = Math.max(...[...table.keys()].map((key) => key.length))
  return (word) => {
    let spelled = ""
    for (let at = 0; at < word.length; ) {
      let length = Math.min(longest, word.length - at)
      while (length > 0 && !table.has(word.slice(at, at + length))) length--
      spelled += length === 0 ? word[at] : table.get(word.slice(at, at + length))
      at += Math.max(1, length)
    }
    return spelled
  }
}
