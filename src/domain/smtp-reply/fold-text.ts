import { markOwnNames, type OwnNames } from "./reply-rules-own-names.ts"

/** Longer replies are cut. The wire has the same limit of 2,000 characters. */
const LONGEST_TEXT = 2_000

/** "550 " or "550-" at the start of a line. */
const LINE_CODE = /^[ \t]{0,8}[2-5]\d\d(?:[ -]|$)/gm
const ENHANCED = /(?<![\w.])([245])\.([0-7])\.(\d{1,3})(?![\w]|\.\d)/g
const ANNOTATION = /\(in reply to [a-z ]{2,40} command\)/g
const URL = /\bhttps?:\/\/[^\s<>()"]{0,500}/g
const ANGLED = /<[^<>\s]{1,320}>/g
const QUOTED_ADDRESS = /"[^"\n]{1,64}"@[^\s<>()[\]"',;]{1,255}/g
const ADDRESS = /[^\s<>()[\]"',;:]{1,128}@[^\s<>()[\]"',;:]{1,255}/g
/** Runs of white space, and single white space characters other than a space. */
const SPACES = /[\s\u200b]{2,}|[^\S ]|\u200b/g
const IPV4 = /\[?\b[\dx]{1,3}(?:\.[\dx]{1,3}){3}\b\]?/g
/** The text after "rejected:" has its own subject, so the colon ends a sentence. */
const GIVES_REASON = /\b(rejected|refused|denied):(?= )/g
/** Misspellings in server texts of words that the rules match. */
const MISSPELLED: readonly (readonly [RegExp, string])[] = [
  [/\bun?kn?own?\b|\bunk(?:nwon|onwn)\b/g, "unknown"],
  [/\brec(?:ie?|ei?)?pi?[ea]nt(?=s?\b)/g, "recipient"],
  [/\badress\b/g, "address"],
  [/\bexsist|(?<=\b(?:not|no) |n't )exit(?=s?\b)/g, "exist"],
  [/\b(?:un|non )exist/g, "non-exist"],
  [/(?<!in)existant\b/g, "existent"],
]
const DOTTED_DIGITS = /[\dx]\.[\dx]/
const DOTTED_LETTER = /[a-z0-9_-]\.[a-z]/
const IPV6 = /\[?(?:ipv6:)?\b[\da-f]{1,4}(?::[\da-f]{0,4}){3,7}\b\]?/g

/** Top-level names of public and private networks. "unavailable.please" is two words, not a host. */
const TOP_LEVEL =
  "[a-z]{2}|com|net|org|edu|gov|mil|int|info|biz|name|pro|aero|coop|museum|mobi|asia|jobs|tel|cat|travel|xyz|top|" +
  "online|site|shop|store|club|app|dev|cloud|email|live|tech|agency|group|company|work|works|space|website|world|" +
  "local|lan|internal|intranet|corp|home|localdomain|arpa|test|example|invalid|localhost|xn--[a-z0-9-]{1,59}"
const HOST = new RegExp(`(?<![a-z0-9_.-])[a-z0-9_][a-z0-9_.-]{0,250}\\.(?:${TOP_LEVEL})(?![a-z0-9_-]|\\.[a-z0-9])`, "g")

/** Folds a reply text, so that rules match its words only. Marks own names (reply-rules-own-names.ts). Never throws. */
export function foldReply(text: string, classDigit: number, own: OwnNames | null) {
  const words = foldWords(text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text)
  const marked = own && markOwnNames(words, own)
  const bare = stripNames(marked ?? words)
  // The first RFC 3463 code with the reply's class digit, e.g. "5.1.1".
  let enhanced = null as string | null
  const coded = !DOTTED_DIGITS.test(bare)
    ? bare
    : bare.replace(ENHANCED, (code: string, digit: string) => {
        if (enhanced === null && Number(digit) === classDigit) enhanced = code
        return " "
      })
  const folded = coded.replaceAll("_", " ").replace(SPACES, " ").replace(GIVES_REASON, "$1;").trim()
  const corrected = MISSPELLED.reduce((words, [wrong, right]) => words.replace(wrong, right), folded)
  return { text: ` ${corrected} `, enhanced, isMarked: marked !== null }
}

/** Lower case, without line codes, diacritics and curly quotes. The patterns use this form. */
function foldWords(text: string): string {
  const lower = text.replace(LINE_CODE, " ").toLowerCase()
  return isAscii(lower) ? lower : foldAccents(lower)
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/** Marks that some writers leave out, except the voicing marks of Kana, which make other letters. */
const MARKS = /(?![\u3099\u309a\u200b])[\p{Mn}\p{Cf}\u0640]/gu
/** Letters without a decomposition that are written in two ways. */
const SAME_LETTER: Readonly<Record<string, string>> = {
  ß: "ss",
  ł: "l",
  ı: "i",
  ø: "o",
  đ: "d",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  "־": "-",
}
const VARIANT = new RegExp(`[${Object.keys(SAME_LETTER).join("")}]`, "g")

/** Strips marks, and gives each letter and quotation mark one form. Rules have the same form. */
export function foldAccents(lower: string): string {
  return lower
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(VARIANT, (letter) => SAME_LETTER[letter] ?? letter)
    .replace(/[\u2018\u2019\u00b4`]/g, "'")
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
}

/** Replaces addresses, URLs and hosts by "~". An IP address becomes "[~]": it names a client, never a recipient. */
function stripNames(words: string): string {
  let bare = words
  if (bare.includes("(in reply to ")) bare = bare.replace(ANNOTATION, " ")
  if (bare.includes("://")) bare = bare.replace(URL, "~")
  if (bare.includes("<")) bare = bare.replace(ANGLED, "~")
  if (bare.includes("@")) bare = bare.replace(QUOTED_ADDRESS, "~").replace(ADDRESS, "~")
  if (DOTTED_DIGITS.test(bare)) bare = bare.replace(IPV4, "[~]")
  if (DOTTED_LETTER.test(bare)) bare = bare.replace(HOST, "~")
  return bare.includes(":") ? bare.replace(IPV6, "[~]") : bare
}
