/** A table kept as text, one or many words a line; from "#" to the end of a line is a comment. */
export function words(text: string): ReadonlySet<string> {
  const withoutComments = text.replace(/#.*$/gm, "")
  return new Set(withoutComments.split(/\s+/).filter((word) => word !== ""))
}
