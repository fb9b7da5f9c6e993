/** Scripts in current use (UAX #31 table 5) and the commonest of the others, each of which may stand alone in a label. */
const SCRIPTS = (
  "Latn Cyrl Grek Armn Arab Hebr Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Geor Ethi " +
  "Khmr Thaa Hang Hani Hira Kana Bopo Cher Mong Syrc Tfng Cans Yiii Nkoo Copt Goth"
).split(" ")

/** Scripts that are written together (UTS #39 §5.2, highly restrictive). */
const TOGETHER = [
  ["Latn", "Hani", "Hira", "Kana"],
  ["Latn", "Hani", "Bopo"],
  ["Latn", "Hani", "Hang"],
]

/** Characters of every script: digits, hyphen, symbols, combining marks. */
const NEUTRAL = /[\p{sc=Zyyy}\p{sc=Zinh}]/gu

const classOf = (scripts: readonly string[]) => scripts.map((script) => `\\p{sc=${script}}`).join("")

/** A label without its neutral characters is of one script when one of these matches it. The last: scripts not listed. */
const UNMIXED = [...SCRIPTS.map((script) => [script]), ...TOGETHER]
  .map((scripts) => `^[${classOf(scripts)}]*$`)
  .concat(`^[^${classOf(SCRIPTS)}]*$`)

/** Compiled when first needed, to keep them out of the start-up; most labels need only the first few. */
const compiled = new Map<string, RegExp>()

/** Whether a label of the domain (U-label form) mixes scripts that are not written together, as lookalike domains do. */
export function isMixedScript(domainUnicode: string): boolean {
  return domainUnicode.split(".").some((label) => {
    const letters = label.replace(NEUTRAL, "")
    return !UNMIXED.some((pattern) => matches(pattern, letters))
  })
}

function matches(pattern: string, text: string): boolean {
  const regex = compiled.get(pattern) ?? new RegExp(pattern, "u")
  compiled.set(pattern, regex)
  return regex.test(text)
}
