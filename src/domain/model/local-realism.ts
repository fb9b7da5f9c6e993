import { realismOf } from "../names/realism.ts"

/** What stands after a first initial counts a little less: "jsmith" might be a word after all. */
const AFTER_INITIAL = 0.95

/** Recently judged words; lists repeat names. Cleared when full. */
const judged = new Map<string, number>()
const MAX_JUDGED = 5_000

/**
 * How likely the letters of a local part are somebody's name, 0 to 1, by the letter models of names: the mean of its words,
 * without a tag and without digits at the end of a word. 0 where there is no word.
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
  const known = judged.get(word)
  if (known !== undefined) return known
  const rest = word.slice(1)
  const whole = realismOf(word).score
  const score = rest.length > 2 ? Math.max(whole, AFTER_INITIAL * realismOf(rest).score) : whole
  if (judged.size >= MAX_JUDGED) judged.clear()
  judged.set(word, score)
  return score
}
