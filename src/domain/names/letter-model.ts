/** Letter sequences in the names of a script. */
export interface LetterModel {
  has(word: string): boolean
  /** Log-likelihood of the letters against random letters, in bits a letter. Negative for gibberish. */
  bitsOverChance(word: string): number
}

/** Weights of the trigram, bigram and unigram estimates. */
const WEIGHTS = [0.6, 0.3, 0.1] as const

/**
 * Counts letters, pairs and triples of letters in names.
 * @param names lower-case
 */
export function createModel(names: readonly string[]): LetterModel {
  const counts = new Map<string, number>()
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const alphabet = new Set<string>()
  for (const name of names) {
    const letters = ["^", "^", ...name, "$"]
    for (let at = 2; at < letters.length; at++) {
      const [before, last, letter] = [letters[at - 2]!, letters[at - 1]!, letters[at]!]
      alphabet.add(letter)
      for (const key of [
        `${before}${last}>${letter}`,
        `${before}${last}>`,
        `${last}>${letter}`,
        `${last}>`,
        `>${letter}`,
        ">",
      ])
        count(key)
    }
  }
  const known = new Set(names)
  const size = alphabet.size
  const chance = (context: string, letter: string) =>
    ((counts.get(`${context}>${letter}`) ?? 0) + 0.02) / ((counts.get(`${context}>`) ?? 0) + 0.02 * size)

  return {
    has: (word) => known.has(word),

    bitsOverChance(word) {
      const letters = ["^", "^", ...word, "$"]
      let bits = 0
      for (let at = 2; at < letters.length; at++) {
        const [before, last, letter] = [letters[at - 2]!, letters[at - 1]!, letters[at]!]
        const likely =
          WEIGHTS[0] * chance(before + last, letter) +
          WEIGHTS[1] * chance(last, letter) +
          WEIGHTS[2] * chance("", letter)
        bits += Math.log2(likely * size)
      }
      return bits / (letters.length - 2)
    },
  }
}
