/** Scripts in current use (UAX #31 table 5) and the most common other ones. A label may consist of any one of them. */
const SCRIPTS = (
  "Latn Cyrl Grek Armn Arab Hebr Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Geor Ethi " +
  "Khmr Thaa Hang Hani Hira Kana Bopo Cher Mong Syrc Tfng Cans Yiii Nkoo Copt Goth"
).split(" ")

/** Scripts that may occur together (UTS #39 §5.2, highly restrictive). */
const TOGETHER = [
  ["Latn", "Hani", "Hira", "Kana"],
  ["Latn", "Hani", "Bopo"],
  ["Latn", "Hani", "Hang"],
]

/** Characters without a specific script: digits, hyphen, symbols, combining marks. */
const NEUTRAL = /[\p{sc=Zyyy}\p{sc=Zinh}]/gu

const classOf = (scripts: readonly string[]) => scripts.map((script) => `\\p{sc=${script}}`).join("")

/** A text without neutral characters is unmixed when one of these matches. The last one is for unlisted scripts. */
const UNMIXED = [...SCRIPTS.map((script) => [script]), ...TOGETHER]
  .map((scripts) => `^[${classOf(scripts)}]*$`)
  .concat(`^[^${classOf(SCRIPTS)}]*$`)

/** Compiled at first use, to shorten startup. Most labels need only the first few. */
const compiled = new Map<string, RegExp>()

/** Separates the words of a local part. Each word may have its own script, as in "иван.smith" or "иван+news". */
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}\p{Join_Control}]+/u

/** Whether a label of the domain (U-label form) mixes scripts that do not belong together, as in lookalike domains. */
export function isMixedDomain(domainUnicode: string): boolean {
  return domainUnicode.split(".").some(isMixed)
}

/** The same for a word of the local part. */
export function isMixedLocal(local: string): boolean {
  return local.split(BETWEEN_WORDS).some(isMixed)
}

function isMixed(text: string): boolean {
  const letters = text.replace(NEUTRAL, "")
  return !UNMIXED.some((pattern) => matches(pattern, letters))
}

function matches(pattern: string, text: string): boolean {
  const regex = compiled.get(pattern) ?? new RegExp(pattern, "u")
  compiled.set(pattern, regex)
  return regex.test(text)
}
