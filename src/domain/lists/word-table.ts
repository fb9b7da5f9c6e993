/** Reads a text table of words separated by white space. "#" begins a comment to the end of the line. */
export function words(text: string): ReadonlySet<string> {
  const withoutComments = text.replace(/#.*$/gm, "")
  return new Set(withoutComments.split(/\s+/).filter((word) => word !== ""))
}
