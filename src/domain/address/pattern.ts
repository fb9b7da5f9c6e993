/** Shapes of personal local parts, the most specific first. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/^\p{L}\.\p{L}{2,}$/u, "{f}.{last}"],
  [/^\p{L}{2,}\.\p{L}$/u, "{first}.{l}"],
  [/^\p{L}{2,}\.\p{L}{2,}$/u, "{first}.{last}"],
  [/^\p{L}{2,}_\p{L}{2,}$/u, "{first}_{last}"],
  [/^\p{L}{2,}-\p{L}{2,}$/u, "{first}-{last}"],
  [/^\p{L}{2,}\.\p{L}{2,}\d{1,4}$/u, "{first}.{last}{n}"],
  [/^\p{L}{2,}\d{1,4}$/u, "{word}{n}"],
  [/^\p{L}{2,}$/u, "{word}"],
]

/** Returns the format of a local part by its shape alone, or "other". A tag after "+" is ignored. */
export function patternOf(local: string): string {
  const mailbox = local.split("+")[0]!
  return SHAPES.find(([shape]) => shape.test(mailbox))?.[1] ?? "other"
}
