import { realismOf } from "../names/realism.ts"

/** Discount for a name after an initial: "jsmith" may be a word instead. */
const AFTER_INITIAL = 0.95

/** Cache of scored words, because lists repeat names. Cleared when full. */
const scored = new Map<string, number>()
const MAX_SCORED = 5_000

/**
 * Probability that the letters of a local part form a person's name, 0 to 1: the mean of its words in the letter models of
 * names, without a tag and without digits at the end of a word. 0 without a word.
 */
export function localRealism(local: string): number {
  const words = local
    .split("+")[0]!
    .split(/[._-]+/)
    .map((word) => word.replace(/\d{1,4}$/, ""))
    .filter((word) => [...word].length > 1)
  if (words.length === 0) return 0
  return words.reduce((sum, word) => sum + wordRealism(word), 0) / words.length
}

function wordRealism(word: string): number {
  const known = scored.get(word)
  if (known !== undefined) return known
  const rest = word.slice(1)
  const whole = realismOf(word).score
  const score = rest.length > 2 ? Math.max(whole, AFTER_INITIAL * realismOf(rest).score) : whole
  if (scored.size >= MAX_SCORED) scored.clear()
  scored.set(word, score)
  return score
}
