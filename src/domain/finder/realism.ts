import { lazySet, referenceWords, SCRIPTS_WITH_NAMES, type ScriptWithNames, wordsOf } from "../reference/tables.ts"
import { COMMON_FIRST_NAMES, COMMON_LAST_NAMES, isKnownName } from "./name-frequency.ts"
import { foldLatin } from "./spelling-tables.ts"

type RealismFinding =
  | "known_name"
  | "plausible"
  | "implausible_letters" // letter sequences that do not occur in names
  | "keyboard_run" // adjacent keys
  | "repeated_letters"
  | "placeholder" // a word that replaces a real name
  | "digits"
  | "mixed_scripts"
  | "unknown_script" // no model for the script
  | "no_letters"

interface Realism {
  /** Probability that the word is a real name, 0 to 1. */
  readonly score: number
  readonly script: string | null
  readonly finding: RealismFinding
}

const ROWS = [
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "azertyuiop",
  "qsdfghjklm",
  "йцукенгшщзхъ",
  "фывапролджэ",
]
/** Adjacent keys that make a run. Fewer suffice without a vowel: "trew" is the start of Trewin. */
const RUN_LENGTH = 5
const CONSONANT_RUN_LENGTH = 4
/** Midpoint of the logistic score, in bits a letter over chance, and its steepness. Measured. */
const MIDDLE = 0.15
const STEEPNESS = 3

/** "J", "J." or "A.J.". An initial does not show whether the name is real. */
const INITIALS = /^(?:\p{L}\.)*\p{L}\.?$/u

const models = new Map<string, LetterModel>()

/** Scores a single word as a name in its script. The score of a full name is the lowest score of its words. */
export function realismOf(word: string): Realism {
  const lower = word
    .normalize("NFC")
    .toLowerCase()
    .replace(/['’ʼ.-]/g, "")
  const found = (score: number, finding: RealismFinding, script: string | null = null): Realism => ({
    score,
    script,
    finding,
  })
  if (!/\p{L}/u.test(lower)) return found(0, "no_letters")
  if (/\d/.test(lower)) return found(0.05, "digits")
  const scripts = [...SCRIPTS_WITH_NAMES, "Latin" as const].filter((script) =>
    new RegExp(`\\p{Script=${script}}`, "u").test(lower),
  )
  const script = scripts[0] ?? null
  if (scripts.length > 1) return found(0.05, "mixed_scripts")
  if (script === null) return found(0.5, "unknown_script")
  const folded = script === "Latin" ? foldLatin(lower)[0]! : lower
  if (PLACEHOLDERS().has(folded)) return found(0.05, "placeholder", script)
  if (hasRun(folded)) return found(0.05, "keyboard_run", script)
  if (/(.)\1\1/u.test(folded)) return found(0.08, "repeated_letters", script)
  const model = modelOf(script)
  if (model.has(folded) || (script === "Latin" && isKnown(folded))) return found(0.98, "known_name", script)
  // A letter is a whole syllable in these scripts, so the letter model does not apply.
  if (script === "Han" || script === "Hangul") return found([...folded].length <= 4 ? 0.75 : 0.3, "plausible", script)
  if (INITIALS.test(word.normalize("NFC"))) return found(0.5, "plausible", script)
  const score = Math.min(0.95, 1 / (1 + Math.exp(-STEEPNESS * (model.bitsOverChance(folded) - MIDDLE))))
  return found(score, score < 0.35 ? "implausible_letters" : "plausible", script)
}

function isKnown(folded: string): boolean {
  return isKnownName(folded, "first") || isKnownName(folded, "last")
}

function hasRun(word: string): boolean {
  return (
    isRun(word, RUN_LENGTH, () => true) || isRun(word, CONSONANT_RUN_LENGTH, (run) => !/[aeiouyаеиоуыэюя]/.test(run))
  )
}

function isRun(word: string, length: number, counts: (run: string) => boolean): boolean {
  for (let at = 0; at + length <= word.length; at++) {
    const run = word.slice(at, at + length)
    const reversed = [...run].reverse().join("")
    if (counts(run) && ROWS.some((row) => row.includes(run) || row.includes(reversed))) return true
  }
  return false
}

function modelOf(script: ScriptWithNames | "Latin"): LetterModel {
  const built = models.get(script)
  if (built) return built
  const names =
    script === "Latin"
      ? [
          ...referenceWords("names/Latin-first.txt"),
          ...referenceWords("names/Latin-last.txt"),
          ...[...COMMON_FIRST_NAMES, ...COMMON_LAST_NAMES].flatMap(([, list]) => wordsOf(list)),
        ]
      : referenceWords(`names/${script}.txt`)
  const model = createModel(names.map((name) => name.toLowerCase()))
  models.set(script, model)
  return model
}

/** Letter sequences in the names of a script. */
interface LetterModel {
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
function createModel(names: readonly string[]): LetterModel {
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

/** Words that replace a real name in a name field. */
const PLACEHOLDERS = lazySet(`test tests testing tester teste asdf asd qwe qwer foo bar baz foobar none null nil na
  anonymous anonym anon unknown nobody noname name firstname lastname surname fname lname first last user username admin
  example sample demo dummy fake xxx abc abcd xyz mustermann undefined nan blah bla aaa bbb customer guest lorem ipsum
  тест аноним имя фамилия`)
