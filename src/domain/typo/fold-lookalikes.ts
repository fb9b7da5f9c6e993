/** Cyrillic, Greek, Armenian and rare Latin letters that look like common Latin ones (UTS #39 confusables, lower case). */
const LOOKALIKE_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    і: "i",
    ј: "j",
    ӏ: "l",
    о: "o",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    у: "y",
    ѵ: "v",
    х: "x",
    ԝ: "w",
    к: "k",
    м: "m",
    т: "t",
    г: "r",
    в: "b",
    н: "h",
    ο: "o",
    α: "a",
    ν: "v",
    ι: "i",
    κ: "k",
    ρ: "p",
    υ: "u",
    τ: "t",
    ı: "i",
    ł: "l",
    ø: "o",
    đ: "d",
    ɡ: "g",
    ɑ: "a",
    ɩ: "i",
    ɭ: "l",
    ᴏ: "o",
    ց: "g",
    հ: "h",
    ո: "n",
    օ: "o",
    ս: "u",
  }),
)

/** Removes accents and replaces look-alike letters of other scripts by Latin ones. */
export function foldLookalikes(text: string): string {
  const bare = text.normalize("NFD").replace(/\p{M}+/gu, "")
  return [...bare].map((letter) => LOOKALIKE_LETTERS.get(letter) ?? letter).join("")
}

/** Replaces pairs of letters that look like a single letter, as imitating names use them. */
export function foldPairs(text: string): string {
  return text.replaceAll("rn", "m").replaceAll("vv", "w")
}
