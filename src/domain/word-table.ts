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
